#include "base/check.hpp"

#include <cstdio>
#include <cstdlib>

namespace quadrille {

void check_failed(const char* file, int line, const char* condition, const std::string& values) {
  std::fprintf(stderr, "%s:%d: CHECK failed: %s%s%s\n", file, line, condition,
               values.empty() ? "" : " with", values.c_str());
  std::abort();
}

}  // namespace quadrille

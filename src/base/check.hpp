// CHECK: a statement about our own code. It is on in release, and a
// failure ends the program with the place, the condition and the
// values given. What the world does wrong is a Result, never a CHECK.
#pragma once

#include <sstream>
#include <string>

namespace quadrille {

[[noreturn]] void check_failed(const char* file, int line, const char* condition,
                               const std::string& values);

namespace internal {

template <class... Values>
std::string join_values(const Values&... values) {
  std::ostringstream out;
  ((out << ' ' << values), ...);
  return std::move(out).str();
}

}  // namespace internal

}  // namespace quadrille

// One fact per CHECK; the values that explain a failure follow it.
#define CHECK(condition, ...)                                                     \
  do {                                                                            \
    if (!(condition)) [[unlikely]]                                                \
      ::quadrille::check_failed(__FILE__, __LINE__, #condition,                   \
                                ::quadrille::internal::join_values(__VA_ARGS__)); \
  } while (false)

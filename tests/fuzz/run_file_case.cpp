#include "fuzz/run_file_case.hpp"

#include <string>

#include "base/check.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::fuzz {
namespace {

void check_problem(const std::string& line) {
  CHECK(line.starts_with("fuzzed.toml"), line);
  CHECK(line.find('\n') == std::string::npos, line);
}

}  // namespace

void run_file_case(std::string_view text) {
  const auto spec = node::parse_run_spec(text, "fuzzed.toml");
  if (!spec) {
    check_problem(spec.error().detail);
    for (const std::string& line : spec.error().more) check_problem(line);
    return;
  }
  const std::string effective = node::effective_run_file(*spec);
  const auto again = node::parse_run_spec(effective, "effective.toml");
  CHECK(again.has_value(), effective, again.error().detail);
  CHECK(node::effective_run_file(*again) == effective, effective);
  CHECK(node::run_id(*again) == node::run_id(*spec), effective);
}

}  // namespace quadrille::fuzz

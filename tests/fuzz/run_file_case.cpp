#include "fuzz/run_file_case.hpp"

#include <ranges>
#include <string>

#include "base/check.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::fuzz {

void run_file_case(std::string_view text) {
  const auto spec = node::parse_run_spec(text, "fuzzed.toml");
  if (!spec) {
    for (const auto line : std::views::split(spec.error().detail, '\n')) {
      const std::string_view words(line.begin(), line.end());
      CHECK(words.starts_with("fuzzed.toml"), spec.error().detail);
    }
    return;
  }
  const std::string effective = node::effective_run_file(*spec);
  const auto again = node::parse_run_spec(effective, "effective.toml");
  CHECK(again.has_value(), effective, again.error().detail);
  CHECK(node::effective_run_file(*again) == effective, effective);
  CHECK(node::run_id(*again) == node::run_id(*spec), effective);
}

}  // namespace quadrille::fuzz

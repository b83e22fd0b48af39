// A number as a person types it: decimal, the whole text, within a range; or else a line that names
// the option, the value and the range.
#pragma once

#include <charconv>
#include <iomanip>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/result.hpp"
#include "sim/shell_word.hpp"

namespace quadrille::sim {

// The sentence is `before`, the two bounds, `after`: "a peer holds 1 to 4096 cells".
template <class Number>
struct TypedRange {
  Number min{};
  Number max{};
  std::string before;
  std::string after{};
};

// Usage for what is no number, too large for the type, or outside. Nothing wraps, and no prefix
// means another base: 010 is ten.
template <class Number>
Result<Number> typed_number(std::string_view option, std::string_view text,
                            const TypedRange<Number>& range) {
  Number value{};
  const char* const text_end = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), text_end, value);
  const bool is_read = error == std::errc{} && end == text_end;
  // Written so that what is no number lies outside.
  if (is_read && value >= range.min && value <= range.max) return value;
  std::ostringstream line;
  line << std::setprecision(std::numeric_limits<double>::digits10) << option << " is "
       << shell_word(text) << "; " << range.before << range.min << " to " << range.max
       << range.after;
  return failure(ErrorCode::Usage, std::move(line).str());
}

}  // namespace quadrille::sim

// Values of flags and variables: text to numbers, choices and paths, and what is said when it is
// none of them.
#pragma once

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

#include "base/result.hpp"
#include "node/cli/command_line_words.hpp"

namespace quadrille::node {

Failure usage(const std::string& text);
std::string in_quotes(std::string_view text);

template <class Number>
struct Range {
  Number min;
  Number max;
};

// The number in `given`, or `usual` where there is none.
template <class Number>
Result<Number> number(const MaybeGiven& given, Range<Number> range, Number usual) {
  if (!given) return usual;
  Number value{};
  const std::string& text = given->value;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc{} && end == text.data() + text.size();
  if (read && value >= range.min && value <= range.max) return value;
  std::ostringstream needed;
  needed << range.min << " to " << range.max;
  return usage(given->source + " is " + (read ? text : in_quotes(text)) + "; it must be " +
               needed.str() + ".");
}

template <class Number>
Result<std::optional<Number>> maybe_number(const MaybeGiven& given, Range<Number> range) {
  if (!given) return std::nullopt;
  TRY(value, number<Number>(given, range, 0));
  return std::optional(value);
}

// The place of the value among `names`.
Result<std::size_t> one_of(const MaybeGiven& given, std::span<const std::string_view> names,
                           std::size_t usual);
Result<std::optional<std::filesystem::path>> maybe_path(const MaybeGiven& given);
// Usage when a word that the verb cannot do without is not there.
Result<void> require(const std::string& word, const std::string& verb, const std::string& what);

}  // namespace quadrille::node

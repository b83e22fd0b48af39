// The library is used header-only and without exceptions,
// so that a syntax error is a value like any other.
#include "node/spec/run_toml.hpp"

#include <algorithm>

#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace quadrille::node {
namespace {

std::string kind_of(const toml::node& node) {
  switch (node.type()) {
    case toml::node_type::table:
      return "a table";
    case toml::node_type::array:
      return "an array that is not of strings";
    case toml::node_type::date:
      return "a date";
    case toml::node_type::time:
      return "a time";
    case toml::node_type::date_time:
      return "a date and time";
    default:
      return "nothing";
  }
}

TomlValue array_value(const toml::array& array) {
  std::vector<std::string> texts;
  for (const toml::node& item : array) {
    const toml::value<std::string>* text = item.as_string();
    if (text == nullptr) return OtherToml{kind_of(array)};
    texts.push_back(text->get());
  }
  return texts;
}

TomlValue value_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  if (const auto* number = node.as_integer()) return number->get();
  if (const auto* number = node.as_floating_point()) return number->get();
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* array = node.as_array()) return array_value(*array);
  if (node.is_table()) return EmptyTable{};  // flatten() walks into the others
  return OtherToml{kind_of(node)};
}

// The library quotes the text, which may hold anything.
std::string one_line(std::string_view reason) {
  std::string text(reason);
  std::ranges::replace_if(text, [](char c) { return (c >= 0 && c < ' ') || c == 0x7F; }, '?');
  return text;
}

bool too_many_dots(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count(text, '.')) > toml_dots_max;
}

void flatten(const toml::table& table, const std::string& prefix, std::vector<Setting>& settings) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix + std::string(key.str());
    const toml::table* inner = node.as_table();
    if (inner != nullptr && !inner->empty()) {
      flatten(*inner, path + ".", settings);
    } else {
      settings.push_back(
          {path, value_of(node), key.source().begin.line, key.source().begin.column});
    }
  }
}

}  // namespace

Result<std::vector<Setting>> read_toml(std::string_view text, const std::string& file_name) {
  if (too_many_dots(text)) {
    return failure(ErrorCode::Config, file_name + ": has more than " +
                                          std::to_string(toml_dots_max) +
                                          " dots; that is no run file.");
  }
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    const toml::source_position at = error.source().begin;
    return failure(ErrorCode::Config, file_name + ":" + std::to_string(at.line) + ":" +
                                          std::to_string(at.column) + ": " +
                                          one_line(error.description()) + ".");
  }
  std::vector<Setting> settings;
  flatten(parsed.table(), "", settings);
  std::ranges::sort(settings, {},
                    [](const Setting& setting) { return std::pair(setting.line, setting.column); });
  return settings;
}

Result<TomlValue> read_toml_value(std::string_view text) {
  const auto malformed = [&] {
    return failure(ErrorCode::Config, "\"" + std::string(text) + "\" is not a TOML value");
  };
  // A line break would begin another key.
  if (text.find_first_of("\r\n") != std::string_view::npos || too_many_dots(text))
    return malformed();
  const toml::parse_result parsed = toml::parse("value = " + std::string(text));
  if (!parsed || parsed.table().size() != 1) return malformed();
  const toml::node& node = *parsed.table().get("value");
  return node.is_table() ? TomlValue(OtherToml{kind_of(node)}) : value_of(node);
}

}  // namespace quadrille::node

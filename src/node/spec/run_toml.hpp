// TOML text as a flat list of what it sets: the one place that knows the TOML library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.hpp"

namespace quadrille::node {

// The library bounds how deep values nest, and not how deep dotted keys do (a.a.a.a = 1), which
// overflows the stack when the tables are torn down. A level takes a dot, so that counting those
// bounds it, and a text that is meant for us does not come near.
inline constexpr std::size_t toml_dots_max = 2000;

// A value of a kind that no key has, in words: "a date", "an array that is not of strings".
struct OtherToml {
  std::string what;
};
struct EmptyTable {};
struct TableArray {};  // [[run]]
using TomlValue = std::variant<bool, std::int64_t, double, std::string, std::vector<std::string>,
                               EmptyTable, TableArray, OtherToml>;

struct Setting {
  std::string path;  // "grid.rows", or "grid" for an empty table
  TomlValue value;
  std::uint32_t line = 0;
  std::uint32_t column = 0;
};

// In the order of the text. Config, as "file:line:column: reason", when it is not TOML.
Result<std::vector<Setting>> read_toml(std::string_view text, const std::string& file_name);

// One value as it stands to the right of a '='. Config when it is not TOML.
Result<TomlValue> read_toml_value(std::string_view text);

}  // namespace quadrille::node

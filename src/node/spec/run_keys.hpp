// The one table of everything that a run file can say: for each key
// its kind, range, place in the run's id and meaning. A row here is
// all it takes to read a new key, check it, print it and document it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "node/spec/run_spec.hpp"

namespace quadrille::node {

using KeyValue = std::variant<bool, std::uint64_t, double, std::string, std::vector<std::string>>;

// Both ends of a range belong to it.
struct WholeNumber {
  std::uint64_t min;
  std::uint64_t max;
};
struct RealNumber {
  double min;
  double max;
};
struct Flag {};
struct Choice {
  std::span<const std::string_view> names;
};
struct Text {
  std::size_t length_max;
  bool (*well_formed)(std::string_view);
  std::string_view form;  // "a path without control characters"
  // Of a text that is nearly well-formed, what is wrong with it; or none. May be absent.
  std::optional<std::string> (*slip)(std::string_view) = nullptr;
};
struct TextList {
  std::size_t count_max;
  Text item;
};
using KeyKind = std::variant<WholeNumber, RealNumber, Flag, Choice, Text, TextList>;

enum class InId : bool { No, Yes };

// When a key means something. Where it does not, only its default is accepted.
struct Condition {
  bool (*applies)(const RunSpec&) = nullptr;  // none: always
  std::string_view otherwise;                 // "only a ring has a radius; set ..."
};

struct Key {
  std::string_view path;  // "grid.rows"
  KeyKind kind;
  KeyValue (*get)(const RunSpec&);
  void (*set)(RunSpec&, const KeyValue&);  // a value that check_value() passed
  InId in_id;
  std::string_view need;  // "a grid needs {} rows"; {} is the range; empty: "it must be {}"
  std::string_view meaning;
  Condition condition{};
  bool shorthand = false;  // sets other keys: never printed, never in the id

  std::string_view table() const { return path.substr(0, path.find('.')); }
  std::string_view name() const { return path.substr(path.find('.') + 1); }
  bool applies(const RunSpec& spec) const {
    return condition.applies == nullptr || condition.applies(spec);
  }
};

struct KeyTable {
  std::string_view name;  // "grid"
  std::string_view meaning;
};

// In the order in which they are set and printed: a shorthand comes before what it sets.
std::span<const Key> run_keys();
std::span<const KeyTable> run_tables();
const Key* find_key(std::string_view path);
// The key that an unknown path was probably meant to be.
std::optional<std::string_view> nearest_key(std::string_view unknown);

// What a value of the key's own type lacks
// ("a grid needs 1 to 1024 rows"), or nothing when it is fine.
std::optional<std::string> check_value(const Key& key, const KeyValue& value);
// "1 to 1024", "true or false", "one of "a", "b"".
std::string range_text(const KeyKind& kind);
// As a run file writes it: true, 12, 0.5, "mlp", ["a", "b"].
std::string value_text(const KeyValue& value);
// The same as a default in the list is equal to it.
bool is_default(const Key& key, const RunSpec& spec);

}  // namespace quadrille::node

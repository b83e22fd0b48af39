// How a row of the key table is made from the one field that it reads and writes. Only the files
// that hold rows include this.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/check.hpp"
#include "node/spec/run_keys.hpp"

// A macro so that a row stays readable: the field of a RunSpec, const or not.
#define FIELD(member) [](auto& spec) -> auto& { return spec.member; }

namespace quadrille::node {

std::vector<Key> algorithm_keys();  // run_keys_algorithm.cpp

inline constexpr WholeNumber count_or_zero{0, 1'000'000'000};

inline std::size_t index_in(std::span<const std::string_view> names, const KeyValue& value) {
  const auto at = std::ranges::find(names, std::get<std::string>(value));
  CHECK(at != names.end());
  return static_cast<std::size_t>(at - names.begin());
}

// 0.999F as 0.999 and not as 0.99900001287: the shortest decimal that reads back as the float.
inline double shortest_decimal(float value) {
  std::array<char, 32> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value);
  CHECK(error == std::errc{});
  double decimal = 0;
  std::from_chars(digits.data(), end, decimal);
  return decimal;
}

struct Said {
  std::string_view need;
  std::string_view meaning;
};

template <class Field>
Key whole(std::string_view path, Field, WholeNumber range, InId in_id, Said said,
          Condition condition = {}) {
  return {.path = path,
          .kind = range,
          .get = [](const RunSpec& spec) -> KeyValue { return std::uint64_t{Field{}(spec)}; },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                auto& field = Field{}(spec);
                field = static_cast<std::remove_reference_t<decltype(field)>>(
                    std::get<std::uint64_t>(value));
              },
          .in_id = in_id,
          .need = said.need,
          .meaning = said.meaning,
          .condition = condition};
}

template <class Field>
Key real(std::string_view path, Field, RealNumber range, Said said, Condition condition = {}) {
  return {.path = path,
          .kind = range,
          .get = [](const RunSpec& spec) -> KeyValue {
            const auto field = Field{}(spec);
            if constexpr (std::is_same_v<decltype(field), const float>)
              return shortest_decimal(field);
            else
              return field;
          },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                auto& field = Field{}(spec);
                field =
                    static_cast<std::remove_reference_t<decltype(field)>>(std::get<double>(value));
              },
          .in_id = InId::Yes,
          .need = said.need,
          .meaning = said.meaning,
          .condition = condition};
}

// An optional number whose absence, written as 0, is the value that the set was published with.
template <class Field>
Key published(std::string_view path, Field, std::string_view meaning, Condition condition) {
  return {.path = path,
          .kind = RealNumber{0, 1000},
          .get = [](const RunSpec& spec) -> KeyValue { return Field{}(spec).value_or(0); },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                const double number = std::get<double>(value);
                Field{}(spec) = number > 0 ? std::optional(number) : std::nullopt;
              },
          .in_id = InId::Yes,
          .need = {},
          .meaning = meaning,
          .condition = condition};
}

template <class Field>
Key flag(std::string_view path, Field, InId in_id, std::string_view meaning) {
  return {
      .path = path,
      .kind = Flag{},
      .get = [](const RunSpec& spec) -> KeyValue { return Field{}(spec); },
      .set = [](RunSpec& spec, const KeyValue& value) { Field{}(spec) = std::get<bool>(value); },
      .in_id = in_id,
      .need = {},
      .meaning = meaning};
}

// Of an enum whose values count from 0 in the order of the names, or of a string.
template <const auto& names, class Field>
Key choice(std::string_view path, Field, std::string_view meaning) {
  return {.path = path,
          .kind = Choice{names},
          .get = [](const RunSpec& spec) -> KeyValue {
            const auto field = Field{}(spec);
            if constexpr (std::is_enum_v<decltype(field)>)
              return std::string(names[static_cast<std::size_t>(field)]);
            else
              return field;
          },
          .set =
              [](RunSpec& spec, const KeyValue& value) {
                auto& field = Field{}(spec);
                using Type = std::remove_reference_t<decltype(field)>;
                if constexpr (std::is_enum_v<Type>)
                  field = static_cast<Type>(index_in(names, value));
                else
                  field = std::get<std::string>(value);
              },
          .in_id = InId::Yes,
          .need = {},
          .meaning = meaning};
}

template <class Field>
Key text(std::string_view path, Field, Text form, InId in_id, std::string_view meaning,
         Condition condition = {}) {
  return {.path = path,
          .kind = form,
          .get = [](const RunSpec& spec) -> KeyValue { return Field{}(spec); },
          .set = [](RunSpec& spec,
                    const KeyValue& value) { Field{}(spec) = std::get<std::string>(value); },
          .in_id = in_id,
          .need = {},
          .meaning = meaning,
          .condition = condition};
}

}  // namespace quadrille::node

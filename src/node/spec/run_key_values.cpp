// What the rows of the key table have in common: ranges,
// checks, the TOML of a value, names that are near.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/nearest.hpp"
#include "base/overloaded.hpp"
#include "node/spec/run_keys.hpp"

namespace quadrille::node {
namespace {

template <class Number>
std::string number_text(Number number) {
  std::array<char, 40> digits;
  const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc{} ? std::string(digits.data(), end) : std::string();
}

// A basic string of TOML.
std::string in_quotes(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out.append({'\\', c});
    } else if (byte < 0x20 || byte == 0x7F) {
      out.append({'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]});
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string listed(std::span<const std::string_view> names) {
  std::string out;
  for (const std::string_view name : names)
    out.append(out.empty() ? "" : ", ").append(in_quotes(name));
  return out;
}

std::string bounds(const auto& range) {
  return number_text(range.min) + " to " + number_text(range.max);
}

std::string need_text(const Key& key) {
  const std::string range = range_text(key.kind);
  const std::size_t place = key.need.find("{}");
  if (place == std::string_view::npos) return "it must be " + range;
  std::string text(key.need.substr(0, place));
  return text.append(range).append(key.need.substr(place + 2));
}

std::optional<std::string> check_choice(const Choice& choice, const std::string& name) {
  if (std::ranges::find(choice.names, name) != choice.names.end()) return std::nullopt;
  const auto near = nearest_name(name, choice.names);
  return (near ? "did you mean " + in_quotes(*near) + "? It" : std::string("it")) + " must be " +
         range_text(choice);
}

bool fits(const Text& form, std::string_view text) {
  return text.size() <= form.length_max && form.well_formed(text);
}

std::string_view last_part(std::string_view path) {
  return path.substr(path.rfind('.') + 1);
}

std::optional<std::string_view> first_key_named(std::string_view name) {
  for (const Key& key : run_keys()) {
    if (key.name() == name) return key.path;
  }
  return std::nullopt;
}

}  // namespace

std::string range_text(const KeyKind& kind) {
  return std::visit(
      Overloaded{
          [](const WholeNumber& range) { return bounds(range); },
          [](const RealNumber& range) { return bounds(range); },
          [](const Flag&) { return std::string("true or false"); },
          [](const Choice& choice) {
            return choice.names.size() == 1 ? in_quotes(choice.names[0])
                                            : "one of " + listed(choice.names);
          },
          [](const Text& text) {
            return std::string(text.form) + ", at most " + number_text(text.length_max);
          },
          [](const TextList& list) {
            return std::string(list.item.form) + ", at most " + number_text(list.count_max);
          },
      },
      kind);
}

std::string value_text(const KeyValue& value) {
  return std::visit(Overloaded{
                        [](bool flag) { return std::string(flag ? "true" : "false"); },
                        [](std::uint64_t number) { return number_text(number); },
                        [](double number) {
                          std::string text = number_text(number);
                          // TOML tells 2.0 from 2.
                          if (text.find_first_not_of("-0123456789") == std::string::npos)
                            text += ".0";
                          return text;
                        },
                        [](const std::string& text) { return in_quotes(text); },
                        [](const std::vector<std::string>& texts) {
                          const std::vector<std::string_view> views(texts.begin(), texts.end());
                          return "[" + listed(views) + "]";
                        },
                    },
                    value);
}

std::optional<std::string> check_value(const Key& key, const KeyValue& value) {
  const auto unless = [&](bool fine) {
    return fine ? std::nullopt : std::optional(need_text(key));
  };
  return std::visit(
      Overloaded{
          [&](const WholeNumber& range) {
            const auto number = std::get<std::uint64_t>(value);
            return unless(number >= range.min && number <= range.max);
          },
          [&](const RealNumber& range) {
            const double number = std::get<double>(value);
            return unless(std::isfinite(number) && number >= range.min && number <= range.max);
          },
          [&](const Flag&) { return unless(true); },
          [&](const Choice& choice) { return check_choice(choice, std::get<std::string>(value)); },
          [&](const Text& text) { return unless(fits(text, std::get<std::string>(value))); },
          [&](const TextList& list) {
            const auto& texts = std::get<std::vector<std::string>>(value);
            const auto wrong = std::ranges::find_if(
                texts, [&](const std::string& text) { return !fits(list.item, text); });
            if (wrong != texts.end() && list.item.slip != nullptr)
              if (const auto slip = list.item.slip(*wrong)) return slip;
            return unless(wrong == texts.end() && texts.size() <= list.count_max);
          },
      },
      key.kind);
}

bool is_default(const Key& key, const RunSpec& spec) {
  static const RunSpec defaults;
  return key.get(spec) == key.get(defaults);
}

const Key* find_key(std::string_view path) {
  const auto at = std::ranges::find(run_keys(), path, &Key::path);
  return at == run_keys().end() ? nullptr : &*at;
}

// "algorithm.rows" was meant to be "grid.rows", and "algorithm.adam.beta1" "algorithm.beta1".
std::optional<std::string_view> nearest_key(std::string_view unknown) {
  const std::string_view table = unknown.substr(0, unknown.find('.'));
  const std::string_view name = last_part(unknown);
  if (const auto elsewhere = first_key_named(name)) return elsewhere;
  std::vector<std::string_view> in_table;
  std::vector<std::string_view> anywhere;
  for (const Key& key : run_keys()) {
    anywhere.push_back(key.name());
    if (key.table() == table) in_table.push_back(key.name());
  }
  if (const auto near = nearest_name(name, in_table))
    return find_key(std::string(table) + "." + std::string(*near))->path;
  if (const auto near = nearest_name(name, anywhere)) return first_key_named(*near);
  return std::nullopt;
}

}  // namespace quadrille::node

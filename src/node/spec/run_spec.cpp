// From text to a checked spec. All errors of a file are
// collected, so that a person mends them in one go.
#include "node/spec/run_spec.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "base/nearest.hpp"
#include "node/spec/run_keys.hpp"
#include "node/spec/run_spec_checks.hpp"
#include "node/spec/run_toml.hpp"

namespace quadrille::node {
namespace {

// Longer values are cut in an error line.
constexpr std::size_t shown_length_max = 80;

std::string shortened(std::string text) {
  if (text.size() <= shown_length_max) return text;
  // Not within a UTF-8 sequence.
  std::size_t length = shown_length_max;
  while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  return text.substr(0, length) + "...";
}

bool is_plain(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '.' || letter == '_' || letter == '-';
}

// A path of the file as it may be shown: quoted as soon as it is not made of bare keys.
std::string shown_path(const std::string& path) {
  return shortened(std::ranges::all_of(path, is_plain) ? path : value_text(path));
}

struct Shown {
  std::string operator()(bool value) const { return value_text(value); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return value_text(value); }
  std::string operator()(const std::string& value) const { return shortened(value_text(value)); }
  std::string operator()(const std::vector<std::string>& value) const {
    return shortened(value_text(value));
  }
  std::string operator()(EmptyTable) const { return "a table"; }
  std::string operator()(TableArray) const { return "an array of tables"; }
  std::string operator()(const OtherToml& value) const { return value.what; }
};

std::string_view needed_type(const KeyKind& kind) {
  constexpr std::string_view names[] = {"a whole number", "a number",       "true or false",
                                        "text in quotes", "text in quotes", "a list of texts"};
  return names[kind.index()];
}

// The TOML value as the key's own type; none where the types differ. A number below zero is given
// as the largest there is, which no range holds.
std::optional<KeyValue> converted(const Key& key, const TomlValue& value) {
  if (std::holds_alternative<WholeNumber>(key.kind)) {
    const auto* number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) return std::nullopt;
    return *number < 0 ? ~std::uint64_t{0} : static_cast<std::uint64_t>(*number);
  }
  if (std::holds_alternative<RealNumber>(key.kind)) {
    if (const auto* number = std::get_if<double>(&value)) return *number;
    if (const auto* number = std::get_if<std::int64_t>(&value)) return static_cast<double>(*number);
    return std::nullopt;
  }
  if (std::holds_alternative<Flag>(key.kind)) {
    const auto* flag = std::get_if<bool>(&value);
    return flag == nullptr ? std::nullopt : std::optional<KeyValue>(*flag);
  }
  if (std::holds_alternative<TextList>(key.kind)) {
    const auto* texts = std::get_if<std::vector<std::string>>(&value);
    return texts == nullptr ? std::nullopt : std::optional<KeyValue>(*texts);
  }
  const auto* text = std::get_if<std::string>(&value);
  return text == nullptr ? std::nullopt : std::optional<KeyValue>(*text);
}

bool is_text(const Key& key) {
  return std::holds_alternative<Text>(key.kind) || std::holds_alternative<Choice>(key.kind);
}

bool is_table(std::string_view path) {
  return std::ranges::find(run_tables(), path, &KeyTable::name) != run_tables().end();
}

// One reading of a file and its overrides.
class Reading {
 public:
  explicit Reading(std::string file_name) : file_name_(std::move(file_name)) {}

  void take(const std::vector<Setting>& settings) {
    for (const Setting& setting : settings)
      take(setting.path, setting.value,
           {file_name_ + ":" + std::to_string(setting.line), setting.line});
    apply();
  }

  void take(std::span<const Override> overrides) {
    for (const Override& override : overrides) {
      if (override.origin == Override::Origin::Variable) ambient_.push_back(&override);
      take(override);
    }
    apply();
    for (const Override* override : ambient_) ignore_where_senseless(*override);
  }

  Result<RunSpec> finish() {
    if (errors_.empty()) check_whole();
    if (errors_.empty()) return with_origins();
    return failures(ErrorCode::Config, error_lines());
  }

 private:
  // Where a value was given; line 0: the file as a whole, or outside of it.
  struct Place {
    std::string where;
    std::uint32_t line = 0;
  };
  struct ErrorLine {
    std::uint32_t line;
    std::string text;
  };

  void error(const Place& place, const std::string& text) {
    errors_.push_back({place.line, place.where + ": " + text});
  }

  void take(const std::string& path, const TomlValue& value, const Place& place) {
    // Finding what each of a thousand unknown keys was meant to be would take long.
    if (errors_.size() >= run_file_errors_max) return void(++unread_count_);
    const Key* key = find_key(path);
    if (key == nullptr) {
      if (!std::holds_alternative<EmptyTable>(value) || !is_table(path))
        error(place, unknown(path, value));
      return;
    }
    const std::optional<KeyValue> own = converted(*key, value);
    const std::string is = path + " is " + std::visit(Shown{}, value) + "; ";
    if (!own) return error(place, is + "it must be " + std::string(needed_type(key->kind)) + ".");
    if (const auto lacks = check_value(*key, *own)) return error(place, is + *lacks + ".");
    pending_[key] = *own;
    places_[path] = place;
  }

  void take(const Override& override) {
    const Key* key = find_key(override.key);
    // Shells eat quotes, so a text needs none.
    if (key == nullptr) return take(override.key, TomlValue(override.value), {override.source});
    const bool bare = override.origin != Override::Origin::SetFlag ||
                      (is_text(*key) && !override.value.starts_with('"'));
    if (bare) return take(override.key, TomlValue(override.value), {override.source});
    const Result<TomlValue> value = read_toml_value(override.value);
    if (!value) {
      return error({override.source}, shown_path(override.key) + " is " +
                                          shortened(value_text(override.value)) + "; it must be " +
                                          std::string(needed_type(key->kind)) + ".");
    }
    take(override.key, *value, {override.source});
  }

  // In the table's order, so that a shorthand gives way to what it is short for.
  void apply() {
    for (const Key& key : run_keys()) {
      if (const auto value = pending_.find(&key); value != pending_.end())
        key.set(spec_, value->second);
    }
    pending_.clear();
  }

  // A variable of the environment is meant for whichever runs can use it.
  void ignore_where_senseless(const Override& override) {
    const Key* key = find_key(override.key);
    if (key == nullptr || key->applies(spec_)) return;
    key->set(spec_, key->get(RunSpec{}));
    places_.erase(override.key);
  }

  static std::string unknown_table(const std::string& path) {
    std::vector<std::string_view> names;
    for (const KeyTable& table : run_tables()) names.push_back(table.name);
    const auto near = nearest_name(path, names);
    return "[" + shown_path(path) + "] is not a table of a run file; " +
           (near ? "did you mean [" + std::string(*near) + "]?"
                 : "`peer check --keys` lists them.");
  }

  static std::string unknown(const std::string& path, const TomlValue& value) {
    const bool is_array = std::holds_alternative<TableArray>(value);
    if (is_array && is_table(path))
      return "[[" + path + "]] makes an array of tables; write [" + path + "], and once.";
    if (is_array || std::holds_alternative<EmptyTable>(value)) return unknown_table(path);
    const std::string is_no_key = shown_path(path) + " is not a key of a run file";
    if (is_table(path))
      return is_no_key + " but a table; write [" + path + "] and its keys below it.";
    if (const auto near = nearest_key(path))
      return is_no_key + "; did you mean " + std::string(*near) + "?";
    return is_no_key + "; `peer check --keys` lists them.";
  }

  RunSpec with_origins() {
    spec_.origins.file = file_name_;
    for (const auto& [key, place] : places_) spec_.origins.places.emplace(key, place.where);
    return std::move(spec_);
  }

  void check_whole() {
    if (spec_.model_auto) spec_.lipizzaner.model = auto_model(spec_);
    if (spec_.score_auto) spec_.lipizzaner.score = auto_score(spec_);
    const Place whole_file{file_name_};
    if (spec_.name.empty()) {
      error(whole_file,
            "run.name is missing; give the run one, e.g. name = \"first\" below [run].");
    }
    for (const Disagreement& found : disagreements(spec_)) {
      const auto place = places_.find(std::string(found.key));
      error(place == places_.end() ? whole_file : place->second, found.text);
    }
  }

  std::vector<std::string> error_lines() {
    std::ranges::stable_sort(errors_, {}, &ErrorLine::line);
    std::vector<std::string> lines;
    for (ErrorLine& line : errors_) lines.push_back(std::move(line.text));
    if (unread_count_ > 0)
      lines.push_back(file_name_ + ": " + std::to_string(unread_count_) +
                      " more settings were not looked at.");
    return lines;
  }

  std::string file_name_;
  RunSpec spec_;
  std::map<const Key*, KeyValue> pending_;
  std::map<std::string, Place> places_;  // of the last value of each key
  std::vector<const Override*> ambient_;
  std::vector<ErrorLine> errors_;
  std::size_t unread_count_ = 0;
};

}  // namespace

Result<RunSpec> parse_run_spec(std::string_view text, const std::string& file_name,
                               std::span<const Override> overrides) {
  if (text.size() > run_file_bytes_max) {
    return failure(ErrorCode::Config, file_name + ": longer than " +
                                          std::to_string(run_file_bytes_max) +
                                          " bytes; that is no run file.");
  }
  TRY(settings, read_toml(text, file_name));
  Reading reading(file_name);
  reading.take(settings);
  reading.take(overrides);
  return reading.finish();
}

}  // namespace quadrille::node

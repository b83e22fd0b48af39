#include "node/cli/command_line_words.hpp"

#include <algorithm>
#include <deque>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "base/nearest.hpp"
#include "base/option_words.hpp"
#include "node/cli/command_line_values.hpp"

namespace quadrille::node {
namespace {

constexpr const char* other_group = "General";
constexpr const char* see_help = "; see --help.";

// --help without the library's own headings: usage, description, the flags by group, examples.
class PlainFormatter : public CLI::Formatter {
 public:
  explicit PlainFormatter(std::string usage_line) : usage_line_(std::move(usage_line)) {
    column_width(28);
  }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const override {
    std::string text = "Usage: " + usage_line_ + "\n\n" + app->get_description() + "\n";
    std::vector<std::string> groups = app->get_groups();
    std::ranges::stable_partition(groups, [](const auto& name) { return name != other_group; });
    for (const std::string& name : groups) {
      const auto options = app->get_options([&](const CLI::Option* option) {
        return option->get_group() == name && option->nonpositional();
      });
      if (!name.empty() && !options.empty()) text += make_group(name, false, options);
    }
    return text + app->get_footer();
  }

 private:
  std::string usage_line_;
};

struct Value {
  MaybeGiven& to;
  std::string text;
  CLI::Option* option;
  std::string variable;

  void take(const Environment& environment) {
    if (option->count() > 0) {
      to = Given{text, option->get_name()};
    } else if (const auto at = environment.find(variable); at != environment.end()) {
      if (!at->second.empty()) to = Given{at->second, at->first};
    }
  }
};

Failure complain(const CLI::App& app, const std::vector<std::string>& unknown) {
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word[0] == '-'; };
  const auto flag = std::ranges::find_if(unknown, is_flag);
  if (flag == unknown.end())
    return usage("\"" + unknown.front() + "\" is one word too many" + see_help);
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string word = flag->substr(0, flag->find('='));
  const auto near = nearest_name(word, known);
  return usage(word + " is not a flag here; " +
               (near ? "did you mean " + std::string(*near) + "?" : "see --help."));
}

// The library gives "--out=" the next word, and "--out --resume" a value that is none.
Result<void> check_values(std::span<const std::string> arguments, const std::deque<Value>& values) {
  if (const auto problem = option_without_value(arguments)) return usage(*problem + see_help);
  for (const Value& value : values)
    if (value.text.starts_with("--"))
      return usage(value.option->get_name() + " is followed by " + value.text +
                   ", and needs a value" + see_help);
  return {};
}

}  // namespace

struct Words::Declared {
  CLI::App app;
  std::string group = other_group;
  std::deque<Value> values;  // the library keeps references to them
};

Words::Words(const std::string& usage_line, std::string_view description, std::string_view end)
    : declared_(std::make_unique<Declared>()) {
  CLI::App& app = declared_->app;
  app.description(std::string(description));
  app.footer(std::string(end));
  app.formatter(std::make_shared<PlainFormatter>(usage_line));
  app.set_help_flag("-h,--help", "Print this and leave")->group(other_group);
  app.allow_extras();  // parse() tells them from known words
}

Words::~Words() = default;

void Words::positional(std::string& to) {
  const std::size_t place = declared_->app.get_options().size();
  declared_->app.add_option("word" + std::to_string(place), to)->group("");
}

void Words::group(std::string name) {
  declared_->group = std::move(name);
}

void Words::flag(bool& to, const std::string& name, const std::string& meaning) {
  declared_->app.add_flag(name, to, meaning)->disable_flag_override()->group(declared_->group);
}

void Words::option(MaybeGiven& to, const FlagText& text, std::string_view variable) {
  Value& value = declared_->values.emplace_back(Value{to, {}, nullptr, std::string(variable)});
  value.option = declared_->app.add_option(text.names, value.text, text.meaning)
                     ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast)
                     ->option_text(text.value)
                     ->group(declared_->group);
}

void Words::repeated(std::vector<std::string>& to, const FlagText& text) {
  declared_->app.add_option(text.names, to, text.meaning)
      ->allow_extra_args(false)
      ->option_text(text.value)
      ->group(declared_->group);
}

Result<std::optional<std::string>> Words::parse(std::span<const std::string> arguments,
                                                const Environment& environment) {
  CLI::App& app = declared_->app;
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::ArgumentMismatch& error) {
    return usage(told_of_mismatch(error.what()) + see_help);
  } catch (const CLI::ParseError& error) {
    return usage(error.what() + std::string(see_help));
  }
  if (const auto unknown = app.remaining(); !unknown.empty()) return complain(app, unknown);
  TRY_VOID(check_values(arguments, declared_->values));
  for (Value& value : declared_->values) value.take(environment);
  return std::nullopt;
}

}  // namespace quadrille::node

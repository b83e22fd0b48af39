// peer RUN.toml [flags]: what is typed most, and where every misspelt verb ends up.
#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/nearest.hpp"
#include "node/cli/command_line_shared.hpp"
#include "node/cli/command_line_text.hpp"
#include "node/cli/command_line_values.hpp"
#include "node/cli/command_line_verbs.hpp"
#include "node/spec/run_keys.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

// Of the design, and not in this version.
constexpr std::array later_verbs{"export"sv, "status"sv, "keygen"sv, "devices"sv};
constexpr std::array later_flags{"--seed"sv,     "--seed-file"sv, "--listen"sv,  "--advertise"sv,
                                 "--key-file"sv, "--metrics"sv,   "--insecure"sv};

// What is typed where other programs have a verb for it: training has none here.
constexpr std::array training_verbs{"train"sv, "run"sv, "start"sv, "resume"sv};

bool is_flag(const std::string& word) {
  return word.starts_with('-');
}

// A misspelt verb reads as the name of a run file.
Result<void> check_first_word(Arguments arguments) {
  const std::string& word = arguments.front();
  std::error_code error;
  if (is_flag(word) || fs::exists(word, error)) return {};
  if (std::ranges::find(later_verbs, word) != later_verbs.end())
    return usage("peer " + word + " comes with a later version; see `peer --help`.");
  if (word.find_first_of("-./") != std::string::npos) return {};
  const std::string is_neither = word + " is neither a verb nor a file; ";
  if (const auto near = nearest_name(word, verbs))
    return usage(is_neither + "did you mean peer " + std::string(*near) + "?");
  const bool alone = arguments.size() < 2 || is_flag(arguments[1]);
  if (nearest_name(word, training_verbs))
    return usage(is_neither + "training has no verb: did you mean peer " +
                 (alone ? "RUN.toml" : arguments[1]) + "?");
  // Alone it may be the name of a run file, which is looked for.
  if (!alone) return usage(is_neither + "`peer --help` has the verbs.");
  return {};
}

Result<void> refuse_network_flags(Arguments arguments) {
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (std::ranges::find(later_flags, flag) != later_flags.end()) {
      return usage(flag +
                   ": joining a run over the network comes with a later version; this one "
                   "trains the whole grid on one machine: peer RUN.toml");
    }
  }
  return {};
}

// It becomes a part of a path, as run.name does.
Result<void> check_peer_name(const Given& name) {
  const auto lacks = check_value(*find_key("run.name"), KeyValue(name.value));
  if (!lacks) return {};
  return usage(name.source + " is " + value_text(KeyValue(name.value)) + "; " + *lacks + ".");
}

// As text, until the words are parsed.
struct TrainWords {
  bool resume = false;
  bool version = false;
  std::string run_file;
  MaybeGiven data, out, name;
  std::vector<std::string> sets;
  WorkWords work;

  void declare(Words& words) {
    words.positional(run_file);
    words.group("The run");
    declare_set(words, sets);
    declare_data(words, data);
    words.option(out, {"--out", "DIR", "This peer's directory (runs/RUN/peer-NAME)"},
                 "QUADRILLE_OUT");
    words.option(name, {"--name", "NAME", "This peer's name, unique on its host"},
                 "QUADRILLE_NAME");
    words.flag(resume, "--resume", "Go on from the newest checkpoint in the directory");
    work.declare(words);
    words.group("General");
    words.flag(version, "--version", "Print the version and leave");
  }

  Result<TrainCommand> read() const {
    if (run_file.empty())
      return usage("no run file; start one with peer RUN.toml, or see `peer --help`.");
    TRY(flags, work.read());
    TRY(overrides, overrides_of(data, sets));
    TRY(out_path, maybe_path(out));
    if (name) TRY_VOID(check_peer_name(*name));
    return TrainCommand{.run_file = run_file,
                        .out = out_path,
                        .name = name ? std::optional(name->value) : std::nullopt,
                        .resume = resume,
                        .work = flags,
                        .overrides = std::move(overrides)};
  }
};

}  // namespace

Result<Command> parse_train(Arguments arguments, const Environment& environment) {
  TRY_VOID(refuse_network_flags(arguments));
  if (!arguments.empty()) TRY_VOID(check_first_word(arguments));
  TrainWords typed;
  Words words("peer RUN.toml [flags]", help::overview, help::overview_end);
  typed.declare(words);
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  if (typed.version) return PrintCommand{"peer " QUADRILLE_VERSION "\n"};
  TRY(command, typed.read());
  return command;
}

}  // namespace quadrille::node

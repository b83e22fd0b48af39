// One function for each verb: its words, their ranges, and the struct that comes of them.
#include "node/cli/command_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <system_error>

#include "base/nearest.hpp"
#include "nn/models.hpp"
#include "node/cli/command_line_text.hpp"
#include "node/spec/run_keys.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;
using std::string_view_literals::operator""sv;

constexpr std::array verbs{"sample"sv, "evaluate"sv, "data"sv, "check"sv, "extend"sv, "bench"sv};
// Of the design, and not in this version.
constexpr std::array later_verbs{"export"sv, "status"sv, "keygen"sv, "devices"sv};
constexpr std::array later_flags{"--seed"sv,     "--seed-file"sv, "--listen"sv,  "--advertise"sv,
                                 "--key-file"sv, "--metrics"sv,   "--insecure"sv};
constexpr std::array variables{"QUADRILLE_DATA"sv,     "QUADRILLE_OUT"sv,   "QUADRILLE_NAME"sv,
                               "QUADRILLE_THREADS"sv,  "QUADRILLE_CELLS"sv, "QUADRILLE_DEVICE"sv,
                               "QUADRILLE_LOG_LEVEL"sv};

constexpr std::array devices{"auto"sv, "cpu"sv};
constexpr std::array log_levels{"trace"sv, "debug"sv, "info"sv, "warning"sv, "error"sv, "off"sv};
constexpr std::array bench_kinds{"step"sv, "gemm"sv, "peak"sv};

Failure usage(const std::string& text) {
  return failure(ErrorCode::Usage, text);
}

std::string in_quotes(std::string_view text) {
  return "\"" + std::string(text) + "\"";
}

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

Result<std::size_t> one_of(const MaybeGiven& given, std::span<const std::string_view> names,
                           std::size_t usual) {
  if (!given) return usual;
  const auto at = std::ranges::find(names, given->value);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  std::string known;
  for (const std::string_view name : names) known.append(known.empty() ? "" : ", ").append(name);
  const auto near = nearest_name(given->value, names);
  return usage(given->source + " is " + in_quotes(given->value) + "; " +
               (near ? "did you mean " + std::string(*near) + "? It" : "it") + " must be one of " +
               known + ".");
}

// What several verbs take, as text.
struct WorkWords {
  MaybeGiven threads, cells, device, log_level;

  void declare(Words& words) {
    words.group("How to work");
    words.option(threads, {"--threads", "N", "Threads to compute with (one for each core)"},
                 "QUADRILLE_THREADS");
    words.option(cells, {"--cells", "auto|N", "Cells to hold; the others of the grid wait (auto)"},
                 "QUADRILLE_CELLS");
    words.option(device, {"--device", "auto|cpu", "What to compute on (auto)"}, "QUADRILLE_DEVICE");
    words.option(log_level,
                 {"--log-level", "LEVEL", "trace, debug, info, warning, error or off (info)"},
                 "QUADRILLE_LOG_LEVEL");
  }

  Result<WorkFlags> read() const {
    WorkFlags flags;
    TRY(thread_count, maybe_number<std::uint32_t>(threads, {1, thread_count_max}));
    TRY(device_index, one_of(device, devices, 0));
    TRY(level, one_of(log_level, log_levels, static_cast<std::size_t>(LogLevel::Info)));
    flags.threads = thread_count;
    flags.device = static_cast<Device>(device_index);
    flags.log_level = static_cast<LogLevel>(level);
    if (cells && cells->value != "auto") {
      TRY(count, maybe_number<std::uint32_t>(cells, {1, cell_count_max}));
      flags.cells = count;
    }
    return flags;
  }
};

Result<std::optional<fs::path>> maybe_path(const MaybeGiven& given) {
  if (!given) return std::nullopt;
  if (given->value.empty()) return usage(given->source + " is empty; give a directory.");
  return std::optional(fs::path(given->value));
}

void declare_data(Words& words, MaybeGiven& data) {
  words.option(data, {"--data", "DIR", "Where the data set's files are"}, "QUADRILLE_DATA");
}

void declare_set(Words& words, std::vector<std::string>& sets) {
  words.repeated(sets, {"--set", "KEY=VALUE", "Change a key of the run file: --set grid.rows=3"});
}

Result<std::vector<Override>> overrides_of(const MaybeGiven& data,
                                           const std::vector<std::string>& sets) {
  std::vector<Override> overrides;
  if (data) {
    const bool ambient = !data->source.starts_with("-");
    overrides.push_back({.key = "data.path",
                         .value = data->value,
                         .origin = ambient ? Override::Origin::Variable : Override::Origin::Flag,
                         .source = data->source});
  }
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    if (equals == std::string::npos || equals == 0)
      return usage("--set " + set + ": needs KEY=VALUE, e.g. --set grid.rows=3.");
    overrides.push_back({.key = set.substr(0, equals), .value = set.substr(equals + 1)});
  }
  return overrides;
}

Result<void> require(const std::string& word, const std::string& verb, const std::string& what) {
  if (!word.empty()) return {};
  return usage("peer " + verb + " needs " + what + "; see `peer " + verb + " --help`.");
}

using Arguments = std::span<const std::string>;

// A misspelt verb reads as the name of a run file.
Result<void> check_first_word(const std::string& word) {
  std::error_code error;
  if (fs::exists(word, error)) return {};
  if (std::ranges::find(later_verbs, word) != later_verbs.end())
    return usage("peer " + word + " comes with a later version; see `peer --help`.");
  const auto near = nearest_name(word, verbs);
  if (near && word.find_first_of("-./") == std::string::npos)
    return usage(word + " is neither a verb nor a file; did you mean peer " + std::string(*near) +
                 "?");
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

Result<Command> parse_train(Arguments arguments, const Environment& environment) {
  TRY_VOID(refuse_network_flags(arguments));
  if (!arguments.empty()) TRY_VOID(check_first_word(arguments.front()));
  TrainCommand command;
  bool version = false;
  std::string run_file;
  MaybeGiven data, out, name;
  std::vector<std::string> sets;
  WorkWords work;
  Words words("peer RUN.toml [flags]", help::overview, help::overview_end);
  words.positional(run_file);
  words.group("The run");
  declare_set(words, sets);
  declare_data(words, data);
  words.option(out, {"--out", "DIR", "This peer's directory (runs/RUN/peer-NAME)"},
               "QUADRILLE_OUT");
  words.option(name, {"--name", "NAME", "This peer's name, unique on its host"}, "QUADRILLE_NAME");
  words.flag(command.resume, "--resume", "Go on from the newest checkpoint in the directory");
  work.declare(words);
  words.group("General");
  words.flag(version, "--version", "Print the version and leave");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  if (version) return PrintCommand{"peer " QUADRILLE_VERSION "\n"};
  if (run_file.empty())
    return usage("no run file; start one with peer RUN.toml, or see `peer --help`.");
  TRY(flags, work.read());
  TRY(overrides, overrides_of(data, sets));
  TRY(out_path, maybe_path(out));
  command.run_file = run_file;
  command.out = out_path;
  if (name) TRY_VOID(check_peer_name(*name));
  if (name) command.name = name->value;
  command.work = flags;
  command.overrides = std::move(overrides);
  return command;
}

Result<Command> parse_sample(Arguments arguments, const Environment& environment) {
  SampleCommand command;
  std::string directory;
  MaybeGiven count, output, data;
  Words words("peer sample RUNDIR [flags]", "Draw images from the best mixture of a run.",
              help::sample);
  words.positional(directory);
  words.option(count, {"-n,--count", "N", "Images (64)"});
  words.option(output, {"-o,--output", "FILE", "The PNG to write (samples.png)"});
  declare_data(words, data);
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(directory, "sample", "the directory of a run"));
  TRY(images, number<std::size_t>(count, {1, 10'000}, command.count));
  command.run_directory = directory;
  command.count = images;
  TRY(output_path, maybe_path(output));
  TRY(data_path, maybe_path(data));
  if (output_path) command.output = *output_path;
  command.data = data_path;
  return command;
}

Result<Command> parse_evaluate(Arguments arguments, const Environment& environment) {
  EvaluateCommand command;
  std::string directory;
  MaybeGiven count, data, threads;
  Words words("peer evaluate RUNDIR [flags]", "Measure how good a run's images are.",
              help::evaluate);
  words.positional(directory);
  words.option(count, {"-n,--count", "N", "Samples to measure on (10000)"});
  declare_data(words, data);
  words.option(threads, {"--threads", "N", "Threads to compute with (one for each core)"},
               "QUADRILLE_THREADS");
  words.flag(command.json, "--json", "One JSON object on standard output");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(directory, "evaluate", "the directory of a run"));
  TRY(samples, number<std::size_t>(count, {1, 1'000'000}, command.count));
  TRY(data_path, maybe_path(data));
  TRY(thread_count, maybe_number<std::uint32_t>(threads, {1, thread_count_max}));
  command.run_directory = directory;
  command.count = samples;
  command.data = data_path;
  command.threads = thread_count;
  return command;
}

Result<Command> parse_data(Arguments arguments, const Environment& environment) {
  DataCheckCommand command;
  Words words("peer data check DIR [--json]",
              "What a data set holds, and what is wrong with it, before hours are spent.",
              help::data_check);
  std::string check;
  words.positional(check);
  words.positional(command.set);
  words.flag(command.json, "--json", "One JSON object on standard output");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  if (check != "check") return usage("peer data has one verb: peer data check DIR");
  TRY_VOID(require(command.set, "data check", "a directory, or the name of a set"));
  return command;
}

Result<Command> parse_check(Arguments arguments, const Environment& environment) {
  CheckCommand command;
  std::string run_file;
  MaybeGiven data;
  std::vector<std::string> sets;
  bool keys = false;
  Words words("peer check RUN.toml [flags]", "Check a run file and print it with every default.",
              help::check);
  words.positional(run_file);
  declare_set(words, sets);
  declare_data(words, data);
  words.flag(keys, "--keys", "Print what every key of a run file means");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  if (keys) return KeysCommand{};
  TRY_VOID(require(run_file, "check", "a run file"));
  TRY(overrides, overrides_of(data, sets));
  command.run_file = run_file;
  command.overrides = std::move(overrides);
  return command;
}

Result<Command> parse_extend(Arguments arguments, const Environment& environment) {
  ExtendCommand command;
  std::string directory;
  MaybeGiven generations, data;
  WorkWords work;
  Words words("peer extend RUNDIR --generations N [flags]",
              "Train N generations more than the run has.", help::extend);
  words.positional(directory);
  words.group("The run");
  words.option(generations, {"-g,--generations", "N", "Generations to add"});
  declare_data(words, data);
  work.declare(words);
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(directory, "extend", "the directory of a run"));
  if (!generations) return usage("peer extend needs --generations N, how many to add.");
  TRY(more, number<std::uint64_t>(generations, {1, 1'000'000'000}, 0));
  TRY(flags, work.read());
  TRY(data_path, maybe_path(data));
  command.run_directory = directory;
  command.generations = more;
  command.data = data_path;
  command.work = flags;
  return command;
}

Result<Command> parse_bench(Arguments arguments, const Environment& environment) {
  BenchCommand command;
  std::string kind;
  MaybeGiven model, batch, threads, seconds;
  Words words("peer bench step|gemm|peak [flags]", "How fast this machine computes.", help::bench);
  words.positional(kind);
  words.option(model, {"--model", "NAME", "The pair of networks (mlp)"});
  words.option(batch, {"--batch", "N", "Rows of a mini-batch (100)"});
  words.option(threads, {"--threads", "N", "Threads to compute with (1)"});
  words.option(seconds, {"--seconds", "S", "How long to measure (2)"});
  words.flag(command.json, "--json", "One JSON object on standard output");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(kind, "bench", "what to measure: step, gemm or peak"));
  TRY(kind_index, one_of(Given{kind, "what to measure"}, bench_kinds, 0));
  TRY(model_index, one_of(model, nn::model_names(), 0));
  TRY(rows, number<std::size_t>(batch, {1, 65'536}, command.batch));
  TRY(thread_count, number<std::uint32_t>(threads, {1, thread_count_max}, command.threads));
  TRY(duration, number<double>(seconds, {0.01, 3600}, command.seconds));
  command.kind = static_cast<BenchCommand::Kind>(kind_index);
  command.model = nn::model_names()[model_index];
  command.batch = rows;
  command.threads = thread_count;
  command.seconds = duration;
  return command;
}

// A variable that nearly has one of our names is a
// slip; others with our prefix may be somebody else's.
Result<void> check_environment(const Environment& environment) {
  for (const auto& [name, value] : environment) {
    if (std::ranges::find(variables, name) != variables.end()) continue;
    if (const auto near = nearest_name(name, variables))
      return usage(name + " is not a variable of peer; did you mean " + std::string(*near) + "?");
  }
  return {};
}

using Parser = Result<Command> (*)(Arguments, const Environment&);
// In the order of `verbs`.
constexpr std::array<Parser, verbs.size()> parsers{parse_sample, parse_evaluate, parse_data,
                                                   parse_check,  parse_extend,   parse_bench};

}  // namespace

Environment quadrille_environment(const char* const* variables_of_process) {
  Environment environment;
  for (; *variables_of_process != nullptr; ++variables_of_process) {
    const std::string_view text = *variables_of_process;
    const std::size_t equals = text.find('=');
    if (!text.starts_with("QUADRILLE_") || equals == std::string_view::npos) continue;
    environment.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return environment;
}

Result<Command> parse_command_line(Arguments arguments, const Environment& environment) {
  TRY_VOID(check_environment(environment));
  if (arguments.empty()) return parse_train(arguments, environment);
  const auto verb = std::ranges::find(verbs, arguments.front());
  if (verb == verbs.end()) return parse_train(arguments, environment);
  return parsers[static_cast<std::size_t>(verb - verbs.begin())](arguments.subspan(1), environment);
}

}  // namespace quadrille::node

#include "node/cli/command_line_verbs.hpp"

#include <cstdint>
#include <filesystem>
#include <vector>

#include "nn/models.hpp"
#include "node/cli/command_line_shared.hpp"
#include "node/cli/command_line_text.hpp"
#include "node/cli/command_line_values.hpp"

namespace quadrille::node {
namespace {

using std::string_view_literals::operator""sv;

constexpr std::array bench_kinds{"step"sv, "gemm"sv, "peak"sv};

// Whoever asks for x.jpg would get a PNG of that name.
Result<void> require_png(const Given& output) {
  std::string extension = std::filesystem::path(output.value).extension().string();
  for (char& letter : extension)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  if (extension == ".png") return {};
  return usage(output.source + " is " + in_quotes(output.value) +
               "; a PNG is written: give a name that ends in .png.");
}

}  // namespace

Result<Command> parse_sample(Arguments arguments, const Environment& environment) {
  SampleCommand command;
  std::string directory;
  MaybeGiven count, output, data, threads;
  Words words("peer sample RUNDIR [flags]", "Draw images from the best mixture of a run.",
              help::sample);
  words.positional(directory);
  words.option(count, {"-n,--count", "N", "Images (64)"});
  words.option(output, {"-o,--output", "FILE", "The PNG to write (samples.png)"});
  words.flag(command.force, "--force", "Write over FILE if it is a sheet already");
  declare_data(words, data);
  declare_threads(words, threads);
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(directory, "sample", "the directory of a run"));
  TRY(images, number<std::size_t>(count, {1, 10'000}, command.count));
  command.run_directory = directory;
  command.count = images;
  TRY(output_path, maybe_path(output));
  if (output_path) TRY_VOID(require_png(*output));
  TRY(overrides, overrides_of(data, {}));
  TRY(thread_count, maybe_number<std::uint32_t>(threads, {1, thread_count_max}));
  if (output_path) command.output = *output_path;
  command.threads = thread_count;
  command.overrides = std::move(overrides);
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
  declare_threads(words, threads);
  words.flag(command.json, "--json", "One JSON object on standard output");
  TRY(help_text, words.parse(arguments, environment));
  if (help_text) return PrintCommand{*help_text};
  TRY_VOID(require(directory, "evaluate", "the directory of a run"));
  TRY(samples, number<std::size_t>(count, {1, 1'000'000}, command.count));
  TRY(overrides, overrides_of(data, {}));
  TRY(thread_count, maybe_number<std::uint32_t>(threads, {1, thread_count_max}));
  command.run_directory = directory;
  command.count = samples;
  command.threads = thread_count;
  command.overrides = std::move(overrides);
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
  TRY(overrides, overrides_of(data, {}));
  command.run_directory = directory;
  command.generations = more;
  command.work = flags;
  command.overrides = std::move(overrides);
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

}  // namespace quadrille::node

// peer sample and peer evaluate: what a finished or interrupted run has made.
#include <cmath>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "node/cli/commands.hpp"
#include "node/run/checkpoint.hpp"
#include "node/run/printable.hpp"
#include "node/run/run_directory.hpp"
#include "node/run/sample_picture.hpp"
#include "node/run/session.hpp"
#include "node/run/standing.hpp"
#include "node/spec/run_data.hpp"
#include "node/spec/run_spec.hpp"
#include "train/score/evaluation.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

// A run as its newest checkpoint holds it.
struct SavedRun {
  std::unique_ptr<Session> session;
  std::uint64_t generation;
  CellIndex best_cell;
};

Result<SavedRun> open_saved_run(const fs::path& path, std::optional<std::uint32_t> threads,
                                std::span<const Override> overrides) {
  TRY(directory, RunDirectory::look(path));
  TRY(spec, directory.spec(overrides));
  const auto generation = newest_generation(directory.checkpoints());
  if (!generation)
    return failure(ErrorCode::NotFound, directory.path().string() +
                                            ": there is no checkpoint yet: let it train for at "
                                            "least one generation");
  const SayFn say = [](const std::string& line) {
    std::fprintf(stderr, "%s\n", printable(line).c_str());
  };
  std::vector<CheckpointedCell> cells;
  const CheckFn check = [&](const RunSpec& fitted, const data::Dataset& dataset) -> Result<void> {
    TRY(saved, directory.checkpoint_store(fitted, dataset).read(*generation));
    cells = std::move(saved);
    return {};
  };
  TRY(session, Session::make(std::move(spec), {.threads = threads, .say = say, .check = check}));
  std::map<CellIndex, Standing> standings;
  const CheckpointStore store = directory.checkpoint_store(session->spec(), session->dataset());
  for (const CheckpointedCell& cell : cells) {
    const auto started = session->learner().start(cell.cell, peer::Restored{cell.state});
    if (!started) return store.unusable(*generation, cell.cell, started.error());
    standings[cell.cell] = standing_of(cell.state);
  }
  return SavedRun{std::move(session), *generation, best_cell(standings)};
}

// Is there, and is neither a PNG nor an empty file.
bool is_no_sheet(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return fs::exists(path, error);
  if (fs::file_size(path, error) == 0) return false;
  constexpr std::string_view magic("\x89PNG\r\n\x1a\n", 8);
  std::string begin(magic.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
  return begin != magic;
}

// A slip of the -o must not cost a run, nor any other file. Only a sheet is written over, and only
// when that was asked for.
Result<void> check_output(const SampleCommand& command) {
  TRY(directory, RunDirectory::look(command.run_directory));
  std::error_code error;
  const fs::path output = fs::weakly_canonical(command.output, error);
  const auto is_in = [&](const fs::path& place) {
    const fs::path from = output.lexically_relative(fs::weakly_canonical(place, error));
    return !from.empty() && *from.begin() != "..";
  };
  if (is_in(directory.path()) && !is_in(directory.samples()))
    return failure(ErrorCode::Mismatch, command.output.string() +
                                            ": is a place of the run itself: write to " +
                                            directory.samples().string() + ", or elsewhere");
  if (!fs::exists(fs::symlink_status(command.output, error))) return {};
  if (fs::is_directory(output, error))
    return failure(ErrorCode::Mismatch,
                   command.output.string() + ": is a directory: give the name of a file in it");
  if (is_no_sheet(output))
    return failure(ErrorCode::Mismatch, command.output.string() +
                                            ": is there already and is no PNG: remove it first, or "
                                            "give another -o");
  if (command.force) return {};
  return failure(ErrorCode::Mismatch, command.output.string() +
                                          ": is there already: add --force to write over it, or "
                                          "give another -o");
}

}  // namespace

Result<ExitCode> run_command(const SampleCommand& command) {
  TRY_VOID(check_output(command));
  TRY(run, open_saved_run(command.run_directory, command.threads, command.overrides));
  const data::Dataset& dataset = run.session->dataset();
  const std::vector<float> samples = run.session->learner().samples(run.best_cell, command.count);
  TRY_VOID(write_samples(command.output, samples, command.count, dataset));
  std::printf("samples: %s (%zu of generation %llu, cell %u)\n",
              printable(command.output.string()).c_str(), command.count,
              static_cast<unsigned long long>(run.generation), run.best_cell.value);
  return ExitCode::Done;
}

Result<ExitCode> run_command(const EvaluateCommand& command) {
  TRY(run, open_saved_run(command.run_directory, command.threads, command.overrides));
  const std::vector<float> samples = run.session->learner().samples(run.best_cell, command.count);
  TRY(sources, run.session->sources());
  TRY(evaluation, train::evaluate_samples(sources, samples, command.count));
  const data::Dataset& dataset = run.session->dataset();
  if (evaluation.figures.empty())
    if (const auto why = unclassifiable(dataset))
      evaluation.refusals = {dataset.name + " " + *why + ": no figure can be measured"};
  if (!command.json) {
    std::printf("%s, generation %llu, cell %u\n%s", run.session->spec().name.c_str(),
                static_cast<unsigned long long>(run.generation), run.best_cell.value,
                train::report(evaluation.figures).c_str());
    for (const std::string& refusal : evaluation.refusals) std::printf("%s\n", refusal.c_str());
    return ExitCode::Done;
  }
  nlohmann::ordered_json json{{"run", run.session->spec().name},
                              {"generation", run.generation},
                              {"cell", run.best_cell.value},
                              {"figures", nlohmann::ordered_json::array()},
                              {"refusals", evaluation.refusals}};
  for (const train::Figure& figure : evaluation.figures)
    json["figures"].push_back(
        {{"name", figure.name},
         {"value", std::isfinite(figure.value) ? nlohmann::ordered_json(figure.value)
                                               : nlohmann::ordered_json()},
         {"features", figure.features},
         {"n", figure.n}});
  std::printf("%s\n",
              json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  return ExitCode::Done;
}

}  // namespace quadrille::node

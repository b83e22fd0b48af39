// peer RUN.toml and peer extend RUNDIR: a run from where it stands to its end.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/amount_text.hpp"
#include "base/count_text.hpp"
#include "node/cli/commands.hpp"
#include "node/run/available_memory.hpp"
#include "node/run/clock.hpp"
#include "node/run/held_cells.hpp"
#include "node/run/local_exchange.hpp"
#include "node/run/printable.hpp"
#include "node/run/progress.hpp"
#include "node/run/run_directory.hpp"
#include "node/run/session.hpp"
#include "node/run/stop_signal.hpp"
#include "node/run/training_run.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {
namespace {

namespace fs = std::filesystem;

std::string go_on_text(const std::string& directory) {
  return "go on with: peer " + directory + "/run.toml --out " + directory + " --resume";
}

// A run that is asked for fewer generations than it has is left as it is; it may have been extended
// since, and stopped before it had those.
void say_done_before(const RunOutcome& outcome, const RunDirectory& directory,
                     std::uint64_t generations) {
  const std::string path = printable(directory.path().string());
  std::printf("done before: %s", count_text(outcome.generation, "generation").c_str());
  if (outcome.generation > generations)
    std::printf(", and run.generations is %llu: nothing was trained, and nothing taken back",
                static_cast<unsigned long long>(generations));
  const auto kept = directory.spec();
  if (kept && kept->run.generations > outcome.generation)
    std::printf("; it was to have %llu, %s\n",
                static_cast<unsigned long long>(kept->run.generations), go_on_text(path).c_str());
  else
    std::printf("; train more with: peer extend %s -g N\n", path.c_str());
}

void say_outcome(const RunOutcome& outcome, const RunDirectory& directory,
                 std::uint64_t generations) {
  const std::string path = printable(directory.path().string());
  if (outcome.ending == Ending::DoneBefore) return say_done_before(outcome, directory, generations);
  const std::string samples =
      outcome.sheet.empty() ? "" : "samples: " + printable(outcome.sheet.string()) + "\n";
  if (outcome.ending == Ending::Stopped) {
    std::printf("stopped at generation %llu of %llu; %s\n%s",
                static_cast<unsigned long long>(outcome.generation),
                static_cast<unsigned long long>(generations), go_on_text(path).c_str(),
                samples.c_str());
    return;
  }
  std::printf("done: %s in %s", count_text(outcome.generation, "generation").c_str(),
              duration_text(outcome.seconds).c_str());
  if (outcome.best_score) std::printf(", score %.4g", *outcome.best_score);
  std::printf(" (cell %u), %s\nrun: %s\n%s", outcome.best_cell.value, outcome.verdict.c_str(),
              path.c_str(), samples.c_str());
}

struct Work {
  RunSpec spec;
  fs::path directory;
  bool resume;
  WorkFlags flags;
};

std::size_t float_count(const peer::Learner& learner) {
  std::size_t count = 0;
  for (const peer::Section& section : learner.sections()) count += section.float_count;
  return count;
}

struct Prepared {
  std::unique_ptr<Session> session;
  HeldCells held;
};

// The run brought to life. Whatever can be refused is refused before a classifier is trained, but
// for another classifier than the run's.
Result<Prepared> prepare(const Work& work, const RunDirectory& directory, const SayFn& say) {
  HeldCells held;
  const CheckFn check = [&](const RunSpec& spec, const data::Dataset& dataset) -> Result<void> {
    const CheckpointStore store = directory.checkpoint_store(spec, dataset);
    const auto generation = store.newest();
    CellsWanted wanted{.asked = work.flags.cells};
    std::vector<CheckpointedCell> saved;
    if (generation) {
      TRY(cells, store.read(*generation));
      saved = std::move(cells);
      // A synchronous run saved all of its cells.
      if (!spec.lipizzaner.sync) wanted.saved = static_cast<std::uint32_t>(saved.size());
    }
    TRY(cells, held_cells(spec, wanted, dataset.shape.size(), available_memory_bytes()));
    held = std::move(cells);
    if (generation) return store.check_cells(*generation, saved, held.cells);
    return {};
  };
  TRY(session,
      Session::make(work.spec, {.threads = work.flags.threads, .say = say, .check = check}));
  return Prepared{std::move(session), std::move(held)};
}

Result<ExitCode> train(const Work& work) {
  const std::atomic<int>& stop_requests = install_stop_signals();
  Progress progress(stderr, work.flags.log_level);
  SystemClock clock;
  const SayFn say = [&](const std::string& line) { progress.say(line); };
  // The directory first: what is wrong with it should not wait for the data.
  TRY(directory, RunDirectory::open(work.directory, work.spec, work.resume));
  say("run: " + work.spec.name + " in " + directory.path().string());
  TRY(prepared, prepare(work, directory, say));
  auto& [session, held] = prepared;
  if (!held.notice.empty()) progress.warn(held.notice);
  answer_stop_signals_by_count();
  LocalExchange exchange(float_count(session->learner()), work.spec.exchange);
  TRY(run, TrainingRun::open({.spec = session->spec(),
                              .dataset = session->dataset(),
                              .learner = session->learner(),
                              .exchange = exchange,
                              .directory = directory,
                              .clock = clock,
                              .progress = progress,
                              .stop_requests = stop_requests,
                              .scored_on = session->scored_on()},
                             std::move(held.cells)));
  auto outcome = run->run();
  progress.finish();
  if (!outcome) return Failure(outcome.error());
  say_outcome(*outcome, directory, session->spec().run.generations);
  return ExitCode::Done;
}

Result<ExitCode> begin_or_resume(const TrainCommand& command) {
  TRY(spec, read_run_spec(command.run_file, command.overrides));
  fs::path directory =
      command.out ? *command.out : default_run_directory(spec, command.name.value_or("1"));
  return train({.spec = std::move(spec),
                .directory = std::move(directory),
                .resume = command.resume,
                .flags = command.work});
}

Result<ExitCode> extend(const ExtendCommand& command) {
  TRY(directory, RunDirectory::look(command.run_directory));
  TRY(present, directory.spec());
  std::vector<Override> overrides = command.overrides;
  overrides.push_back({.key = "run.generations",
                       .value = std::to_string(present.run.generations + command.generations),
                       .source = "--generations " + std::to_string(command.generations)});
  TRY(spec, directory.spec(overrides));
  return train({.spec = std::move(spec),
                .directory = directory.path(),
                .resume = true,
                .flags = command.work});
}

// With --log-level off the exit code alone says what went wrong.
Result<ExitCode> said_or_not(Result<ExitCode> ended, LogLevel level) {
  if (!ended && level == LogLevel::Off) return exit_code(ended.error().code);
  return ended;
}

}  // namespace

Result<ExitCode> run_command(const TrainCommand& command) {
  return said_or_not(begin_or_resume(command), command.work.log_level);
}

Result<ExitCode> run_command(const ExtendCommand& command) {
  return said_or_not(extend(command), command.work.log_level);
}

}  // namespace quadrille::node

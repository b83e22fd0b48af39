// One peer's training from where it stands to its end: drives the cells, saves them, and stops
// cleanly when it is told to.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "data/dataset.hpp"
#include "node/run/checkpoint_writer.hpp"
#include "node/run/clock.hpp"
#include "node/run/local_driver.hpp"
#include "node/run/local_exchange.hpp"
#include "node/run/progress.hpp"
#include "node/run/run_directory.hpp"
#include "node/run/run_journal.hpp"
#include "node/spec/run_spec.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

// DoneBefore: there was nothing left to train.
enum class Ending : std::uint8_t { Done, Stopped, DoneBefore };

struct RunOutcome {
  Ending ending = Ending::Done;
  std::uint64_t generation = 0;  // that all cells have ended
  CellIndex best_cell;
  std::optional<double> best_score;
  std::string verdict;
  double seconds = 0;
  std::filesystem::path sheet;  // the last sample sheet
};

class TrainingRun final : public DriverObserver {
 public:
  // All outlive the run.
  struct Parts {
    const RunSpec& spec;
    const data::Dataset& dataset;
    peer::Learner& learner;
    LocalExchange& exchange;
    RunDirectory& directory;
    Clock& clock;
    Progress& progress;
    const std::atomic<int>& stop_requests;  // above 0: end at the next generation
    std::optional<ScoredOn> scored_on;      // as the session says
  };

  // `cells`: those that this peer holds, at least one.
  static Result<std::unique_ptr<TrainingRun>> open(const Parts& parts,
                                                   std::vector<CellIndex> cells);

  // Takes up the newest checkpoint where there is one, and trains to the end, or until a cell
  // fails: no generation could be saved without it. What was saved stays, whatever goes wrong.
  Result<RunOutcome> run();

  void on_published(CellIndex cell, Round round) override;
  void on_status(const peer::Status& status) override;
  void on_notice(const peer::Notice& notice) override;

 private:
  TrainingRun(const Parts& parts, std::vector<CellIndex> cells, RunJournal journal);
  Result<void> start_cells();
  Result<void> begin_cells();
  Result<void> restore_cells(std::uint64_t generation);
  Result<void> restore_cell(CheckpointedCell& cell);
  bool was_done_before() const;
  void stop_after_this_generation();
  // Notes it when the run's directory is gone; nothing is written there any more.
  bool in_place();
  void checkpointed(const Result<void>& saved, std::uint64_t generation);
  Result<void> check_ending() const;
  Result<RunOutcome> finish();

  Parts parts_;
  std::vector<CellIndex> cells_;
  CheckpointStore checkpoints_;
  CheckpointWriter writer_;
  RunJournal journal_;
  LocalDriver driver_;
  std::uint64_t newest_published_ = 0;  // by any cell
  std::optional<std::uint64_t> stop_at_;
  std::optional<Error> checkpoint_error_;  // of the newest attempt
  std::optional<Error> displaced_;         // the directory is not where it was
  TimePoint begun_{};
};

}  // namespace quadrille::node

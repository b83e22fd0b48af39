#include "node/run/training_run.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "node/run/standing.hpp"
#include "node/run/summary.hpp"

namespace quadrille::node {

Result<std::unique_ptr<TrainingRun>> TrainingRun::open(const Parts& parts,
                                                       std::vector<CellIndex> cells) {
  TRY_VOID(parts.directory.check_in_place());
  TRY(journal, RunJournal::open(parts.spec, parts.dataset, parts.directory, parts.progress));
  return std::unique_ptr<TrainingRun>(new TrainingRun(parts, std::move(cells), std::move(journal)));
}

TrainingRun::TrainingRun(const Parts& parts, std::vector<CellIndex> cells, RunJournal journal)
    : parts_(parts),
      cells_(std::move(cells)),
      checkpoints_(parts.directory.checkpoint_store(parts.spec, parts.dataset)),
      writer_(
          checkpoints_,
          {.cell_count = static_cast<std::uint32_t>(cells_.size()), .scored_on = parts.scored_on},
          {.every = parts.spec.output.checkpoint_every, .last = parts.spec.run.generations}),
      journal_(std::move(journal)),
      driver_(parts.learner, parts.exchange, parts.clock, *this) {}

Result<RunOutcome> TrainingRun::run() {
  TRY_VOID(start_cells());
  if (was_done_before())
    return RunOutcome{.ending = Ending::DoneBefore,
                      .generation = journal_.generation(),
                      .best_cell = {},
                      .best_score = {},
                      .verdict = {},
                      .sheet = {}};
  // Only now: a run that was refused has changed nothing.
  TRY_VOID(parts_.directory.write_spec(parts_.spec));
  begun_ = parts_.clock.now();
  for (const CellIndex cell : cells_) driver_.add(cell);
  while (driver_.failures().empty() && !displaced_ && driver_.turn()) {
    journal_.tick(parts_.clock.now());
    if (parts_.stop_requests > 0 && !stop_at_) stop_after_this_generation();
  }
  TRY_VOID(check_ending());
  return finish();
}

Result<void> TrainingRun::start_cells() {
  TRY_VOID(checkpoints_.remove_partial());
  if (const auto generation = checkpoints_.newest())
    TRY_VOID(restore_cells(*generation));
  else
    TRY_VOID(begin_cells());
  return journal_.cut_metrics();
}

Result<void> TrainingRun::begin_cells() {
  if (parts_.directory.resumed())
    parts_.progress.say("run: nothing was saved yet, so it begins anew at generation 1");
  for (const CellIndex cell : cells_) {
    TRY_VOID(parts_.learner.start(cell, peer::Fresh{}));
    journal_.begin(cell, {}, parts_.clock.now());
  }
  return {};
}

Result<void> TrainingRun::restore_cells(std::uint64_t generation) {
  TRY(saved, checkpoints_.read(generation));
  TRY_VOID(checkpoints_.check_cells(generation, saved, cells_));
  TRY(remark, checkpoints_.check_classifier(generation, saved, parts_.scored_on));
  if (!remark.empty()) parts_.progress.warn("warning: " + remark);
  for (CheckpointedCell& cell : saved)
    if (const auto restored = restore_cell(cell); !restored)
      return checkpoints_.unusable(generation, cell.cell, restored.error());
  parts_.progress.say("resumed at generation " + std::to_string(generation));
  return {};
}

Result<void> TrainingRun::restore_cell(CheckpointedCell& cell) {
  TRY_VOID(parts_.learner.start(cell.cell, peer::Restored{cell.state}));
  TRY_VOID(parts_.exchange.restore(cell.cell, std::move(cell.published)));
  journal_.begin(cell.cell, standing_of(cell.state), parts_.clock.now());
  newest_published_ = std::max(newest_published_, cell.state.round.index);
  return {};
}

// Without a summary that says so, the process was killed after the last checkpoint, and the sheet
// is still to be drawn. A run that is asked for fewer generations than it has stays what it is.
bool TrainingRun::was_done_before() const {
  const std::uint64_t generations = parts_.spec.run.generations;
  if (journal_.generation() > generations) return true;
  return journal_.generation() == generations &&
         done_generation(parts_.directory.summary()) == generations;
}

// Every cell goes on to the first generation that none has reached yet, or to the last one: there
// they can all be saved as one.
void TrainingRun::stop_after_this_generation() {
  stop_at_ = std::min(newest_published_ + 1, parts_.spec.run.generations);
  writer_.also_at(*stop_at_);
  parts_.progress.say("stopping: generation " + std::to_string(*stop_at_) +
                      " is finished and saved first (a second signal stops at once)");
}

bool TrainingRun::in_place() {
  if (displaced_) return false;
  const auto found = parts_.directory.check_in_place();
  if (!found) displaced_ = found.error();
  return found.has_value();
}

void TrainingRun::on_published(CellIndex cell, Round round) {
  if (!in_place()) return;
  newest_published_ = std::max(newest_published_, round.index);
  checkpointed(writer_.published(cell, round.index, parts_.learner, parts_.exchange), round.index);
  if (stop_at_ && round.index >= *stop_at_) driver_.park(cell);
}

void TrainingRun::checkpointed(const Result<void>& saved, std::uint64_t generation) {
  if (saved) {
    if (writer_.newest_complete() == generation) {
      checkpoint_error_.reset();
      journal_.well(RunJournal::Trouble::Checkpoint);
    }
  } else {
    checkpoint_error_ = saved.error();
    journal_.trouble(RunJournal::Trouble::Checkpoint,
                     saved.error().detail + " (training goes on; the last checkpoint is kept)");
  }
}

void TrainingRun::on_status(const peer::Status& status) {
  if (!in_place()) return;
  journal_.status(status, parts_.learner, parts_.clock.now());
  // After its line in metrics.jsonl: a run that resumes here lacks none.
  checkpointed(writer_.ended(status.round.index), status.round.index);
}

void TrainingRun::on_notice(const peer::Notice& notice) {
  journal_.notice(notice);
}

Result<void> TrainingRun::check_ending() const {
  for (const LocalDriver::CellFailure& failed : driver_.failures())
    return failure_in("cell " + std::to_string(failed.cell.value), failed.error);
  if (displaced_) return Failure(*displaced_);
  const std::vector<CellIndex> stuck = driver_.stuck();
  if (!stuck.empty())
    return failure(ErrorCode::Mismatch, "cell " + std::to_string(stuck.front().value) +
                                            " waits for a cell that this peer does not train: "
                                            "allow all cells, or set algorithm.sync to false");
  if (checkpoint_error_) return Failure(*checkpoint_error_);
  return {};
}

Result<RunOutcome> TrainingRun::finish() {
  TRY_VOID(parts_.directory.check_in_place());
  const TimePoint now = parts_.clock.now();
  RunOutcome outcome{.ending = stop_at_ ? Ending::Stopped : Ending::Done,
                     .generation = journal_.generation(),
                     .best_cell = journal_.best_cell(),
                     .best_score = journal_.score_of(journal_.best_cell()),
                     .verdict = journal_.verdict(),
                     .seconds = in_seconds(now - begun_),
                     .sheet = {}};
  if (stop_at_ && outcome.generation == parts_.spec.run.generations) outcome.ending = Ending::Done;
  const bool done = outcome.ending == Ending::Done;
  const auto sheet = journal_.draw_sheet(done ? "final" : journal_.sheet_name(), parts_.learner);
  if (!sheet && done) return Failure(sheet.error());
  if (sheet)
    outcome.sheet = *sheet;
  else  // what counts is saved
    journal_.trouble(RunJournal::Trouble::Sheet, sheet.error().detail);
  TRY_VOID(write_summary(parts_.directory.summary(), parts_.spec, outcome,
                         journal_.images_per_second(now)));
  parts_.progress.finish();
  return outcome;
}

}  // namespace quadrille::node

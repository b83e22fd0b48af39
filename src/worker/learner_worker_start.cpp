// How cells begin. What was handed over is hostile until it was read: of this cell, of this run's
// size, finite. The learner looks at the rest.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/overloaded.hpp"
#include "worker/learner_worker.hpp"
#include "worker/object_bytes.hpp"
#include "worker/thrown_error.hpp"

namespace quadrille::worker {
namespace {

Result<void> check_cell(CellIndex wanted, CellIndex found) {
  if (wanted == found) return {};
  return failure(ErrorCode::Mismatch, "it is of cell " + std::to_string(found.value));
}

Result<Bytes> contents_of(const peer::Payload& payload) {
  if (payload == nullptr) return failure(ErrorCode::NotFound, "there is none");
  return Bytes(*payload);
}

}  // namespace

Result<Round> LearnerWorker::begin(CellIndex cell, const peer::StartOrigin& origin) {
  return std::visit(
      Overloaded{[&](const peer::StartFresh&) -> Result<Round> {
                   TRY_VOID(start(cell, peer::Fresh{}));
                   return Round{};
                 },
                 [&](const peer::StartFromCheckpoint&) -> Result<Round> {
                   if (!services_.checkpoint)
                     return failure(ErrorCode::NotFound, "no checkpoints are kept here");
                   TRY(saved, services_.checkpoint(cell));
                   return begin_restored(cell, std::move(saved));
                 },
                 [&](const peer::StartFromState& from) -> Result<Round> {
                   TRY(bytes, contents_of(from.state));
                   Result<SavedCell> saved = read_saved_cell(bytes);
                   // Whatever is wrong with it, Limit too: the bytes are, and not this machine.
                   if (!saved)
                     return failure(ErrorCode::Corrupt, "a cell's state: " + saved.error().detail);
                   return begin_restored(cell, std::move(*saved));
                 },
                 [&](const peer::StartFromSnapshot& from) { return begin_adopted(cell, from); }},
      origin);
}

Result<Round> LearnerWorker::begin_restored(CellIndex cell, SavedCell saved) {
  TRY_VOID(check_cell(cell, saved.cell));
  for (const PublishedSnapshot& snapshot : saved.snapshots) TRY_VOID(check_snapshot(snapshot));
  TRY_VOID(start(cell, peer::Restored{saved.state}));
  TrainingCell& begun = cells_.at(cell);
  begun.is_restored = true;
  if (!saved.snapshots.empty()) begun.given = saved.snapshots.back().heard;
  for (PublishedSnapshot& snapshot : saved.snapshots) publications_.add(cell, std::move(snapshot));
  return saved.state.round;
}

Result<Round> LearnerWorker::begin_adopted(CellIndex cell, const peer::StartFromSnapshot& from) {
  TRY(bytes, contents_of(from.snapshot));
  Result<SavedSnapshot> saved = read_saved_snapshot(bytes);
  if (!saved) return failure_in("an adopted cell's snapshot", saved.error());
  TRY_VOID(check_cell(cell, saved->cell));
  const PublishedSnapshot& newest = saved->snapshot;
  TRY_VOID(check_snapshot(newest));
  const Round round = std::max(newest.round, from.jump_to);
  TRY_VOID(start(cell, peer::Adopted{.newest = {.cell = cell,
                                                .round = newest.round,
                                                .values = newest.values,
                                                .exact = newest.exact,
                                                .heard = {}},
                                     .jump_to = round}));
  return round;
}

Result<void> LearnerWorker::start(CellIndex cell, const peer::Origin& origin) {
  try {
    TRY_VOID(learner_.start(cell, origin));
  } catch (const std::exception& error) {
    return Failure(thrown_error(error));
  }
  cells_.emplace(cell, TrainingCell{});
  return {};
}

Result<void> LearnerWorker::check_snapshot(const PublishedSnapshot& snapshot) const {
  if (snapshot.values.size() == float_count_) return {};
  return failure(ErrorCode::Mismatch, "its snapshot has " + std::to_string(snapshot.values.size()) +
                                          " floats, this run's have " +
                                          std::to_string(float_count_));
}

}  // namespace quadrille::worker

// Advancing cells, and what they say then.
#include <exception>
#include <memory>
#include <utility>

#include "base/all_finite.hpp"
#include "base/overloaded.hpp"
#include "wire/limits.hpp"
#include "worker/learner_worker.hpp"
#include "worker/object_bytes.hpp"
#include "worker/thrown_error.hpp"

namespace quadrille::worker {
namespace {

using Phase = TrainingCell::Phase;

CellIndex author_of(const peer::Action& action) {
  return std::visit(Overloaded{[](const peer::Send& send) { return send.from; },
                               [](const auto& other) { return other.cell; }},
                    action);
}

// The views of what one cell is advanced with, and their memory.
struct Turn {
  explicit Turn(TrainingCell& cell)
      : held(std::exchange(cell.snapshots, {})), payloads(std::exchange(cell.chunks, {})) {
    for (const HeldSnapshot& each : held) snapshots.push_back(each.view());
    for (const peer::AdvanceCell::DirectInput& each : payloads)
      chunks.push_back({.from = each.from, .round = each.round, .payload = *each.payload});
  }

  std::vector<HeldSnapshot> held;
  std::vector<peer::AdvanceCell::DirectInput> payloads;
  std::vector<peer::SnapshotView> snapshots;
  std::vector<peer::ChunkView> chunks;
};

}  // namespace

std::vector<CellIndex> LearnerWorker::ready_cells() const {
  std::vector<CellIndex> ready;
  for (const auto& [index, cell] : cells_)
    if (cell.can_advance()) ready.push_back(index);
  return ready;
}

bool LearnerWorker::advance(peer::Quantum quantum, Reports& reports) {
  std::vector<Turn> turns;
  turns.reserve(cells_.size());  // the views look into them
  std::vector<peer::CellInput> inputs;
  for (auto& [index, cell] : cells_) {
    if (!cell.can_advance()) continue;
    const Turn& turn = turns.emplace_back(cell);
    inputs.push_back({.cell = index,
                      .snapshots = turn.snapshots,
                      .chunks = turn.chunks,
                      .deadline_passed = std::exchange(cell.deadline_passed, false)});
    // A restored cell says first what it needs.
    cell.is_at_boundary = std::exchange(cell.is_restored, false);
  }
  if (inputs.empty()) return false;
  actions_.clear();
  try {
    learner_.advance(inputs, quantum, actions_);
  } catch (const std::exception& error) {
    actions_.clear();
    for (const peer::CellInput& input : inputs) fail(input.cell, thrown_error(error), reports);
  }
  for (const peer::Action& action : actions_) apply(action, reports);
  for (const peer::CellInput& input : inputs)
    if (cells_.at(input.cell).is_at_boundary) answer_saves(input.cell, reports);
  return !ready_cells().empty();
}

// A cell that failed has not ended its round, whatever else it said along with that.
void LearnerWorker::apply(const peer::Action& action, Reports& reports) {
  TrainingCell& cell = cells_.at(author_of(action));
  if (cell.phase == Phase::Failed && !std::holds_alternative<peer::Notice>(action)) return;
  std::visit(Overloaded{[&](const peer::Publish& each) { publish(each, reports); },
                        [&](const peer::Send& each) {
                          reports.emplace_back(peer::DirectChunk{
                              .from = each.from,
                              .to = each.to,
                              .round = each.round,
                              .payload = std::make_shared<const ByteBuffer>(each.payload)});
                        },
                        [&](const peer::Need& each) {
                          cell.phase = Phase::Waiting;
                          reports.emplace_back(peer::CellNeeds{.need = each});
                        },
                        [&](const peer::Status& each) {
                          reports.emplace_back(peer::CellStatusReport{.status = each});
                        },
                        [&](const peer::Notice& each) {
                          reports.emplace_back(peer::CellNotice{.notice = each});
                        },
                        [&](const peer::Done& each) {
                          cell.phase = Phase::Done;
                          reports.emplace_back(peer::CellDone{.cell = each.cell});
                        },
                        [&](const peer::Failed& each) { fail(each.cell, each.error, reports); }},
             action);
}

void LearnerWorker::publish(const peer::Publish& publish, Reports& reports) {
  if (!all_finite(publish.values))
    return fail(publish.cell,
                {.code = ErrorCode::NotFinite, .detail = "its weights are not finite any more"},
                reports);
  if (publish.exact.size() > wire::exact_bytes_max)
    return fail(publish.cell,
                {.code = ErrorCode::Limit, .detail = "the exact part of its snapshot is too long"},
                reports);
  TrainingCell& cell = cells_.at(publish.cell);
  publications_.add(publish.cell, {.round = publish.round,
                                   .values = {publish.values.begin(), publish.values.end()},
                                   .exact = {publish.exact.begin(), publish.exact.end()},
                                   .heard = cell.given});
  cell.is_at_boundary = true;
  reports.emplace_back(peer::CellPublished{.cell = publish.cell, .round = publish.round});
}

void LearnerWorker::fail(CellIndex index, const Error& error, Reports& reports) {
  const auto found = cells_.find(index);
  if (found == cells_.end() || found->second.phase == Phase::Failed) return;
  TrainingCell& cell = found->second;
  cell.phase = Phase::Failed;
  cell.is_at_boundary = false;
  for (const peer::SaveState& save : std::exchange(cell.saves, {}))
    reports.emplace_back(
        peer::ObjectReady{.request = save.request, .cell = index, .round = {}, .payload = nullptr});
  reports.emplace_back(peer::CellFailed{.cell = index, .error = error});
}

// All who wait get the same bytes. A cell that cannot be saved trains on.
void LearnerWorker::answer_saves(CellIndex index, Reports& reports) {
  TrainingCell& cell = cells_.at(index);
  if (cell.saves.empty()) return;
  const Result<SavedCell> saved = save(index);
  Result<ByteBuffer> bytes = saved ? to_bytes(*saved) : Failure(saved.error());
  peer::Payload payload;
  if (bytes)
    payload = std::make_shared<const ByteBuffer>(std::move(*bytes));
  else
    reports.emplace_back(peer::CellNotice{
        {.cell = index, .text = "its state cannot be saved: " + bytes.error().detail}});
  const Round round = saved ? saved->state.round : Round{};
  for (const peer::SaveState& save : std::exchange(cell.saves, {})) {
    cell.is_parked = cell.is_parked || (save.park && payload != nullptr);
    reports.emplace_back(peer::ObjectReady{
        .request = save.request, .cell = index, .round = round, .payload = payload});
  }
}

}  // namespace quadrille::worker

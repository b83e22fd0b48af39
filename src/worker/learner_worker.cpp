// Commands. What they make of cells is in learner_worker_start.cpp and learner_worker_actions.cpp.
#include "worker/learner_worker.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <numeric>
#include <utility>

#include "base/check.hpp"
#include "wire/limits.hpp"
#include "worker/object_bytes.hpp"
#include "worker/thrown_error.hpp"

namespace quadrille::worker {
namespace {

std::size_t float_count_of(const peer::Learner& learner) {
  const std::span<const peer::Section> sections = learner.sections();
  return std::accumulate(
      sections.begin(), sections.end(), std::size_t{0},
      [](std::size_t sum, const peer::Section& each) { return sum + each.float_count; });
}

// An order for an object is answered once: with its bytes, or with none.
void answer(const auto& order, Round round, Result<ByteBuffer> bytes,
            LearnerWorker::Reports& reports) {
  peer::ObjectReady ready{
      .request = order.request, .cell = order.cell, .round = round, .payload = nullptr};
  if (bytes) ready.payload = std::make_shared<const ByteBuffer>(std::move(*bytes));
  reports.emplace_back(std::move(ready));
}

Failure nothing() {
  return failure(ErrorCode::NotFound, "nothing of it is here");
}

}  // namespace

LearnerWorker::LearnerWorker(peer::Learner& learner, const WorkerOptions& options,
                             WorkerServices services)
    : learner_(learner),
      options_(options),
      services_(std::move(services)),
      float_count_(float_count_of(learner)),
      publications_({.codec = options.codec,
                     .synchronous = options.synchronous,
                     .float_count = float_count_}),
      replicas_(float_count_) {}

void LearnerWorker::carry_out(const peer::WorkerCommand& command, Reports& reports) {
  std::visit([&](const auto& each) { carry_out(each, reports); }, command);
}

// --- Cells ---

void LearnerWorker::carry_out(const peer::StartCell& command, Reports& reports) {
  CHECK(!cells_.contains(command.cell), command.cell);
  const Result<Round> begun = begin(command.cell, command.origin);
  if (!begun) {
    publications_.drop(command.cell);
    reports.emplace_back(
        peer::CellFailed{.cell = command.cell, .error = begun.error(), .at_start = true});
    return;
  }
  reports.emplace_back(peer::CellStarted{
      .cell = command.cell, .round = *begun, .neighbours = learner_.neighbours(command.cell)});
  for (const PublishedSnapshot& snapshot : publications_.last(command.cell))
    reports.emplace_back(peer::CellPublished{.cell = command.cell, .round = snapshot.round});
}

void LearnerWorker::carry_out(const peer::ReleaseCell& command, Reports& reports) {
  const auto found = cells_.find(command.cell);
  if (found != cells_.end()) {
    for (const peer::SaveState& save : found->second.saves) answer(save, {}, nothing(), reports);
    learner_.release(command.cell);
    cells_.erase(found);
  }
  publications_.drop(command.cell);
  replicas_.drop(command.cell);
}

// Of a neighbour that nobody owns the peer offers the next cell that way; a learner reads those
// that it named.
void LearnerWorker::carry_out(const peer::AdvanceCell& command, Reports&) {
  const auto found = cells_.find(command.cell);
  if (found == cells_.end() || found->second.phase != TrainingCell::Phase::Waiting) return;
  TrainingCell& cell = found->second;
  const std::vector<CellIndex> neighbours = learner_.neighbours(command.cell);
  cell.snapshots.clear();
  for (const peer::AdvanceCell::Input& input : command.snapshots) {
    if (std::ranges::find(neighbours, input.edge.source) == neighbours.end()) continue;
    const auto held = replicas_.at(input.edge, input.round);
    CHECK(held, input.edge.source, input.edge.reader, input.round);
    cell.snapshots.push_back({.cell = held->cell,
                              .round = held->round,
                              .values = {held->values.begin(), held->values.end()},
                              .exact = {held->exact.begin(), held->exact.end()},
                              .heard = held->heard});
    cell.given[held->cell] = held->round;
  }
  cell.chunks = command.chunks;
  cell.deadline_passed = command.deadline_passed;
  cell.phase = TrainingCell::Phase::Ready;
}

void LearnerWorker::carry_out(const peer::ResumeCell& command, Reports&) {
  const auto found = cells_.find(command.cell);
  if (found == cells_.end()) return;
  found->second.is_parked = false;
  for (peer::SaveState& save : found->second.saves) save.park = false;
}

void LearnerWorker::carry_out(const peer::GrowGrid&, Reports& reports) {
  for (const auto& [index, cell] : cells_)
    reports.emplace_back(
        peer::CellNeighbours{.cell = index, .neighbours = learner_.neighbours(index)});
}

// --- Edges ---

void LearnerWorker::carry_out(const peer::OpenSendingEdge& command, Reports&) {
  publications_.open(command.edge);
}

void LearnerWorker::carry_out(const peer::CloseSendingEdge& command, Reports&) {
  publications_.close(command.edge);
}

// What the codec cannot hold, no neighbour could read: the cell has diverged.
void LearnerWorker::carry_out(const peer::EncodePayload& command, Reports& reports) {
  Result<peer::PayloadEncoded> encoded = publications_.encode(command);
  if (!encoded) {
    fail(command.edge.source, encoded.error(), reports);
    encoded = peer::PayloadEncoded{
        .edge = command.edge, .round = {}, .heard = {}, .payload = nullptr, .exact = {}};
  }
  reports.emplace_back(std::move(*encoded));
}

void LearnerWorker::carry_out(const peer::OpenReceivingEdge& command, Reports&) {
  replicas_.open(command.edge);
}

void LearnerWorker::carry_out(const peer::CloseReceivingEdge& command, Reports&) {
  replicas_.close(command.edge);
}

void LearnerWorker::carry_out(const peer::ApplyPayload& command, Reports& reports) {
  reports.emplace_back(replicas_.apply(command));
}

// --- Objects ---

// A cell of somebody else's is served from its understudy's copy.
void LearnerWorker::carry_out(const peer::SaveState& command, Reports& reports) {
  const auto own = cells_.find(command.cell);
  if (own == cells_.end()) {
    const auto kept = kept_.find(command.cell);
    if (kept == kept_.end()) return answer(command, {}, nothing(), reports);
    reports.emplace_back(peer::ObjectReady{.request = command.request,
                                           .cell = command.cell,
                                           .round = kept->second.round,
                                           .payload = kept->second.state});
    return;
  }
  TrainingCell& cell = own->second;
  if (cell.phase == TrainingCell::Phase::Failed || cell.saves.size() == saves_waiting_max)
    return answer(command, {}, nothing(), reports);
  cell.saves.push_back(command);
  if (cell.is_at_boundary) answer_saves(command.cell, reports);
}

void LearnerWorker::carry_out(const peer::PackSnapshot& command, Reports& reports) {
  std::optional<PublishedSnapshot> newest;
  if (const PublishedSnapshot* own = publications_.newest(command.cell))
    newest = *own;
  else
    newest = replicas_.newest_of(command.cell);
  if (!newest) return answer(command, {}, nothing(), reports);
  newest->heard.clear();  // it is the reader's affair whom a neighbour heard of
  const Round round = newest->round;
  answer(command, round, to_bytes(SavedSnapshot{command.cell, std::move(*newest)}), reports);
}

void LearnerWorker::carry_out(const peer::DrawSheet& command, Reports& reports) {
  const std::optional<Round> round = round_of(command.cell);
  if (!cells_.contains(command.cell) || !services_.paint)
    return answer(command, {}, nothing(), reports);
  Result<ByteBuffer> sheet = draw(command.cell);
  if (!sheet)
    reports.emplace_back(peer::CellNotice{
        {.cell = command.cell, .text = "its sheet cannot be drawn: " + sheet.error().detail}});
  answer(command, round.value_or(Round{}), std::move(sheet), reports);
}

Result<ByteBuffer> LearnerWorker::draw(CellIndex cell) {
  std::vector<float> samples;
  try {
    samples = learner_.samples(cell, options_.sheet_samples);
  } catch (const std::exception& error) {
    return Failure(thrown_error(error));
  }
  Result<ByteBuffer> sheet = services_.paint(samples, options_.sheet_samples);
  if (sheet && sheet->size() > wire::sheet_bytes_max)
    sheet = failure(ErrorCode::Limit, "the sheet is too large to travel");
  return sheet;
}

void LearnerWorker::carry_out(const peer::KeepState& command, Reports&) {
  kept_.erase(command.cell);
  if (command.state && kept_.size() < kept_states_max) kept_.emplace(command.cell, command);
}

std::optional<Round> LearnerWorker::round_of(CellIndex cell) const {
  const PublishedSnapshot* newest = publications_.newest(cell);
  return newest == nullptr ? std::nullopt : std::optional(newest->round);
}

Result<SavedCell> LearnerWorker::save(CellIndex cell) const {
  const auto found = cells_.find(cell);
  if (found == cells_.end() || !found->second.is_at_boundary)
    return failure(ErrorCode::NotFound, "the cell is not at the end of a round");
  try {
    return SavedCell{
        .cell = cell, .state = learner_.save(cell), .snapshots = publications_.last(cell)};
  } catch (const std::exception& error) {
    return Failure(thrown_error(error));
  }
}

}  // namespace quadrille::worker

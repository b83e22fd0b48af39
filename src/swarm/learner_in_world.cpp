#include "swarm/learner_in_world.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "base/overloaded.hpp"
#include "worker/object_bytes.hpp"

namespace quadrille::swarm {
namespace {

// More steps than any round has: a turn is a whole round.
constexpr peer::Quantum whole_round{.steps = 1U << 20};

// Which cell a command may make ready.
std::optional<CellIndex> woken_by(const peer::WorkerCommand& command) {
  using Found = std::optional<CellIndex>;
  return std::visit(Overloaded{[](const peer::StartCell& each) -> Found { return each.cell; },
                               [](const peer::AdvanceCell& each) -> Found { return each.cell; },
                               [](const peer::ResumeCell& each) -> Found { return each.cell; },
                               [](const auto&) -> Found { return std::nullopt; }},
                    command);
}

// A cell that finds no memory fails, and another host may have some. Here all share one process.
void end_without_memory(std::span<const peer::WorkerReport> reports) {
  for (const peer::WorkerReport& report : reports)
    if (const auto* failed = std::get_if<peer::CellFailed>(&report))
      if (failed->error.code == ErrorCode::Memory) throw std::bad_alloc();
}

}  // namespace

LearnerInWorld::LearnerInWorld(const sim::WorkerSeat& seat, std::unique_ptr<peer::Learner> learner,
                               const worker::WorkerOptions& options, Handovers& handovers)
    : SimWorker(seat.options, seat.self, seat.events),
      disk_(seat.disk),
      random_(seat.random),
      handovers_(handovers),
      learner_(std::move(learner)),
      worker_(*learner_, options,
              {.checkpoint = [this](CellIndex cell) { return stored(cell); }, .paint = {}}) {}

void LearnerInWorld::carry_out(const peer::WorkerCommand& command, TimePoint now,
                               Reports& reports) {
  if (const auto* save = std::get_if<peer::SaveState>(&command); save != nullptr && save->park)
    parking_.insert(save->request);
  const std::size_t before = reports.size();
  worker_.carry_out(command, reports);
  end_without_memory(std::span(reports).subspan(before));
  note_handovers(std::span(reports).subspan(before));
  const auto* start = std::get_if<peer::StartCell>(&command);
  if (start != nullptr && reports.size() > before)
    if (const auto* started = std::get_if<peer::CellStarted>(&reports[before]))
      on_started(*start, peer::CellStarted(*started), reports);
  const std::optional<CellIndex> woken = woken_by(command);
  if (woken && std::ranges::binary_search(worker_.ready_cells(), *woken))
    wait_for_turn(*woken, now);
}

// A cell that is not here is served from an understudy's copy, which hands nothing over.
void LearnerInWorld::note_handovers(std::span<const peer::WorkerReport> reports) {
  for (const peer::WorkerReport& report : reports) {
    const auto* ready = std::get_if<peer::ObjectReady>(&report);
    if (ready == nullptr || parking_.erase(ready->request) == 0) continue;
    if (ready->payload && round_of(ready->cell)) handovers_.add(*ready->payload, self_.node);
  }
}

std::optional<sim::ToyCell> LearnerInWorld::state_of(const peer::StartCell& command,
                                                     Round round) const {
  const auto* from = std::get_if<peer::StartFromState>(&command.origin);
  if (from == nullptr) return std::nullopt;
  const std::optional<sim::NodeIndex> by = handovers_.find(*from->state);
  return sim::ToyCell{.cell = command.cell,
                      .round = round,
                      .saved_by = by.value_or(self_.node),
                      .is_handover = by.has_value()};
}

// A checkpoint of the cell's former life here makes way for the state that it goes on from.
void LearnerInWorld::on_started(const peer::StartCell& command, const peer::CellStarted& started,
                                Reports& reports) {
  starts_.push_back(
      {.cell = started.cell, .round = started.round, .state = state_of(command, started.round)});
  if (const auto* from = std::get_if<peer::StartFromState>(&command.origin))
    return store(started.cell, started.round, *from->state, reports);
  if (std::holds_alternative<peer::StartFromCheckpoint>(command.origin)) return;
  disk_.states.erase(started.cell);
  disk_.checkpoints.erase(started.cell);
}

void LearnerInWorld::wait_for_turn(CellIndex cell, TimePoint now) {
  if (!turn_ends_) turn_ends_ = now + draw_round_time(random_);
  events_.push(*turn_ends_, {.kind = sim::EventKind::RoundEnd,
                             .node = self_.node,
                             .subject = cell.value,
                             .detail = self_.process});
}

// The first of the turn's events works all cells, the others find it over. A paused host is late.
void LearnerInWorld::on_round_end(CellIndex, TimePoint now, Reports& reports) {
  if (!turn_ends_ || now < *turn_ends_) return;
  turn_ends_.reset();
  const std::size_t before = reports.size();
  worker_.advance(whole_round, reports);
  end_without_memory(std::span(reports).subspan(before));
  note_handovers(std::span(reports).subspan(before));
  std::vector<peer::CellPublished> published;
  for (std::size_t i = before; i < reports.size(); ++i)
    if (const auto* each = std::get_if<peer::CellPublished>(&reports[i]))
      published.push_back(*each);
  for (const peer::CellPublished& each : published) store_if_due(each, reports);
  for (const CellIndex ready : worker_.ready_cells()) wait_for_turn(ready, now);
}

void LearnerInWorld::store_if_due(const peer::CellPublished& published, Reports& reports) {
  if (published.round.index % options_.checkpoint_every != 0) return;
  const auto saved = worker_.save(published.cell);
  if (!saved && saved.error().code == ErrorCode::Memory) throw std::bad_alloc();
  if (!saved) return;
  if (auto bytes = worker::to_bytes(*saved))
    store(published.cell, published.round, std::move(*bytes), reports);
}

void LearnerInWorld::store(CellIndex cell, Round round, ByteBuffer state, Reports& reports) {
  disk_.states[cell] = std::move(state);
  disk_.checkpoints[cell] = round;
  reports.emplace_back(peer::CellStored{.cell = cell, .round = round});
}

Result<worker::SavedCell> LearnerInWorld::stored(CellIndex cell) const {
  const auto found = disk_.states.find(cell);
  if (found == disk_.states.end())
    return failure(ErrorCode::NotFound, "nothing of the cell is on this disk");
  return worker::read_saved_cell(found->second);
}

}  // namespace quadrille::swarm

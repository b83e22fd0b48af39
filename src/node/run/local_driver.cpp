#include "node/run/local_driver.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "base/overloaded.hpp"

namespace quadrille::node {
namespace {

CellIndex author_of(const peer::Action& action) {
  return std::visit(Overloaded{[](const peer::Send& send) { return send.from; },
                               [](const auto& other) { return other.cell; }},
                    action);
}

}  // namespace

// One inner list per cell. Growing an outer list moves
// the inner ones whole, so views into them stay valid.
struct LocalDriver::Inputs {
  std::vector<std::vector<peer::SnapshotView>> snapshots;
  std::vector<std::vector<peer::ChunkView>> chunks;
  std::vector<std::vector<Chunk>> payloads;  // what the chunk views look at
  std::vector<peer::CellInput> cells;
};

LocalDriver::LocalDriver(peer::Learner& learner, LocalExchange& exchange, Clock& clock,
                         DriverObserver& observer)
    : learner_(learner), exchange_(exchange), clock_(clock), observer_(observer) {}

void LocalDriver::add(CellIndex index) {
  Cell& cell = cells_.emplace(index, Cell{}).first->second;
  cell.neighbours = learner_.neighbours(index);
  for (const CellIndex source : cell.neighbours)
    exchange_.connect({.source = source, .reader = index});
}

void LocalDriver::remove(CellIndex index) {
  cells_.erase(index);
}

void LocalDriver::park(CellIndex index) {
  cells_.at(index).parked = true;
}

bool LocalDriver::turn() {
  const TimePoint now = clock_.now();
  Inputs inputs;
  for (auto& [index, cell] : cells_)
    if (ready(index, cell, now)) collect(index, cell, now, inputs);
  if (inputs.cells.empty()) return sleep_to_next_deadline();

  actions_.clear();
  learner_.advance(inputs.cells, quantum_, actions_);
  const TimePoint after = clock_.now();
  tune_quantum(after - now);
  for (const peer::Action& action : actions_) apply(action, after);
  return true;
}

std::vector<CellIndex> LocalDriver::stuck() const {
  std::vector<CellIndex> waiting;
  for (const auto& [index, cell] : cells_)
    if (!cell.parked && cell.phase == Phase::Waiting) waiting.push_back(index);
  return waiting;
}

bool LocalDriver::need_met(CellIndex index, const Cell& cell) const {
  const auto there = [&](const peer::Need::Item& item) {
    return exchange_.at({.source = item.source, .reader = index}, item.round).has_value();
  };
  const auto arrived = [&](const peer::Need::Item& item) {
    return std::ranges::any_of(cell.chunks, [&](const Chunk& chunk) {
      return chunk.from == item.source && chunk.round == item.round;
    });
  };
  return std::ranges::all_of(cell.need.snapshots, there) &&
         std::ranges::all_of(cell.need.chunks, arrived);
}

bool LocalDriver::ready(CellIndex index, const Cell& cell, TimePoint now) const {
  if (cell.parked) return false;
  if (cell.phase == Phase::Runnable) return true;
  if (cell.phase != Phase::Waiting) return false;
  return need_met(index, cell) || (cell.deadline && *cell.deadline <= now);
}

void LocalDriver::collect(CellIndex index, Cell& cell, TimePoint now, Inputs& inputs) const {
  std::vector<peer::SnapshotView>& snapshots = inputs.snapshots.emplace_back();
  if (cell.phase == Phase::Waiting) {
    const auto take = [&](std::optional<peer::SnapshotView> snapshot) {
      if (!snapshot) return;
      exchange_.given({.source = snapshot->cell, .reader = index}, snapshot->round);
      snapshots.push_back(*snapshot);
    };
    if (cell.need.newest)
      for (const CellIndex source : cell.neighbours)
        take(exchange_.newest({.source = source, .reader = index}));
    for (const peer::Need::Item& item : cell.need.snapshots)
      take(exchange_.at({.source = item.source, .reader = index}, item.round));
  }
  const bool late = cell.phase == Phase::Waiting && cell.deadline && *cell.deadline <= now &&
                    !need_met(index, cell);
  // The payloads move along: a chunk is given once.
  const std::vector<Chunk>& payloads = inputs.payloads.emplace_back(std::move(cell.chunks));
  cell.chunks.clear();
  std::vector<peer::ChunkView>& chunks = inputs.chunks.emplace_back();
  for (const Chunk& chunk : payloads) chunks.push_back({chunk.from, chunk.round, chunk.payload});
  inputs.cells.push_back(
      {.cell = index, .snapshots = snapshots, .chunks = chunks, .deadline_passed = late});
  cell.phase = Phase::Runnable;
}

// Doubles or halves, so that a noisy clock cannot make it swing.
void LocalDriver::tune_quantum(Duration taken) {
  if (taken > advance_target && quantum_.steps > 1) quantum_.steps /= 2;
  if (taken < advance_target / 4 && quantum_.steps < quantum_steps_max) quantum_.steps *= 2;
}

// A cell that failed has not ended its generation, whatever else it said along with that: a status
// would count as one, and a checkpoint be taken for whole.
void LocalDriver::apply(const peer::Action& action, TimePoint now) {
  if (cells_.at(author_of(action)).phase == Phase::Failed &&
      !std::holds_alternative<peer::Notice>(action))
    return;
  std::visit(Overloaded{
                 [&](const peer::Publish& publish) { hand_over(publish); },
                 [&](const peer::Send& send) {
                   if (const auto to = cells_.find(send.to); to != cells_.end())
                     to->second.chunks.push_back({send.from, send.round, send.payload});
                 },
                 [&](const peer::Need& need) { wait(need, now); },
                 [&](const peer::Status& status) { observer_.on_status(status); },
                 [&](const peer::Notice& notice) { observer_.on_notice(notice); },
                 [&](const peer::Done& done) { cells_.at(done.cell).phase = Phase::Done; },
                 [&](const peer::Failed& failed) { fail(failed.cell, failed.error); },
             },
             action);
}

void LocalDriver::hand_over(const peer::Publish& publish) {
  if (const Result<void> published = exchange_.publish(publish))
    observer_.on_published(publish.cell, publish.round);
  else
    fail(publish.cell, published.error());
}

void LocalDriver::wait(const peer::Need& need, TimePoint now) {
  Cell& cell = cells_.at(need.cell);
  cell.phase = Phase::Waiting;
  cell.need = need;
  cell.deadline.reset();
  if (need.patience) cell.deadline = now + *need.patience;
}

void LocalDriver::fail(CellIndex index, const Error& error) {
  cells_.at(index).phase = Phase::Failed;
  failures_.push_back({index, error});
}

bool LocalDriver::sleep_to_next_deadline() {
  std::optional<TimePoint> earliest;
  for (const auto& [index, cell] : cells_)
    if (!cell.parked && cell.phase == Phase::Waiting && cell.deadline &&
        (!earliest || *cell.deadline < *earliest))
      earliest = cell.deadline;
  if (!earliest) return false;
  clock_.sleep_until(*earliest);
  return true;
}

}  // namespace quadrille::node

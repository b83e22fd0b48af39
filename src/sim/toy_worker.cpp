#include "sim/toy_worker.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/overloaded.hpp"
#include "base/printed.hpp"

namespace quadrille::sim {
ToyWorker::ToyWorker(const ToyOptions& options, Self self, const peer::Grid& grid, Disk& disk,
                     EventQueue& events, RandomStream random)
    : SimWorker(options, self, events), grid_(grid), disk_(disk), random_(random) {}

std::optional<Round> ToyWorker::round_of(CellIndex cell) const {
  const auto found = cells_.find(cell);
  if (found == cells_.end()) return std::nullopt;
  return found->second.round;
}

void ToyWorker::carry_out(const peer::WorkerCommand& command, TimePoint now, Reports& reports) {
  now_ = now;
  std::visit([&](const auto& one) { carry_out(one, reports); }, command);
}

// A state or snapshot of another cell, or none at all, starts nothing.
std::optional<ToyWorker::Beginning> ToyWorker::beginning(const peer::StartCell& command) const {
  const auto of_this_cell = [&](ToyKind kind, const peer::Payload& payload) {
    auto state = payload ? toy_cell(kind, *payload) : std::nullopt;
    if (state && state->cell != command.cell) state.reset();
    return state;
  };
  using Found = std::optional<Beginning>;
  return std::visit(Overloaded{[&](const peer::StartFresh&) -> Found { return Beginning{}; },
                               [&](const peer::StartFromCheckpoint&) -> Found {
                                 const auto found = disk_.checkpoints.find(command.cell);
                                 if (found == disk_.checkpoints.end()) return std::nullopt;
                                 return Beginning{.round = found->second, .state = {}};
                               },
                               [&](const peer::StartFromState& from) -> Found {
                                 const auto state = of_this_cell(ToyKind::State, from.state);
                                 if (!state) return std::nullopt;
                                 return Beginning{.round = state->round, .state = state};
                               },
                               [&](const peer::StartFromSnapshot& from) -> Found {
                                 const auto snapshot =
                                     of_this_cell(ToyKind::Snapshot, from.snapshot);
                                 if (!snapshot) return std::nullopt;
                                 return Beginning{.round = std::max(snapshot->round, from.jump_to),
                                                  .state = snapshot};
                               }},
                    command.origin);
}

std::vector<CellIndex> ToyWorker::neighbours(CellIndex cell) const {
  std::vector<CellIndex> found;
  for (const peer::Direction direction : peer::all_directions) {
    const CellIndex next = peer::step(grid_, cell, direction);
    if (next != cell && std::ranges::find(found, next) == found.end()) found.push_back(next);
  }
  return found;
}

void ToyWorker::carry_out(const peer::StartCell& command, Reports& reports) {
  if (cells_.contains(command.cell)) complain(printed("it started twice: cell ", command.cell));
  const auto begun = beginning(command);
  if (!begun) {
    reports.emplace_back(peer::CellFailed{
        .cell = command.cell,
        .error = {.code = ErrorCode::Corrupt, .detail = "nothing that this cell can begin from"},
        .at_start = true});
    return;
  }
  starts_.push_back({.cell = command.cell, .round = begun->round, .state = begun->state});
  Cell& cell = cells_[command.cell];
  cell = Cell{};
  cell.round = begun->round;
  reports.emplace_back(peer::CellStarted{
      .cell = command.cell, .round = cell.round, .neighbours = neighbours(command.cell)});
  if (std::holds_alternative<peer::StartFromState>(command.origin))
    store(command.cell, cell.round, reports);
  else if (!std::holds_alternative<peer::StartFromCheckpoint>(command.origin))
    disk_.checkpoints.erase(command.cell);
  say_published(command.cell, cell, reports);
  say_need(command.cell, cell, reports);
}

void ToyWorker::carry_out(const peer::ReleaseCell& command, Reports& reports) {
  check_edges_closed(command.cell);
  if (const auto found = cells_.find(command.cell); found != cells_.end()) {
    for (const peer::SaveState& waiting : found->second.saves)
      report_object(waiting, {}, nullptr, reports);
    cells_.erase(found);
  }
  std::erase_if(left_, [&](const auto& entry) { return entry.first.first == command.cell; });
}

void ToyWorker::store(CellIndex cell, Round round, Reports& reports) {
  disk_.checkpoints[cell] = round;
  reports.emplace_back(peer::CellStored{.cell = cell, .round = round});
}

void ToyWorker::say_published(CellIndex cell, const Cell& state, Reports& reports) const {
  reports.emplace_back(peer::CellPublished{.cell = cell, .round = state.round});
  reports.emplace_back(peer::CellStatusReport{
      .status = {.cell = cell,
                 .round = state.round,
                 .generator_fitness = 1.0 / static_cast<double>(1 + state.round.index),
                 .discriminator_fitness = 0.5,
                 .score = {},
                 .images_seen = state.round.index * 100,
                 .measures = {}}});
}

void ToyWorker::say_need(CellIndex cell, const Cell& state, Reports& reports) const {
  peer::Need need{.cell = cell, .newest = !options_.synchronous, .snapshots = {}, .chunks = {}};
  if (options_.synchronous)
    for (const CellIndex source : neighbours(cell))
      need.snapshots.push_back({.source = source, .round = state.round});
  reports.emplace_back(peer::CellNeeds{.need = std::move(need)});
}

void ToyWorker::carry_out(const peer::AdvanceCell& command, Reports&) {
  const auto found = cells_.find(command.cell);
  if (found == cells_.end())
    return complain(printed("it advanced, but is not here: cell ", command.cell));
  check_inputs(command);
  Cell& cell = found->second;
  if (cell.round_ends || cell.is_done || cell.is_failed || cell.advance_waits)
    return complain(printed("it advanced without a need: cell ", command.cell));
  if (cell.is_parked) {
    cell.advance_waits = true;
    return;
  }
  begin_round(command.cell, cell);
}

// A replica holds its newest snapshot and the one before.
void ToyWorker::check_inputs(const peer::AdvanceCell& command) {
  for (const peer::AdvanceCell::Input& input : command.snapshots) {
    const auto found = receiving_.find(input.edge);
    const bool is_held =
        found != receiving_.end() && found->second.version > 0 &&
        (found->second.round == input.round || found->second.previous == input.round);
    if (!is_held)
      complain(printed("an input that is not held: edge ", input.edge.source, " to ",
                       input.edge.reader));
  }
}

void ToyWorker::begin_round(CellIndex cell, Cell& state) {
  state.round_ends = now_ + draw_round_time(random_);
  events_.push(*state.round_ends, {.kind = EventKind::RoundEnd,
                                   .node = self_.node,
                                   .subject = cell.value,
                                   .detail = self_.process});
}

void ToyWorker::on_round_end(CellIndex cell, TimePoint now, Reports& reports) {
  now_ = now;
  const auto found = cells_.find(cell);
  // It was released, and perhaps started again, in the meantime. A paused host is late.
  if (found == cells_.end() || !found->second.round_ends || *found->second.round_ends > now) return;
  Cell& state = found->second;
  state.round_ends.reset();
  if (draw_failure(cell)) return fail(cell, state, reports);
  state.round = {.index = state.round.index + 1};
  if (state.round.index % options_.checkpoint_every == 0) store(cell, state.round, reports);
  say_published(cell, state, reports);
  state.is_done = options_.rounds_max > 0 && state.round.index >= options_.rounds_max;
  save(cell, state, reports);
  if (state.is_done)
    reports.emplace_back(peer::CellDone{.cell = cell});
  else if (state.is_parked)
    state.need_waits = true;
  else
    say_need(cell, state, reports);
}

// Of a place where cells fail it follows from the draw alone: another process fares no better.
bool ToyWorker::draw_failure(CellIndex cell) {
  const std::uint64_t drawn = chain(chain(options_.failing_draw, self_.node), cell.value) >> 11U;
  if (static_cast<double>(drawn) * 0x1p-53 < options_.failing_places) return true;
  return options_.failing_rounds > 0 && random_.uniform() < options_.failing_rounds;
}

// Not at the end of a round, it has no state to save.
void ToyWorker::fail(CellIndex cell, Cell& state, Reports& reports) {
  state.is_failed = true;
  for (const peer::SaveState& waiting : std::exchange(state.saves, {}))
    report_object(waiting, {}, nullptr, reports);
  reports.emplace_back(peer::CellFailed{
      .cell = cell, .error = {.code = ErrorCode::NotFinite, .detail = "it has diverged"}});
}

void ToyWorker::save(CellIndex cell, Cell& state, Reports& reports) {
  for (const peer::SaveState& command : std::exchange(state.saves, {})) {
    const ToyCell saved{
        .cell = cell, .round = state.round, .saved_by = self_.node, .is_handover = command.park};
    report_object(
        command, state.round,
        std::make_shared<const ByteBuffer>(to_bytes(ToyKind::State, saved, options_.state_bytes)),
        reports);
    state.is_parked = state.is_parked || command.park;
  }
}

// A cell of somebody else's is served from its understudy's copy.
void ToyWorker::carry_out(const peer::SaveState& command, Reports& reports) {
  if (const auto own = cells_.find(command.cell); own != cells_.end()) {
    if (own->second.is_failed) return report_object(command, {}, nullptr, reports);
    own->second.saves.push_back(command);
    if (!own->second.round_ends) save(command.cell, own->second, reports);
    return;
  }
  const auto kept = kept_.find(command.cell);
  if (kept == kept_.end()) return report_object(command, {}, nullptr, reports);
  report_object(command, kept->second.round, kept->second.state, reports);
}

void ToyWorker::carry_out(const peer::ResumeCell& command, Reports& reports) {
  const auto found = cells_.find(command.cell);
  if (found == cells_.end()) return;
  Cell& cell = found->second;
  cell.is_parked = false;
  for (peer::SaveState& waiting : cell.saves) waiting.park = false;
  if (std::exchange(cell.need_waits, false)) say_need(command.cell, cell, reports);
  if (std::exchange(cell.advance_waits, false)) begin_round(command.cell, cell);
}

void ToyWorker::carry_out(const peer::DrawSheet& command, Reports& reports) {
  const auto found = cells_.find(command.cell);
  if (found == cells_.end()) return report_object(command, {}, nullptr, reports);
  const ToyCell drawn{.cell = command.cell, .round = found->second.round, .saved_by = self_.node};
  report_object(
      command, drawn.round,
      std::make_shared<const ByteBuffer>(to_bytes(ToyKind::Sheet, drawn, options_.sheet_bytes)),
      reports);
}

void ToyWorker::carry_out(const peer::GrowGrid& command, Reports& reports) {
  grid_.epoch = command.grid;
  for (const auto& [cell, state] : cells_)
    reports.emplace_back(peer::CellNeighbours{.cell = cell, .neighbours = neighbours(cell)});
}

void ToyWorker::carry_out(const peer::KeepState& command, Reports&) {
  if (command.state)
    kept_[command.cell] = command;
  else
    kept_.erase(command.cell);
}

}  // namespace quadrille::sim

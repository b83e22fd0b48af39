// Cells of a peer: how they come and go, what they read, and what the worker says of them.
#include "peer/parts.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <utility>
#include <variant>

#include "base/overloaded.hpp"

namespace quadrille::peer {
namespace {

constexpr Duration ward_interval = std::chrono::seconds(10);

wire::CellStatus wire_status(const Status& status) {
  wire::CellStatus result{
      .cell = status.cell,
      .round = status.round.index,
      .generator_fitness = static_cast<float>(status.generator_fitness),
      .discriminator_fitness = static_cast<float>(status.discriminator_fitness)};
  if (status.score) result.score = static_cast<float>(*status.score);
  return result;
}

wire::CellPhase wire_phase(HeldCell::Phase phase) {
  switch (phase) {
    case HeldCell::Phase::Acquiring:
    case HeldCell::Phase::Starting:
      return wire::CellPhase::Acquiring;
    case HeldCell::Phase::Training:
    case HeldCell::Phase::Parked:
      return wire::CellPhase::Training;
    case HeldCell::Phase::Done:
      return wire::CellPhase::Done;
    case HeldCell::Phase::Failed:
      return wire::CellPhase::Failed;
  }
  return wire::CellPhase::Unknown;
}

std::uint32_t bytes_per_second(std::uint64_t bytes, Duration time) {
  const double seconds = in_seconds(time);
  const double rate = static_cast<double>(bytes) / seconds;
  return static_cast<std::uint32_t>(
      std::min<double>(rate, std::numeric_limits<std::uint32_t>::max()));
}

}  // namespace

void Peer::Parts::on_action(const PlacementOutput::Action& action, Now now, Effects& out) {
  using P = PlacementOutput;
  std::visit(Overloaded{[&](const P::Gained& gained) {
                          note(wire::EventKind::CellGained, self, gained.cell, "claimed", now, out);
                          adopt(gained.cell, now);
                        },
                        [&](const P::Offered& offered) {
                          cells[offered.cell] = {};
                          acquisition.take_over(offered.cell, offered.from, now.time, objects,
                                                from_objects);
                        },
                        [&](const P::Dropped& dropped) { drop(dropped, now, out); },
                        [&](const P::Yielding& yielding) {
                          objects.allow_handover(yielding.cell, yielding.to, from_objects);
                        },
                        [&](const P::Returned& returned) {
                          objects.allow_handover(returned.cell, std::nullopt, from_objects);
                        },
                        [&](const P::Grown& grown) {
                          statuses.set_scale(membership.view().live_count(),
                                             grown.grid.cell_count());
                          command(GrowGrid{grown.grid.epoch}, out);
                          for (auto& [stream, watcher] : watchers)
                            watcher.begin_again(watch_begin(), from_watch);
                          note(wire::EventKind::GridGrew, {}, {}, "the grid has grown", now, out);
                        }},
             action);
}

void Peer::Parts::adopt(CellIndex cell, Now now) {
  cells[cell] = {.is_claimed = true};
  say_phase(cell, now);
  std::vector<Acquisition::Holder> holders;
  for (const Direction direction : all_directions) {
    const CellIndex neighbour = placement.neighbour(cell, direction);
    const std::optional<PeerId> owner = placement.owner(neighbour);
    const bool is_new =
        std::ranges::find(holders, neighbour, &Acquisition::Holder::cell) == holders.end();
    if (neighbour != cell && owner && is_new)
      holders.push_back({.cell = neighbour, .owner = *owner});
  }
  acquisition.adopt(cell, std::move(holders), placement.understudy(cell), now.time, objects,
                    from_objects);
}

void Peer::Parts::drop(const PlacementOutput::Dropped& dropped, Now now, Effects& out) {
  const auto found = cells.find(dropped.cell);
  if (found == cells.end()) return;
  const HeldCell cell = found->second;
  cells.erase(found);
  acquisition.abandon(dropped.cell);
  if (cell.phase == HeldCell::Phase::Starting) ++starts_in_vain[dropped.cell];
  // The worker has to hear of the edges' end first, and of the cell's even where it was only about
  // to begin: it may have that command already.
  exchange.drop(dropped.cell, now.time, from_exchange);
  carry_exchange(now, out);
  if (cell.phase != HeldCell::Phase::Acquiring) command(ReleaseCell{dropped.cell}, out);
  objects.on_released(dropped.cell);
  statuses.drop_own(dropped.cell);
  if (!cell.is_claimed) return;  // an offer that was withdrawn
  note(wire::EventKind::CellLost, dropped.winner.value_or(PeerId{}), dropped.cell,
       dropped.winner ? "another peer has it" : "given up", now, out);
}

// On its way to the worker a command may change what this peer holds.
void Peer::Parts::command(WorkerCommand each, Effects& out) {
  using enum HeldCell::Phase;
  const auto change = [&](CellIndex cell, HeldCell::Phase from, HeldCell::Phase to) {
    const auto found = cells.find(cell);
    if (found != cells.end() && found->second.phase == from) found->second.phase = to;
  };
  if (const auto* save = std::get_if<SaveState>(&each); save != nullptr && save->park)
    change(save->cell, Training, Parked);
  if (const auto* start = std::get_if<StartCell>(&each)) change(start->cell, Acquiring, Starting);
  if (const auto* resume = std::get_if<ResumeCell>(&each)) change(resume->cell, Parked, Training);
  out.commands.push_back(std::move(each));
}

void Peer::Parts::on_acquired(const AcquisitionOutput::Result& result, Now now, Effects& out) {
  const auto found = cells.find(result.cell);
  if (found == cells.end()) return;
  const bool offered = placement.owner(result.cell) != self;
  if (result.outcome == AcquisitionOutput::Outcome::Missing) {
    cells.erase(found);
    return placement.on_acquire_failed(result.cell, now.time, from_placement);
  }
  if (result.outcome == AcquisitionOutput::Outcome::NoState) {
    cells.erase(found);
    return placement.decline(result.cell, now.time, from_placement);
  }
  if (result.outcome == AcquisitionOutput::Outcome::Refused) {
    if (!offered) {
      found->second.phase = HeldCell::Phase::Failed;
      say_phase(result.cell, now);
    }
    return placement.give_up(result.cell, now.time, from_placement);
  }
  if (offered) placement.on_acquired(result.cell, now.time, from_placement);
  if (offered && placement.owner(result.cell) == self) {
    found->second.is_claimed = true;
    note(wire::EventKind::CellGained, self, result.cell, "taken over", now, out);
  }
  if (result.adopted)
    note(wire::EventKind::CellAdopted, self, result.cell, "begins without the newest state", now,
         out);
}

// What is said of a cell that this peer does not hold any more was said before the worker heard so.
bool Peer::Parts::is_stale(const WorkerReport& report) const {
  const auto began = [&](CellIndex cell) {
    const auto found = cells.find(cell);
    return found != cells.end() && found->second.has_begun();
  };
  const auto is_starting = [&](CellIndex cell) {
    const auto found = cells.find(cell);
    return found != cells.end() && found->second.phase == HeldCell::Phase::Starting;
  };
  return std::visit(
      Overloaded{[&](const CellStarted& each) { return !is_starting(each.cell); },
                 [&](const CellNeighbours& each) { return !began(each.cell); },
                 [&](const CellPublished& each) { return !began(each.cell); },
                 [&](const CellNeeds& each) { return !began(each.need.cell); },
                 [&](const CellStatusReport& each) { return !began(each.status.cell); },
                 [&](const CellDone& each) { return !began(each.cell); },
                 [&](const CellFailed& each) {
                   return each.at_start ? !is_starting(each.cell) : !began(each.cell);
                 },
                 [&](const DirectChunk& each) { return !began(each.from); },
                 [](const CellNotice&) { return false; },
                 // It outlives the cell's time here, and was said before another one began.
                 [](const CellStored&) { return false; },
                 // Every order for these is answered once, and whoever gave it counts on that.
                 [](const PayloadEncoded&) { return false; },
                 [](const PayloadTaken&) { return false; },
                 [](const ObjectReady&) { return false; }},
      report);
}

// Each start is answered once, in order.
bool Peer::Parts::answers_start_in_vain(const WorkerReport& report) {
  const auto* started = std::get_if<CellStarted>(&report);
  const auto* failed = std::get_if<CellFailed>(&report);
  if (started == nullptr && (failed == nullptr || !failed->at_start)) return false;
  const auto found = starts_in_vain.find(started != nullptr ? started->cell : failed->cell);
  if (found == starts_in_vain.end()) return false;
  if (--found->second == 0) starts_in_vain.erase(found);
  return true;
}

void Peer::Parts::on_report(const WorkerReport& report, Now now, Effects& out) {
  if (answers_start_in_vain(report)) return;
  if (is_stale(report)) return;
  const auto cell = [&](CellIndex index) -> HeldCell& { return cells.at(index); };
  std::visit(
      Overloaded{
          [&](const CellStarted& started) {
            HeldCell& held = cell(started.cell);
            held.phase = HeldCell::Phase::Training;
            held.wanted = started.neighbours;
            held.sent_since = now.time;
            owners_changed = true;
            say_phase(started.cell, now, started.round);
          },
          [&](const CellNeighbours& changed) {
            cell(changed.cell).wanted = changed.neighbours;
            owners_changed = true;
          },
          [&](const CellStatusReport& told) {
            say_status(wire_status(told.status), cell(told.status.cell), now);
          },
          [&](const CellNotice& told) {
            note(wire::EventKind::Notice, self, told.notice.cell, told.notice.text, now, out);
          },
          [&](const CellDone& done) {
            cell(done.cell).phase = HeldCell::Phase::Done;
            say_phase(done.cell, now);
          },
          // What does not start may start from the next best (Acquisition). A cell that cannot go
          // on is somebody else's to adopt: who holds on to it has no state to hand over.
          [&](const CellFailed& failed) {
            cell(failed.cell).phase =
                failed.at_start ? HeldCell::Phase::Acquiring : HeldCell::Phase::Failed;
            note(wire::EventKind::Notice, self, failed.cell, failed.error.detail, now, out);
            if (failed.at_start) return;
            say_phase(failed.cell, now);
            placement.give_up(failed.cell, now.time, from_placement);
          },
          [](const auto&) {}},
      report);
  exchange.on_report(report, now.time, from_exchange);
  objects.on_report(report, from_objects);
  acquisition.on_report(report, now.time, objects, from_objects, from_acquisition);
}

void Peer::Parts::say_status(wire::CellStatus status, HeldCell& cell, Now now) {
  if (const Duration time = now.time - cell.sent_since;
      cell.has_begun() && time >= StatusBoard::interval_min) {
    const std::uint64_t before = std::exchange(cell.sent_bytes, exchange.sent_bytes(status.cell));
    cell.sent_bytes_per_second = bytes_per_second(cell.sent_bytes - before, time);
    cell.sent_since = now.time;
  }
  status.sent_bytes_per_second = cell.sent_bytes_per_second;
  status.device = options.device;
  status.phase = wire_phase(cell.phase);
  statuses.set_own(status, now.time);
}

// Of its round and fitness what was said last, by whomever.
void Peer::Parts::say_phase(CellIndex cell, Now now, std::optional<Round> round) {
  wire::CellStatus status =
      statuses.find(cell, now.time).value_or(wire::CellStatus{.cell = cell, .owner = self});
  if (round) status.round = round->index;
  say_status(status, cells.at(cell), now);
}

// What each own cell reads, wherever owners have changed.
void Peer::Parts::refresh_sources(Now now) {
  for (auto& [index, cell] : cells) {
    if (!cell.has_begun()) continue;
    exchange.set_sources(index, sources_of(index, cell.wanted), now.time, from_exchange);
  }
}

// Of a neighbour on the torus that nobody owns, the next owned cell that way stands in; of any
// other cell that nobody owns, nothing does.
std::vector<EdgeSource> Peer::Parts::sources_of(CellIndex cell,
                                                const std::vector<CellIndex>& wanted) const {
  std::vector<EdgeSource> sources;
  for (CellIndex source : wanted) {
    for (const Direction direction : all_directions)
      if (step(placement.grid(), cell, direction) == source && !placement.owner(source)) {
        source = placement.neighbour(cell, direction);
        break;
      }
    const std::optional<PeerId> owner = placement.owner(source);
    const bool known =
        std::ranges::any_of(sources, [&](const EdgeSource& other) { return other.cell == source; });
    if (owner && source != cell && !known) sources.push_back({.cell = source, .owner = *owner});
  }
  return sources;
}

// A spare keeps copies of the cells that it is the understudy of.
void Peer::Parts::refresh_wards(Now now) {
  next_wards = now.time + ward_interval;
  std::vector<Acquisition::Ward> wards;
  const bool is_spare = placement.own_cells().empty() && leaving == Leaving::No;
  if (is_spare && membership.view().live_count() > placement.grid().cell_count())
    for (const CellIndex cell : placement.understudied()) {
      const std::optional<PeerId> owner = placement.owner(cell);
      if (!owner) continue;
      const std::optional<wire::CellStatus> status = statuses.find(cell, now.time);
      wards.push_back(
          {.cell = cell, .owner = *owner, .round = {.index = status ? status->round : 0}});
    }
  acquisition.set_wards(std::move(wards), now.time, objects, from_objects, from_acquisition);
}

}  // namespace quadrille::peer

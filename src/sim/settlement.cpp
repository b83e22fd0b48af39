#include "sim/settlement.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "base/printed.hpp"
#include "sim/address.hpp"
#include "sim/next_version.hpp"

namespace quadrille::sim {
namespace {

using Finding = std::optional<std::string>;

Finding check_views(const World& world, const std::vector<NodeIndex>& up) {
  const auto& view_of = [&](NodeIndex node) -> const peer::View& {
    return world.host(node).peer().membership().view();
  };
  for (const NodeIndex node : up) {
    const std::size_t live = view_of(node).live_count();
    if (live != up.size())
      return printed("L1: host ", node, " has ", live, " live members of ", up.size());
  }
  const std::uint64_t hash = view_of(up.front()).hash();
  for (const NodeIndex node : up) {
    if (view_of(node).hash() != hash) return printed("L1: host ", node, " has another view");
    const peer::Member* member = view_of(up.front()).find(world.host(node).peer().id());
    if (member == nullptr || !peer::is_live(member->state()))
      return printed("L1: host ", node, " is not in the view of host ", up.front());
  }
  return std::nullopt;
}

// What its worker really holds, whatever the peer's books say.
Finding check_worker(const World& world, NodeIndex node, const std::vector<CellIndex>& own) {
  const peer::Grid& grid = world.host(node).peer().placement().grid();
  const SimWorker& worker = world.host(node).worker();
  for (std::uint32_t position = 0; position < grid.cell_count(); ++position) {
    const CellIndex cell = grid.cell_at(position);
    const bool is_own = std::ranges::find(own, cell) != own.end();
    if (worker.round_of(cell).has_value() != is_own)
      return printed("L2: the worker of host ", node, is_own ? " lacks" : " still has", " cell ",
                     cell);
  }
  return std::nullopt;
}

Finding check_owners(const World& world, const std::vector<NodeIndex>& up) {
  const peer::Placement& first = world.host(up.front()).peer().placement();
  const std::uint64_t hash = first.owners_hash();
  const std::uint64_t vacant = cells_without_room(world);
  if (first.vacant_count() != vacant)
    return printed("L2: ", first.vacant_count(), " cells are vacant, and should be ", vacant);
  for (const NodeIndex node : up) {
    const peer::Peer& peer = world.host(node).peer();
    if (peer.placement().owners_hash() != hash)
      return printed("I2: hosts ", up.front(), " and ", node,
                     " have one view and different owners");
    const std::vector<CellIndex> own = peer.placement().own_cells();
    if (own != peer.training_cells())
      return printed("L2: host ", node, " does not train all the cells that it owns");
    if (auto found = check_worker(world, node, own)) return found;
    const std::set<CellIndex>& claimed = world.ledger().claims_of(node);
    if (!peer.membership().self()->record.yields.empty())
      return printed("L2: host ", node, " has a cell that is on its way to another");
    if (!std::ranges::equal(own, claimed))
      return printed("L2: host ", node, " claims ", claimed.size(), " cells and owns ", own.size());
  }
  return std::nullopt;
}

// A host that has room for one of another's cells, and has two fewer. What failed with it is none
// of those.
Finding check_loads(const World& world, const std::vector<NodeIndex>& up) {
  const auto would_take_one_of = [&](NodeIndex taker, NodeIndex donor) {
    const std::set<CellIndex>& failed = world.host(taker).failed_cells();
    return std::ranges::any_of(world.ledger().claims_of(donor),
                               [&](CellIndex cell) { return !failed.contains(cell); });
  };
  std::size_t most = 0;
  for (const NodeIndex node : up) most = std::max(most, world.ledger().claims_of(node).size());
  for (const NodeIndex taker : up) {
    const std::size_t load = world.ledger().claims_of(taker).size();
    if (load >= world.host(taker).peer().placement().capacity() || most < load + 2) continue;
    for (const NodeIndex donor : up) {
      const std::size_t more = world.ledger().claims_of(donor).size();
      if (more >= load + 2 && would_take_one_of(taker, donor))
        return printed("L3: host ", taker, " has ", load, " cells and host ", donor, " ", more);
    }
  }
  return std::nullopt;
}

Finding check_neighbours(const World& world, NodeIndex node) {
  const peer::Peer& peer = world.host(node).peer();
  const peer::Placement& placement = peer.placement();
  for (const CellIndex cell : placement.own_cells())
    for (const peer::Direction direction : peer::all_directions) {
      NeighbourAddress neighbour{.of = cell,
                                 .owner = placement.owner(placement.neighbour(cell, direction))};
      const peer::Member* member =
          neighbour.owner ? peer.membership().view().find(*neighbour.owner) : nullptr;
      neighbour.has_record = member != nullptr && member->record != nullptr;
      if (neighbour.has_record) {
        const auto there = node_at(member->record->record.endpoints.front());
        if (there && *there < world.host_count() && world.host(*there).is_up())
          neighbour.listening = world.host(*there).peer().id();
      }
      if (auto found = address_fault(node, neighbour)) return found;
    }
  return std::nullopt;
}

void add_edges(const peer::Peer& peer, EdgeRounds& rounds) {
  for (const CellIndex reader : peer.placement().own_cells())
    for (const peer::Direction direction : peer::all_directions) {
      const peer::EdgeId edge{.source = peer.placement().neighbour(reader, direction),
                              .reader = reader};
      if (edge.source != reader)
        rounds[edge] = peer.exchange().newest_round(edge).value_or(Round{});
    }
}

}  // namespace

std::optional<std::string> address_fault(NodeIndex node, const NeighbourAddress& neighbour) {
  if (!neighbour.has_record)
    return printed("L4: host ", node, " has a neighbour of cell ", neighbour.of,
                   " without a record");
  if (neighbour.listening != neighbour.owner)
    return printed("L4: host ", node, " has a wrong address for a neighbour of cell ",
                   neighbour.of);
  return std::nullopt;
}

std::optional<std::string> unrest(const World& world) {
  const std::vector<NodeIndex> up = world.up_hosts();
  if (up.empty()) return std::nullopt;
  if (auto found = check_views(world, up)) return found;
  if (auto found = check_owners(world, up)) return found;
  if (auto found = check_loads(world, up)) return found;
  for (const NodeIndex node : up)
    if (auto found = check_neighbours(world, node)) return found;
  return std::nullopt;
}

std::optional<Duration> run_until_rest(World& world, Duration limit) {
  const bool is_large = world.host_count() > Invariants::small_world_hosts;
  const Duration grain = is_large ? std::chrono::milliseconds(500) : std::chrono::milliseconds(100);
  return world.run_until_true([&] { return !unrest(world); }, limit, grain);
}

Owners owners(const World& world) {
  Owners found;
  const std::vector<NodeIndex> up = world.up_hosts();
  if (up.empty()) return found;
  const peer::Placement& placement = world.host(up.front()).peer().placement();
  for (std::uint32_t position = 0; position < placement.grid().cell_count(); ++position) {
    const CellIndex cell = placement.grid().cell_at(position);
    if (const auto owner = placement.owner(cell)) found[cell] = *owner;
  }
  return found;
}

std::uint32_t moved(const Owners& before, const Owners& after) {
  std::uint32_t count = 0;
  for (const auto& [cell, owner] : before) {
    const auto now = after.find(cell);
    if (now == after.end() || now->second != owner) ++count;
  }
  return count;
}

std::uint64_t cells_without_room(const World& world) {
  const std::vector<NodeIndex> up = world.up_hosts();
  if (up.empty()) return 0;
  std::uint64_t capacity = 0;
  for (const NodeIndex node : up) capacity += world.host(node).peer().placement().capacity();
  const std::uint64_t cells = world.host(up.front()).peer().placement().grid().cell_count();
  return cells > capacity ? cells - capacity : 0;
}

std::uint32_t duplicate_claims(const World& world) {
  std::set<CellIndex> claimed;
  std::set<CellIndex> twice;
  for (const NodeIndex node : world.up_hosts())
    for (const CellIndex cell : world.ledger().claims_of(node))
      if (!claimed.insert(cell).second) twice.insert(cell);
  return static_cast<std::uint32_t>(twice.size());
}

std::size_t next_version_records(const World& world) {
  std::size_t count = 0;
  for (const NodeIndex node : world.up_hosts()) {
    const peer::Peer& peer = world.host(node).peer();
    for (const peer::Member& member : peer.membership().view().live())
      if (member.id != peer.id() && is_record_of_next_version(member.record->bytes)) ++count;
  }
  return count;
}

bool grid_is_full(const World& world) {
  std::set<CellIndex> trained;
  for (const NodeIndex node : world.up_hosts())
    for (const CellIndex cell : world.host(node).peer().training_cells()) trained.insert(cell);
  return trained.size() >= world.options().grid.cell_count();
}

EdgeRounds edge_rounds(const World& world) {
  EdgeRounds rounds;
  for (const NodeIndex node : world.up_hosts()) add_edges(world.host(node).peer(), rounds);
  return rounds;
}

std::optional<peer::EdgeId> stuck_edge(const EdgeRounds& before, const EdgeRounds& now) {
  for (const auto& [edge, round] : before) {
    const auto found = now.find(edge);
    if (found == now.end() || found->second <= round) return edge;
  }
  return std::nullopt;
}

}  // namespace quadrille::sim

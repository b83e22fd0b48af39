// Whether the world is at rest: every view is the truth, every cell has one owner that trains it,
// and the load is even. Asked once faults have ended; only the hosts that are up count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "sim/world.hpp"

namespace quadrille::sim {

// The first thing that is not as it should be, with its invariant: L1 to L4, or I2.
std::optional<std::string> unrest(const World& world);
// L4: where a host would dial for the owner of the cell next to its own, and who listens there.
struct NeighbourAddress {
  CellIndex of;                       // the own cell
  std::optional<PeerId> owner;        // of the neighbour
  bool has_record = false;            // of that owner
  std::optional<PeerId> listening{};  // at the address in it
};
std::optional<std::string> address_fault(NodeIndex node, const NeighbourAddress& neighbour);
// Until there is none; how long that took.
std::optional<Duration> run_until_rest(World& world, Duration limit);

// The owner of every cell, as the first host that is up has it.
using Owners = std::map<CellIndex, PeerId>;
Owners owners(const World& world);
// Cells that have another owner, or none, in `after`.
std::uint32_t moved(const Owners& before, const Owners& after);
// Cells that all hosts together have no room for.
std::uint64_t cells_without_room(const World& world);
// Cells that two or more hosts claim.
std::uint32_t duplicate_claims(const World& world);
// Records of other members, in all views together, that have what only the next version writes.
std::size_t next_version_records(const World& world);
// Whether every cell is trained somewhere.
bool grid_is_full(const World& world);

// Every edge that the grid and the owners call for, with the newest round that its reader holds:
// the first of all when it holds none.
using EdgeRounds = std::map<peer::EdgeId, Round>;
EdgeRounds edge_rounds(const World& world);
// L6: an edge that has brought no later round since.
std::optional<peer::EdgeId> stuck_edge(const EdgeRounds& before, const EdgeRounds& now);

}  // namespace quadrille::sim

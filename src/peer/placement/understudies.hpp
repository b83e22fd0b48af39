// Spares, and whose understudy each is: the first spare by rendezvous keeps a copy of a cell's
// state, so that the cell starts warm when its owner dies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "peer/placement/owner_map.hpp"

namespace quadrille::peer {

class Understudies {
 public:
  // Costs the number of spares; after a change of the map, once that of peers.
  std::optional<PeerId> of(CellIndex cell, const OwnerMap& owners);

 private:
  std::vector<PeerSlot> spares_;  // live, able to take cells, and owning none
  std::optional<std::uint64_t> version_;
};

}  // namespace quadrille::peer

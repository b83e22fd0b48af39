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
  // The cells whose understudy that peer is, ascending. Of most cells it is not, which the first
  // few spares tell.
  std::vector<CellIndex> cells_of(PeerId peer, const OwnerMap& owners);

 private:
  void refresh(const OwnerMap& owners);

  std::vector<PeerSlot> spares_;  // live, able to take cells, and owning none
  std::optional<std::uint64_t> version_;
};

}  // namespace quadrille::peer

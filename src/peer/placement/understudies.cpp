#include "peer/placement/understudies.hpp"

#include <utility>

#include "peer/placement/rendezvous.hpp"

namespace quadrille::peer {

std::optional<PeerId> Understudies::of(CellIndex cell, const OwnerMap& owners) {
  const PeerTable& peers = owners.peers();
  if (version_ != owners.version()) {
    spares_.clear();
    for (PeerSlot slot = 0; slot < peers.slots_end(); ++slot)
      if (peers[slot].record && peers[slot].wins == 0 && is_taker(peers[slot].record->record))
        spares_.push_back(slot);
    version_ = owners.version();
  }
  std::optional<std::pair<std::uint64_t, PeerId>> best;
  for (const PeerSlot slot : spares_) {
    const std::pair spare{rendezvous_weight(cell, peers.id(slot)), peers.id(slot)};
    if (!best || spare > *best) best = spare;
  }
  if (!best) return std::nullopt;
  return best->second;
}

}  // namespace quadrille::peer

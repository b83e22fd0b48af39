#include "peer/placement/understudies.hpp"

#include <algorithm>
#include <utility>

#include "peer/placement/rendezvous.hpp"

namespace quadrille::peer {

namespace {

std::pair<std::uint64_t, PeerId> rank(CellIndex cell, PeerId peer) {
  return {rendezvous_weight(cell, peer), peer};
}

}  // namespace

std::optional<PeerId> Understudies::of(CellIndex cell, const OwnerMap& owners) {
  refresh(owners);
  if (spares_.empty()) return std::nullopt;
  const auto id = [&](PeerSlot spare) { return owners.peers().id(spare); };
  return id(std::ranges::max(spares_, {}, [&](PeerSlot spare) { return rank(cell, id(spare)); }));
}

std::vector<CellIndex> Understudies::cells_of(PeerId peer, const OwnerMap& owners) {
  refresh(owners);
  std::vector<CellIndex> cells;
  if (std::ranges::find(spares_, owners.peers().find(peer)) == spares_.end()) return cells;
  for (std::uint32_t position = 0; position < owners.grid().cell_count(); ++position) {
    const CellIndex cell = owners.grid().cell_at(position);
    const auto own = rank(cell, peer);
    const bool is_outranked = std::ranges::any_of(
        spares_, [&](PeerSlot spare) { return rank(cell, owners.peers().id(spare)) > own; });
    if (!is_outranked) cells.push_back(cell);
  }
  return cells;
}

void Understudies::refresh(const OwnerMap& owners) {
  if (version_ == owners.version()) return;
  version_ = owners.version();
  spares_.clear();
  const PeerTable& peers = owners.peers();
  for (PeerSlot slot = 0; slot < peers.slots_end(); ++slot)
    if (peers[slot].record && peers[slot].wins == 0 && is_taker(peers[slot].record->record))
      spares_.push_back(slot);
}

}  // namespace quadrille::peer

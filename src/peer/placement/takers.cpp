#include "peer/placement/takers.hpp"

#include "wire/limits.hpp"

namespace quadrille::peer {

std::vector<Taker> takers_of(const OwnerMap& owners) {
  const std::vector<std::uint32_t> loads = owners.loads();
  std::vector<Taker> takers;
  takers.reserve(owners.peers().size());
  for (PeerSlot slot = 0; slot < loads.size(); ++slot) {
    if (!owners.peers()[slot].record) continue;
    const wire::PeerRecord& record = owners.peers()[slot].record->record;
    if (!is_taker(record) || record.claims.size() >= wire::claim_runs_max) continue;
    takers.push_back({.peer = record.id, .load = loads[slot], .capacity = record.capacity});
  }
  return takers;
}

WaterLevel fair_level(const OwnerMap& owners) {
  std::vector<Taker> takers;
  takers.reserve(owners.peers().size());
  for (PeerSlot slot = 0; slot < owners.peers().slots_end(); ++slot) {
    if (!owners.peers()[slot].record) continue;
    const wire::PeerRecord& record = owners.peers()[slot].record->record;
    if (is_taker(record))
      takers.push_back({.peer = record.id, .load = 0, .capacity = record.capacity});
  }
  return water_level(takers, owners.grid().cell_count());
}

}  // namespace quadrille::peer

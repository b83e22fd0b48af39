#include "peer/placement/takers.hpp"

namespace quadrille::peer {

std::vector<Taker> takers_of(const OwnerMap& owners) {
  const std::vector<std::uint32_t> loads = owners.loads();
  std::vector<Taker> takers;
  takers.reserve(owners.peers().size());
  for (PeerSlot slot = 0; slot < loads.size(); ++slot) {
    const PeerTable::Row& row = owners.peers()[slot];
    if (row.capacity == 0) continue;
    takers.push_back(
        {.peer = owners.peers().id(slot), .load = loads[slot], .capacity = row.capacity});
  }
  return takers;
}

std::uint32_t takers_with_room(const OwnerMap& owners) {
  const std::vector<std::uint32_t> loads = owners.loads();
  std::uint32_t count = 0;
  for (PeerSlot slot = 0; slot < loads.size(); ++slot)
    count += loads[slot] < owners.peers()[slot].capacity ? 1 : 0;
  return count;
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

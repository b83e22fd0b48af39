#include "peer/placement/peer_table.hpp"

#include <functional>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

std::size_t PeerTable::home(PeerId peer) const {
  return std::hash<PeerId>{}(peer) & (index_.size() - 1);
}

// Where the peer is in the index, or the free place where it would be put.
std::size_t PeerTable::place_of(PeerId peer) const {
  std::size_t place = home(peer);
  while (index_[place] != no_peer && id(index_[place]) != peer)
    place = (place + 1) & (index_.size() - 1);
  return place;
}

PeerSlot PeerTable::find(PeerId peer) const {
  return index_.empty() ? no_peer : index_[place_of(peer)];
}

PeerSlot PeerTable::insert(RecordRef record) {
  CHECK(find(record->record.id) == no_peer, record->record.id);
  if ((size_ + 1) * 4 > index_.size() * 3) rebuild_index(index_.empty() ? 8 : index_.size() * 2);
  const std::size_t place = place_of(record->record.id);
  PeerSlot slot = slots_end();
  if (free_.empty()) {
    if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() + rows_.size() / 8 + 8);
    rows_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  rows_[slot].record = std::move(record);
  index_[place] = slot;
  ++size_;
  return slot;
}

void PeerTable::erase(PeerSlot slot) {
  CHECK(rows_[slot].wins == 0, slot, rows_[slot].wins);
  const std::size_t mask = index_.size() - 1;
  std::size_t hole = place_of(id(slot));
  // Whoever was pushed past the hole moves into it, so that searches never stop short.
  for (std::size_t place = (hole + 1) & mask; index_[place] != no_peer;
       place = (place + 1) & mask) {
    const std::size_t pushed = (place - home(id(index_[place]))) & mask;
    if (pushed < ((place - hole) & mask)) continue;
    index_[hole] = index_[place];
    hole = place;
  }
  index_[hole] = no_peer;
  rows_[slot].record = nullptr;
  free_.push_back(slot);
  --size_;
}

void PeerTable::rebuild_index(std::size_t places) {
  index_.assign(places, no_peer);
  for (PeerSlot slot = 0; slot < slots_end(); ++slot)
    if (rows_[slot].record) index_[place_of(id(slot))] = slot;
}

}  // namespace quadrille::peer

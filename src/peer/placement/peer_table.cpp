#include "peer/placement/peer_table.hpp"

#include <functional>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

namespace {

std::uint64_t hash_of(PeerId peer) {
  return std::hash<PeerId>{}(peer);
}

}  // namespace

PeerTable::PeerTable(std::size_t expected) {
  rows_.reserve(expected);
  index_.reserve(expected);
}

PeerSlot PeerTable::find(PeerId peer) const {
  return index_.find(hash_of(peer), [&](PeerSlot slot) { return id(slot) == peer; });
}

PeerSlot PeerTable::insert(RecordRef record) {
  const PeerId peer = record->record.id;
  CHECK(find(peer) == no_peer, peer);
  PeerSlot slot = slots_end();
  if (free_.empty()) {
    if (rows_.size() == rows_.capacity()) rows_.reserve(rows_.size() + rows_.size() / 8 + 8);
    rows_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  rows_[slot].record = std::move(record);
  index_.insert(hash_of(peer), slot, [&](PeerSlot other) { return hash_of(id(other)); });
  return slot;
}

void PeerTable::erase(PeerSlot slot) {
  CHECK(rows_[slot].wins == 0, slot, rows_[slot].wins);
  index_.erase(hash_of(id(slot)), slot, [&](PeerSlot other) { return hash_of(id(other)); });
  rows_[slot].record = nullptr;
  free_.push_back(slot);
}

}  // namespace quadrille::peer

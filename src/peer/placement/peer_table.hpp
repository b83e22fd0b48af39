// The live peers, each at a slot that stays its own while it lives: so a cell's owner is four
// bytes.
//
// There are as many such tables as there are peers in a simulation, and as many rows in each: hence
// an index of slots by open addressing (Knuth, TAOCP 3, 6.4, Algorithm R removes) rather than a
// map of identities, and growth by eighths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/ids.hpp"
#include "peer/membership/record_pool.hpp"

namespace quadrille::peer {

using PeerSlot = std::uint32_t;
inline constexpr PeerSlot no_peer = std::numeric_limits<PeerSlot>::max();

class PeerTable {
 public:
  struct Row {
    RecordRef record;        // null: nobody's slot
    std::uint32_t wins = 0;  // cells that it owns
  };

  PeerSlot find(PeerId peer) const;  // or no_peer
  PeerSlot insert(RecordRef record);
  void erase(PeerSlot slot);

  Row& operator[](PeerSlot slot) { return rows_[slot]; }
  const Row& operator[](PeerSlot slot) const { return rows_[slot]; }
  PeerId id(PeerSlot slot) const { return rows_[slot].record->record.id; }

  std::size_t size() const { return size_; }
  PeerSlot slots_end() const { return static_cast<PeerSlot>(rows_.size()); }

 private:
  std::size_t home(PeerId peer) const;
  std::size_t place_of(PeerId peer) const;
  void rebuild_index(std::size_t places);

  std::vector<Row> rows_;
  std::vector<PeerSlot> free_;
  std::vector<PeerSlot> index_;  // a power of two, at least a quarter of it free
  std::size_t size_ = 0;
};

}  // namespace quadrille::peer

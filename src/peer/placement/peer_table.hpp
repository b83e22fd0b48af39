// The live peers, each at a slot that stays its own while it lives: so a cell's owner is four
// bytes.
//
// There are as many such tables as there are peers in a simulation, and as many rows in each: hence
// growth by eighths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "peer/membership/place_table.hpp"
#include "peer/membership/record_pool.hpp"

namespace quadrille::peer {

using PeerSlot = PlaceTable::Place;
inline constexpr PeerSlot no_peer = PlaceTable::none;

class PeerTable {
 public:
  // So many peers are to be expected; there may be more (as of a View).
  explicit PeerTable(std::size_t expected = 0);

  struct Row {
    RecordRef record;        // null: nobody's slot
    std::uint32_t wins = 0;  // cells that it owns
    // Cells that it can hold, if it can be given any: a copy, since ten thousand records lie far
    // apart, and these are counted often.
    std::uint32_t capacity = 0;
  };

  PeerSlot find(PeerId peer) const;  // or no_peer
  PeerSlot insert(RecordRef record);
  void erase(PeerSlot slot);

  Row& operator[](PeerSlot slot) { return rows_[slot]; }
  const Row& operator[](PeerSlot slot) const { return rows_[slot]; }
  PeerId id(PeerSlot slot) const { return rows_[slot].record->record.id; }

  std::size_t size() const { return rows_.size() - free_.size(); }
  PeerSlot slots_end() const { return static_cast<PeerSlot>(rows_.size()); }

 private:
  std::vector<Row> rows_;
  std::vector<PeerSlot> free_;
  PlaceTable index_;
};

}  // namespace quadrille::peer

// Donors whose state was none here. Either of the two may be broken, and neither can tell which. So
// each costs this peer room for one cell, by which the donor learns that its cell was declined, and
// is asked for nothing more: for a while, and each time for twice as long.
//
// A peer that is broken itself thus keeps a cell from its owner no longer than a transfer takes,
// and ever more seldom; a broken donor costs a taker one cell's room, and that only until a state
// from somebody else has started there.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"

namespace quadrille::peer {

class Doubts {
 public:
  static constexpr Duration shortest = std::chrono::minutes(1);
  static constexpr Duration longest = std::chrono::hours(1);

  // Until when the donor is doubted.
  TimePoint add(PeerId donor, TimePoint now);
  // A state has started here: the fault was not this peer's. Whether that made room.
  bool give_back_room();
  // Those end that have lasted long enough. Whether that made room.
  bool end(TimePoint now);

  bool contains(PeerId donor) const;
  std::uint32_t room_taken() const;  // cells
  std::optional<TimePoint> due() const;

 private:
  struct Doubt {
    PeerId donor;
    TimePoint until;
    bool takes_room = true;
  };

  std::vector<Doubt> doubts_;
  Duration length_ = shortest;  // of the next one
};

}  // namespace quadrille::peer

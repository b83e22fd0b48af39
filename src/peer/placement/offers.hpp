// Cells that others yield to this peer: of each giver one whose state is being fetched, and those
// that could not be had.
//
// One at a time and in ascending order, so that a giver's stretch shrinks from its front and the
// claims here grow at their end: neither breaks up into more runs than a record has room for. All
// from one giver are claimed under one stamp for the same reason.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/placement/grid.hpp"

namespace quadrille::peer {

struct Giver {
  std::uint64_t stamp = 0;
  std::optional<std::uint32_t> fetching;      // a position
  std::map<std::uint32_t, TimePoint> failed;  // positions, not to be asked for before then
};

class Offers {
 public:
  const std::map<PeerId, Giver>& givers() const { return givers_; }
  Giver* find(PeerId giver);
  // Who gives the cell that is being fetched.
  std::optional<PeerId> giver_of(std::uint32_t position) const;
  std::uint32_t fetching_count() const;

  // Known from now on, with that stamp if it was not.
  Giver& meet(PeerId giver, std::uint64_t stamp);
  void forget(PeerId giver) { givers_.erase(giver); }
  // When the first of what failed may be tried again.
  std::optional<TimePoint> retry_due() const;
  void forget_failures(TimePoint now);
  // The grid grew: the same cells at their new positions.
  void renumber(const Grid& from, const Grid& to);

 private:
  std::map<PeerId, Giver> givers_;  // few: those that yield something to this peer
};

}  // namespace quadrille::peer

// Grids that grow: which grids a run may come to, and when a peer proposes the next one.
//
// There is one grid for each epoch, the genesis grown so many times: whoever sees an epoch in a
// record knows the grid, two who propose at once propose the same, and a record that states another
// grid of that epoch is not believed. A row or column is added at the seam, so that no cell is
// renumbered and only the seam's cells get a new neighbour.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/time.hpp"
#include "peer/placement/grid.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

enum class Growth : std::uint8_t { Fixed, Rows, Columns };

struct GrowthRule {
  Grid genesis;
  Growth growth = Growth::Fixed;
  Grid largest;  // of a grid that grows

  bool admits(const wire::GridEpoch& epoch) const;
  // The grid after this one; nothing when it is the largest.
  std::optional<Grid> next(const Grid& grid) const;
  // The grid under which a record's claims are to be read: its own when that is admitted.
  Grid grid_of(const wire::PeerRecord& record) const;
};

// How many peers it takes before the grid is worth growing: one for each cell, and for each of a
// further row or column, whichever is longer.
std::uint32_t peers_to_grow(const Grid& grid);

// For how long there have been enough peers for the grid after this one.
class GrowthPatience {
 public:
  // Proposals of peers that rank one behind the other are this far apart, so that one is seen by
  // everybody before the next is made.
  static constexpr Duration stagger = std::chrono::seconds(5);

  explicit GrowthPatience(Duration patience) : patience_(patience) {}

  void note(const Grid& grid, bool enough, TimePoint now);
  // When this peer's rank among all is to be found out, or, once rank() was called, when it is to
  // propose. Nothing while there are too few peers.
  std::optional<TimePoint> due() const { return due_; }
  bool ranked() const { return ranked_; }
  void rank(std::uint32_t rank);

 private:
  Duration patience_;
  std::uint32_t epoch_ = 0;
  std::optional<TimePoint> due_;
  bool ranked_ = false;
};

}  // namespace quadrille::peer

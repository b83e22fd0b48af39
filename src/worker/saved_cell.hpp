// A cell as it is handed on: its complete state, or a snapshot of it alone.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/learner.hpp"

namespace quadrille::worker {

// A cell that moves takes its last two with it: an adopted neighbour may still ask for the older.
inline constexpr std::size_t saved_snapshots_max = 2;

// What a cell published at one round.
struct PublishedSnapshot {
  Round round;
  std::vector<float> values;  // all sections, in the order of Learner::sections()
  ByteBuffer exact;
  std::map<CellIndex, Round> heard;  // the newest round of each cell that this one was given before

  bool operator==(const PublishedSnapshot&) const = default;
};

struct SavedCell {
  CellIndex cell;
  peer::CellState state;
  std::vector<PublishedSnapshot> snapshots;  // oldest first
};

struct SavedSnapshot {
  CellIndex cell;
  PublishedSnapshot snapshot;
};

}  // namespace quadrille::worker

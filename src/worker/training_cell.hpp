// A cell that the learner has, as its worker sees it: whether it can go on, and what with.
//
//                 Need                  AdvanceCell
//   Ready --------------------> Waiting ------------> Ready
//     |  \ it only paused  ^
//     |   `----------------'    any --Failed--> Failed
//     `--Done--> Done
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/learner.hpp"
#include "peer/worker.hpp"

namespace quadrille::worker {

// A copy of what a SnapshotView shows.
struct HeldSnapshot {
  CellIndex cell;
  Round round;
  std::vector<float> values;
  ByteBuffer exact;
  std::optional<Round> heard;

  peer::SnapshotView view() const {
    return {.cell = cell, .round = round, .values = values, .exact = exact, .heard = heard};
  }
};

struct TrainingCell {
  enum class Phase : std::uint8_t { Ready, Waiting, Done, Failed };
  Phase phase = Phase::Ready;
  bool is_parked = false;              // it is being handed over
  bool is_restored = false;            // and was not advanced since
  bool is_at_boundary = false;         // Learner::save() is allowed
  std::vector<peer::SaveState> saves;  // that wait for the boundary

  // What it is to be advanced with.
  std::vector<HeldSnapshot> snapshots;
  std::vector<peer::AdvanceCell::DirectInput> chunks;
  bool deadline_passed = false;
  std::map<CellIndex, Round> given;  // the newest round of each source that it was advanced with

  bool can_advance() const { return phase == Phase::Ready && !is_parked; }
};

}  // namespace quadrille::worker

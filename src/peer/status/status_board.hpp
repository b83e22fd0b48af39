// How all cells are doing, as their owners last said: the soft state that travels beside the
// digested records. The latest wins; nothing is repaired; every entry has an age.
//
// What each datagram carries of it is bounded (wire::status_bytes_max), and owners speak the less
// often the more cells there are, so that the traffic of one peer does not grow with the run.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "wire/cell_status.hpp"

namespace quadrille::peer {

class StatusBoard {
 public:
  explicit StatusBoard(PeerId self);

  // What an own cell reports; said to others when its turn comes.
  void set_own(wire::CellStatus status, TimePoint now);
  void drop_own(CellIndex cell);
  void set_scale(std::size_t live_peers, std::size_t cells);

  // From a datagram. False: older than what is known, and nothing changed.
  bool merge(const wire::CellStatus& status, TimePoint now);
  // What the next datagram carries, of `bytes` at most; ages are as of now.
  std::vector<wire::CellStatus> pick(std::size_t bytes, TimePoint now);

  std::optional<wire::CellStatus> find(CellIndex cell, TimePoint now) const;
  std::vector<wire::CellStatus> all(TimePoint now) const;
  // Cells whose status changed since the last call; for watchers.
  std::vector<CellIndex> take_changed();
};

}  // namespace quadrille::peer

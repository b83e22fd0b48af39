// What one watcher is sent: the whole view once, then events and statuses that changed. Bounded: a
// watcher that reads slowly gets the latest of each cell and a gap among the events, never a queue
// that grows.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "peer/membership/view.hpp"
#include "peer/status/status_board.hpp"
#include "peer/stream.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {

// The last events of this peer, for all its watchers.
class EventRing {
 public:
  static constexpr std::size_t events_max = 1024;
  void add(wire::WatchEvent event);  // sets its sequence
  // Those from `sequence` on that are still there; the next sequence is the last one's + 1.
  std::vector<wire::WatchEvent> since(std::uint64_t sequence, std::size_t count_max) const;
  std::uint64_t next_sequence() const { return next_sequence_; }

 private:
  std::vector<wire::WatchEvent> events_;
  std::uint64_t next_sequence_ = 1;
};

}  // namespace quadrille::peer

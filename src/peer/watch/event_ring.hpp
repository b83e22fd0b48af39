// The last events of this peer, for all its watchers. Older ones make way: who asks for them sees
// by the sequence numbers how many it missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "wire/watch_messages.hpp"

namespace quadrille::peer {

class EventRing {
 public:
  static constexpr std::size_t events_max = 1024;

  // Sets its sequence, and cuts a text that is too long. What is returned stands until the next.
  const wire::WatchEvent& add(wire::WatchEvent event);
  // Those from `sequence` on that are still there, the oldest first; the next sequence is the last
  // one's + 1.
  std::vector<wire::WatchEvent> since(std::uint64_t sequence, std::size_t count_max) const;
  std::uint64_t next_sequence() const { return next_sequence_; }

 private:
  std::vector<wire::WatchEvent> events_;  // the one of sequence s at (s - 1) % events_max
  std::uint64_t next_sequence_ = 1;
};

}  // namespace quadrille::peer

// Who handed which state over. The bytes of a real state do not say it, and an invariant of the
// world asks (I7): so workers of one world tell each other, beside the peers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "sim/event_queue.hpp"

namespace quadrille::swarm {

class Handovers {
 public:
  void add(const ByteBuffer& state, sim::NodeIndex by) { by_[hash_of(state, 0)] = by; }
  std::optional<sim::NodeIndex> find(const ByteBuffer& state) const {
    const auto found = by_.find(hash_of(state, 0));
    return found == by_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::map<std::uint64_t, sim::NodeIndex> by_;  // the last one of each, by the state's hash
};

}  // namespace quadrille::swarm

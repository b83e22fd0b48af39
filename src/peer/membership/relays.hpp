// Pings that this peer sends for others who hear nothing from a member. The answer is passed back;
// when none comes in time, a Nack says that this peer at least is there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::peer {

inline constexpr std::size_t relays_max = 256;  // under way at once; further requests are dropped

struct Relay {
  std::uint32_t sequence = 0;  // of this peer's ping
  PeerId target;
  PeerId asker;
  wire::Endpoint asker_endpoint;
  std::uint32_t asker_sequence = 0;
  TimePoint deadline;  // those begun later end later
};

class Relays {
 public:
  bool full() const { return relays_.size() == relays_max; }
  void begin(const Relay& relay);
  // The target answered that ping: whom to tell.
  std::optional<Relay> take_answered(std::uint32_t sequence, PeerId sender);
  // Whom to tell that it did not.
  std::optional<Relay> take_due(TimePoint now);
  std::optional<TimePoint> wake_at() const;

 private:
  std::deque<Relay> relays_;
};

}  // namespace quadrille::peer

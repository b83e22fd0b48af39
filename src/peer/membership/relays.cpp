#include "peer/membership/relays.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::peer {

void Relays::begin(const Relay& relay) {
  CHECK(!full());
  relays_.push_back(relay);
}

std::optional<Relay> Relays::take_answered(std::uint32_t sequence, PeerId sender) {
  const auto found = std::ranges::find(relays_, sequence, &Relay::sequence);
  if (found == relays_.end() || found->target != sender) return std::nullopt;
  const Relay relay = *found;
  relays_.erase(found);
  return relay;
}

std::optional<Relay> Relays::take_due(TimePoint now) {
  if (relays_.empty() || relays_.front().deadline > now) return std::nullopt;
  const Relay relay = relays_.front();
  relays_.pop_front();
  return relay;
}

std::optional<TimePoint> Relays::wake_at() const {
  if (relays_.empty()) return std::nullopt;
  return relays_.front().deadline;
}

}  // namespace quadrille::peer

#include "peer/placement/doubts.hpp"

#include <algorithm>
#include <utility>

namespace quadrille::peer {

TimePoint Doubts::add(PeerId donor, TimePoint now) {
  const TimePoint until = now + std::exchange(length_, std::min(2 * length_, longest));
  doubts_.push_back({.donor = donor, .until = until});
  return until;
}

bool Doubts::give_back_room() {
  const bool made_room = room_taken() > 0;
  for (Doubt& doubt : doubts_) doubt.takes_room = false;
  return made_room;
}

bool Doubts::end(TimePoint now) {
  const std::uint32_t before = room_taken();
  std::erase_if(doubts_, [now](const Doubt& doubt) { return doubt.until <= now; });
  return room_taken() < before;
}

bool Doubts::contains(PeerId donor) const {
  return std::ranges::find(doubts_, donor, &Doubt::donor) != doubts_.end();
}

std::uint32_t Doubts::room_taken() const {
  return static_cast<std::uint32_t>(std::ranges::count(doubts_, true, &Doubt::takes_room));
}

std::optional<TimePoint> Doubts::due() const {
  if (doubts_.empty()) return std::nullopt;
  return std::ranges::min(doubts_, {}, &Doubt::until).until;
}

}  // namespace quadrille::peer

#include "peer/watch/event_ring.hpp"

#include <algorithm>
#include <utility>

#include "wire/limits.hpp"
#include "wire/text.hpp"

namespace quadrille::peer {

const wire::WatchEvent& EventRing::add(wire::WatchEvent event) {
  event.sequence = next_sequence_++;
  event.text = wire::fitting_line(event.text, wire::reason_bytes_max);
  if (events_.size() < events_max) return events_.emplace_back(std::move(event));
  return events_[(event.sequence - 1) % events_max] = std::move(event);
}

std::vector<wire::WatchEvent> EventRing::since(std::uint64_t sequence,
                                               std::size_t count_max) const {
  std::vector<wire::WatchEvent> events;
  const std::uint64_t oldest = next_sequence_ - events_.size();
  for (std::uint64_t next = std::max(sequence, oldest);
       next < next_sequence_ && events.size() < count_max; ++next)
    events.push_back(events_[(next - 1) % events_max]);
  return events;
}

}  // namespace quadrille::peer

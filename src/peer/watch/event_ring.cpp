#include "peer/watch/event_ring.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// So many bytes at most, and no half of a UTF-8 sequence at the end.
void cut(std::string& text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return;
  std::size_t bytes = bytes_max;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0U) == 0x80U) --bytes;
  text.resize(bytes);
}

}  // namespace

void EventRing::add(wire::WatchEvent event) {
  event.sequence = next_sequence_++;
  cut(event.text, wire::reason_bytes_max);
  if (events_.size() < events_max) {
    events_.push_back(std::move(event));
  } else {
    events_[(event.sequence - 1) % events_max] = std::move(event);
  }
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

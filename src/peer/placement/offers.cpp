#include "peer/placement/offers.hpp"

#include <algorithm>
#include <utility>

namespace quadrille::peer {

Giver* Offers::find(PeerId giver) {
  const auto found = givers_.find(giver);
  return found == givers_.end() ? nullptr : &found->second;
}

std::optional<PeerId> Offers::giver_of(std::uint32_t position) const {
  for (const auto& [id, giver] : givers_)
    if (giver.fetching == position) return id;
  return std::nullopt;
}

std::uint32_t Offers::fetching_count() const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      givers_, [](const auto& entry) { return entry.second.fetching.has_value(); }));
}

Giver& Offers::meet(PeerId giver, std::uint64_t stamp) {
  return givers_.try_emplace(giver, Giver{.stamp = stamp, .fetching = {}, .failed = {}})
      .first->second;
}

std::optional<TimePoint> Offers::retry_due() const {
  std::optional<TimePoint> due;
  for (const auto& [id, giver] : givers_)
    for (const auto& [position, retry_at] : giver.failed)
      if (!due || retry_at < *due) due = retry_at;
  return due;
}

void Offers::forget_failures(TimePoint now) {
  for (auto& [id, giver] : givers_)
    std::erase_if(giver.failed, [now](const auto& entry) { return entry.second <= now; });
}

void Offers::renumber(const Grid& from, const Grid& to) {
  const auto moved = [&](std::uint32_t position) { return to.position_of(from.cell_at(position)); };
  for (auto& [id, giver] : givers_) {
    if (giver.fetching) giver.fetching = moved(*giver.fetching);
    std::map<std::uint32_t, TimePoint> failed;
    for (const auto& [position, retry_at] : giver.failed) failed.emplace(moved(position), retry_at);
    giver.failed = std::move(failed);
  }
}

}  // namespace quadrille::peer

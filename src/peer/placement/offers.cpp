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

void Offers::renumber(const Grid& from, const Grid& to) {
  const auto moved = [&](std::uint32_t position) { return to.position_of(from.cell_at(position)); };
  for (auto& [id, giver] : givers_) {
    if (giver.fetching) giver.fetching = moved(*giver.fetching);
    std::set<std::uint32_t> failed;
    for (const std::uint32_t position : giver.failed) failed.insert(moved(position));
    giver.failed = std::move(failed);
  }
}

}  // namespace quadrille::peer

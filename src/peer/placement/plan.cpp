#include "peer/placement/plan.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace quadrille::peer {

namespace {

// How many more cells bring everybody up to the level.
std::uint64_t cells_below_level(std::span<const Taker> takers, std::uint64_t level) {
  std::uint64_t cells = 0;
  for (const Taker& taker : takers) {
    const auto top = std::min<std::uint64_t>(level, taker.capacity);
    if (top > taker.load) cells += top - taker.load;
  }
  return cells;
}

// What is left to give, while it is given.
class Room {
 public:
  Room(std::span<const Taker> takers, std::uint32_t cells)
      : level_(water_level(takers, cells)), loads_(takers.size()), takers_(takers) {
    for (std::size_t i = 0; i < takers.size(); ++i) loads_[i] = takers[i].load;
  }

  // Once false for a taker it is never true again: so a search need not look back.
  bool has(std::uint32_t taker) const {
    const std::uint32_t load = loads_[taker];
    if (load >= takers_[taker].capacity) return false;
    return load < level_.floor || (load == level_.floor && level_.extra > 0);
  }
  void take(std::uint32_t taker) {
    if (loads_[taker] == level_.floor) --level_.extra;
    ++loads_[taker];
  }

 private:
  WaterLevel level_;
  std::vector<std::uint32_t> loads_;
  std::span<const Taker> takers_;
};

// The takers that have room, by their place on the ring of 2^64: of a large fleet that begins, few
// are left when most have taken their share.
std::vector<std::pair<std::uint64_t, std::uint32_t>> ring_of(std::span<const Taker> takers,
                                                             const Room& room) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> ring;
  for (std::uint32_t i = 0; i < takers.size(); ++i)
    if (room.has(i)) ring.emplace_back(chain(takers[i].peer.high, takers[i].peer.low), i);
  std::ranges::sort(ring, [&](const auto& a, const auto& b) {
    return a.first != b.first ? a.first < b.first : takers[a.second].peer < takers[b.second].peer;
  });
  return ring;
}

}  // namespace

WaterLevel water_level(std::span<const Taker> takers, std::uint32_t cells) {
  if (takers.empty()) return {};
  const std::uint64_t capacity_max = std::ranges::max(takers, {}, &Taker::capacity).capacity;
  const std::uint64_t load_max = std::ranges::max(takers, {}, &Taker::load).load;
  std::uint64_t low = 0;  // reached; above high nothing is gained
  std::uint64_t high = std::min(capacity_max, load_max + cells);
  while (low < high) {
    const std::uint64_t middle = (low + high + 1) / 2;
    if (cells_below_level(takers, middle) <= cells)
      low = middle;
    else
      high = middle - 1;
  }
  const std::uint64_t rest = cells - cells_below_level(takers, low);
  const auto higher = static_cast<std::uint64_t>(std::ranges::count_if(
      takers, [&](const Taker& taker) { return taker.load <= low && taker.capacity > low; }));
  return {.floor = static_cast<std::uint32_t>(low),
          .extra = static_cast<std::uint32_t>(std::min(rest, higher))};
}

std::vector<std::uint32_t> plan(std::span<const std::uint32_t> vacant, std::uint32_t cell_count,
                                std::span<const Taker> takers) {
  std::vector<std::uint32_t> given(vacant.size(), nobody);
  Room room(takers, static_cast<std::uint32_t>(vacant.size()));
  const auto ring = ring_of(takers, room);
  const std::uint64_t width = ~std::uint64_t{0} / cell_count;  // of a cell on the ring
  // Two sweeps are enough: the next cell lies further on, and whoever was full stays so. The second
  // is for cells after which nobody on the ring has room: they begin again at its start.
  std::size_t ahead = 0;
  std::size_t around = 0;
  for (std::size_t i = 0; i < vacant.size(); ++i) {
    CHECK(vacant[i] < cell_count, vacant[i], cell_count);
    const std::uint64_t place = vacant[i] * width;
    while (ahead < ring.size() && (ring[ahead].first < place || !room.has(ring[ahead].second)))
      ++ahead;
    std::size_t next = ahead;
    if (ahead == ring.size()) {
      while (around < ring.size() && !room.has(ring[around].second)) ++around;
      if (around == ring.size()) break;
      next = around;
    }
    given[i] = ring[next].second;
    room.take(given[i]);
  }
  return given;
}

}  // namespace quadrille::peer

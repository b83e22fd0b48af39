// Who should take the vacant cells: consistent hashing with bounded loads (Mirrokni, Thorup,
// Zadimoghaddam, SODA 2018). Peers lie on a ring at the hash of their identity, cells in their
// order; each cell goes to the next peer clockwise that has room. Everybody with the same view
// computes the same plan, and one with nearly the same view nearly the same.
//
// Since cells go in ascending order, what a peer is given is one stretch of the vacant cells, or
// two where the ring closes. So its claims stay few runs, which is all that a record has room for.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/ids.hpp"

namespace quadrille::peer {

// A peer that can take cells: how many it has, and how many it can hold.
struct Taker {
  PeerId peer;
  std::uint32_t load = 0;
  std::uint32_t capacity = 0;
};

// Cells poured over the takers, into the emptiest first: all that can come up to `floor`, and
// `extra` of them hold one more.
struct WaterLevel {
  std::uint32_t floor = 0;
  std::uint32_t extra = 0;

  std::uint32_t ceiling() const { return floor + (extra > 0 ? 1 : 0); }
  bool operator==(const WaterLevel&) const = default;
};
WaterLevel water_level(std::span<const Taker> takers, std::uint32_t cells);

inline constexpr std::uint32_t nobody = std::numeric_limits<std::uint32_t>::max();

// For each of the vacant cells, given by ascending position, the index of its taker; or nobody when
// all are full.
std::vector<std::uint32_t> plan(std::span<const std::uint32_t> vacant, std::uint32_t cell_count,
                                std::span<const Taker> takers);

}  // namespace quadrille::peer

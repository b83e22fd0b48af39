// The torus whose cells are shared out, and its neighbours.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

// Cells are numbered row * stride + column. A grid of fixed size has stride = columns, and its
// indices are 0 to cell_count() - 1; one that may grow leaves gaps.
struct Grid {
  wire::GridEpoch epoch;
  std::uint16_t stride = 1;

  std::uint32_t cell_count() const { return std::uint32_t{epoch.rows} * epoch.columns; }
  // One more than the largest index.
  std::uint32_t index_end() const;
  bool contains(CellIndex cell) const;
  // The n-th cell in ascending order, and its place in that order.
  CellIndex cell_at(std::uint32_t position) const;
  std::uint32_t position_of(CellIndex cell) const;
  // What a run of cells is in indices, gaps included: as records say it.
  struct Indices {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  Indices indices_of(std::uint32_t first_position, std::uint32_t cells) const;
  // How many cells have a smaller index: the position at which a run of indices begins.
  std::uint32_t cells_below(std::uint64_t index) const;

  bool operator==(const Grid&) const = default;
};

enum class Direction : std::uint8_t { West, North, East, South };
inline constexpr std::array<Direction, 4> all_directions = {Direction::West, Direction::North,
                                                            Direction::East, Direction::South};

// The next cell that way; on a ring of one, the cell itself.
CellIndex step(const Grid& grid, CellIndex cell, Direction direction);

}  // namespace quadrille::peer

#include "peer/placement/grid.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::peer {

std::uint32_t Grid::index_end() const {
  if (cell_count() == 0) return 0;
  return (epoch.rows - 1U) * stride + epoch.columns;
}

bool Grid::contains(CellIndex cell) const {
  return cell.value / stride < epoch.rows && cell.value % stride < epoch.columns;
}

CellIndex Grid::cell_at(std::uint32_t position) const {
  CHECK(position < cell_count(), position, cell_count());
  return {position / epoch.columns * stride + position % epoch.columns};
}

std::uint32_t Grid::position_of(CellIndex cell) const {
  CHECK(contains(cell), cell);
  return cells_below(cell.value);
}

Grid::Indices Grid::indices_of(std::uint32_t first_position, std::uint32_t cells) const {
  const std::uint32_t first = cell_at(first_position).value;
  const std::uint32_t last = cell_at(first_position + cells - 1).value;
  return {.first = first, .count = last - first + 1};
}

std::uint32_t Grid::cells_below(std::uint64_t index) const {
  if (index >= index_end()) return cell_count();
  const auto row = static_cast<std::uint32_t>(index / stride);
  const auto column = static_cast<std::uint32_t>(index % stride);
  return row * epoch.columns + std::min<std::uint32_t>(column, epoch.columns);
}

CellIndex step(const Grid& grid, CellIndex cell, Direction direction) {
  CHECK(grid.contains(cell), cell);
  const std::uint32_t rows = grid.epoch.rows;
  const std::uint32_t columns = grid.epoch.columns;
  std::uint32_t row = cell.value / grid.stride;
  std::uint32_t column = cell.value % grid.stride;
  switch (direction) {
    case Direction::West:
      column = (column + columns - 1) % columns;
      break;
    case Direction::North:
      row = (row + rows - 1) % rows;
      break;
    case Direction::East:
      column = (column + 1) % columns;
      break;
    case Direction::South:
      row = (row + 1) % rows;
      break;
  }
  return {row * grid.stride + column};
}

}  // namespace quadrille::peer

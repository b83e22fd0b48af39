#include "train/lipizzaner/neighbourhood.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/check.hpp"

namespace quadrille::train {
namespace {

// One step on the torus; -1 is up and to the left.
struct Offset {
  int rows;
  int columns;
};

// The first four make the cross.
constexpr std::array<Offset, 8> directions{
    {{0, -1}, {-1, 0}, {0, 1}, {1, 0}, {-1, -1}, {-1, 1}, {1, 1}, {1, -1}}};
constexpr std::size_t cross_directions = 4;

std::uint32_t wrapped(std::uint32_t place, int step, std::uint32_t count) {
  if (step < 0) return (place + count - 1) % count;
  return (place + static_cast<std::uint32_t>(step)) % count;
}

CellIndex moved(CellIndex cell, GridShape grid, Offset offset) {
  const std::uint32_t row = wrapped(cell.value / grid.columns, offset.rows, grid.rows);
  const std::uint32_t column = wrapped(cell.value % grid.columns, offset.columns, grid.columns);
  return {row * grid.columns + column};
}

CellIndex mirrored(CellIndex cell, GridShape grid) {
  CHECK(grid.rows == grid.columns, grid.rows, grid.columns);
  return {cell.value % grid.columns * grid.columns + cell.value / grid.columns};
}

void add_once(std::vector<CellIndex>& neighbours, CellIndex cell, CellIndex neighbour) {
  if (neighbour != cell && std::ranges::find(neighbours, neighbour) == neighbours.end())
    neighbours.push_back(neighbour);
}

}  // namespace

std::vector<CellIndex> neighbours_of(CellIndex cell, GridShape grid, Neighbourhood neighbourhood) {
  const std::uint32_t count = grid.cell_count();
  CHECK(cell.value < count, cell, count);
  std::vector<CellIndex> neighbours;
  if (neighbourhood.kind == NeighbourhoodKind::Ring) {
    // Half-way round, left and right have met.
    const std::uint32_t reach = std::min(neighbourhood.radius, count / 2);
    for (std::uint32_t distance = 1; distance <= reach; ++distance) {
      add_once(neighbours, cell, {(cell.value + count - distance) % count});
      add_once(neighbours, cell, {(cell.value + distance) % count});
    }
    return neighbours;
  }
  const bool moore = neighbourhood.kind == NeighbourhoodKind::Moore;
  const bool transposed = neighbourhood.kind == NeighbourhoodKind::TransposedCross;
  const CellIndex around = transposed ? mirrored(cell, grid) : cell;
  for (const Offset offset :
       std::span(directions).first(moore ? directions.size() : cross_directions))
    add_once(neighbours, cell, moved(around, grid, offset));
  return neighbours;
}

std::size_t neighbourhood_size(GridShape grid, Neighbourhood neighbourhood) {
  // A transposed cross is as large, also where a run file asks for one on a grid that has no mirror
  // images.
  if (neighbourhood.kind == NeighbourhoodKind::TransposedCross)
    neighbourhood.kind = NeighbourhoodKind::Cross;
  return 1 + neighbours_of({0}, grid, neighbourhood).size();
}

}  // namespace quadrille::train

// Who reads whom on the torus. The relation is reciprocal:
// j is a neighbour of i exactly when i is one of j.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "train/lipizzaner/options.hpp"

namespace quadrille::train {

struct Neighbourhood {
  NeighbourhoodKind kind = NeighbourhoodKind::Cross;
  std::uint32_t radius = 1;  // of a ring
};

// The neighbours of `cell`, each once and never itself (on small grids several directions meet in
// one cell). Cross: W, N, E, S. Moore: the same, then NW, NE, SE, SW. Ring: one to the left, one to
// the right, two to the left, and so on to the radius.
std::vector<CellIndex> neighbours_of(CellIndex cell, GridShape grid, Neighbourhood neighbourhood);

// The members of a neighbourhood, the cell itself among them: equally many for every cell.
std::size_t neighbourhood_size(GridShape grid, Neighbourhood neighbourhood);

}  // namespace quadrille::train

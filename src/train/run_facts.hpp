// What is true of a run whichever algorithm trains it. The ranges are checked where the run file is
// read (node/spec).
#pragma once

#include <cstdint>

#include "base/ids.hpp"
#include "data/cell_rows.hpp"

namespace quadrille::train {

// How the data are split between cells. All: every cell draws from the whole set. Label: each cell
// owns a share of the classes.
enum class Partition : std::uint8_t { All, Label };

struct RunFacts {
  std::uint64_t seed = 1;
  GridShape grid{2, 2};
  std::uint64_t generations = 100;

  // The data of a cell.
  double data_fraction = 1;  // below 1: each cell its own subset, drawn from its own stream
  Partition partition = Partition::All;

  data::CellShare share_of(CellIndex cell) const {
    return {.seed = seed,
            .cell = cell,
            .cell_count = grid.cell_count(),
            .fraction = data_fraction,
            .partition_by_label = partition == Partition::Label};
  }
};

}  // namespace quadrille::train

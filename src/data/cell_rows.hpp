// Which rows of a data set a cell draws from: a pure function of the run's seed and the cell, so
// that whoever works the cell, now or after it was adopted, sees the same rows.
//
// By label: the classes that occur are put in an order drawn once for the run. With no more cells
// than classes, cell c owns the classes at places c, c + cells, c + 2 cells...: every class has
// exactly one owner, and no cell owns more than one class above another. With more cells than
// classes, cell c owns the one at place c modulo classes, and cells share all rows of a class.
//
// fraction: of the rows that this leaves, each cell draws its own random subset from its own
// stream; subsets of two cells overlap by chance.
#pragma once

#include <cstdint>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "data/dataset.hpp"

namespace quadrille::data {

struct CellShare {
  std::uint64_t seed = 0;  // the run's
  CellIndex cell;
  std::uint32_t cell_count = 1;
  double fraction = 1;  // 0 < fraction <= 1; at least one row is drawn
  bool partition_by_label = false;
};

// The classes that the cell owns, ascending; all that
// occur unless partitioned. None without labels.
std::vector<std::uint8_t> classes_of_cell(const Dataset& dataset, const CellShare& share);

// Ascending, without repeats, never empty. Config error for a fraction out of range, or a label
// partition of a set without labels.
Result<std::vector<std::uint32_t>> rows_of_cell(const Dataset& dataset, const CellShare& share);

}  // namespace quadrille::data

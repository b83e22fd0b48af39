// Where a cell stands after its last generation, as it said or as a checkpoint holds it, and which
// of several stands best: one rule for training, for what goes on from a checkpoint, and for what
// only looks at one.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

struct Standing {
  std::uint64_t generation = 0;  // that it has ended
  std::uint64_t images_seen = 0;
  std::optional<double> score = {};  // lower is better; none where it was not measured
  std::optional<double> generator_fitness = {};
  std::optional<double> discriminator_fitness = {};

  bool operator==(const Standing&) const = default;
};

Standing standing_of(const peer::Status& status);
// By the names of the state's counters; what is not there is not known.
Standing standing_of(const peer::CellState& state);

// The cell with the best score, or where none is measured, with the fittest generator; the first of
// those that are alike. There is at least one.
CellIndex best_cell(const std::map<CellIndex, Standing>& standings);

// Generations that a cell has ended, on average; at least one cell.
double mean_generation(const std::map<CellIndex, Standing>& standings);

}  // namespace quadrille::node

// What all cells of a run share in one process, fixed before the first one starts.
#pragma once

#include <utility>
#include <vector>

#include "base/ids.hpp"
#include "compute/backend.hpp"
#include "data/dataset.hpp"
#include "nn/models.hpp"
#include "nn/network.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner/neighbourhood.hpp"
#include "train/lipizzaner/options.hpp"
#include "train/lipizzaner/resident_data.hpp"
#include "train/run_facts.hpp"
#include "train/score/scorer.hpp"

namespace quadrille::train {

struct Setup {
  Setup(const RunFacts& run_facts, const LipizzanerOptions& run_options, nn::GanModel model,
        compute::Backend& device, const data::Dataset& data_set, Scorer* score)
      : run(run_facts),
        options(run_options),
        generator(std::move(model.generator)),
        discriminator(std::move(model.discriminator)),
        layout({.generator = generator.parameter_count(),
                .discriminator = discriminator.parameter_count()},
               options),
        backend(device),
        dataset(data_set),
        data(device, data_set),
        scorer(score) {}
  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  std::vector<CellIndex> neighbours(CellIndex cell) const {
    return neighbours_of(cell, run.grid, {options.neighbourhood, options.radius});
  }
  // The center and its neighbours.
  std::size_t members_max() const {
    return neighbourhood_size(run.grid, {options.neighbourhood, options.radius});
  }

  RunFacts run;
  LipizzanerOptions options;
  nn::Network generator;
  nn::Network discriminator;
  SnapshotLayout layout;
  compute::Backend& backend;
  const data::Dataset& dataset;
  ResidentData data;
  Scorer* scorer;  // or none: mixtures keep their weights then
};

}  // namespace quadrille::train

// The Lipizzaner learners of a world's hosts: small ones, of points on a ring, so that a round of a
// cell costs a few milliseconds. All share one data set and one thread.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "base/worker_pool.hpp"
#include "compute/backend.hpp"
#include "data/dataset.hpp"
#include "peer/learner.hpp"
#include "sim/report.hpp"
#include "sim/world.hpp"
#include "sim/world_options.hpp"
#include "swarm/handovers.hpp"
#include "train/lipizzaner/options.hpp"
#include "train/run_facts.hpp"

namespace quadrille::swarm {

class LipizzanerFleet {
 public:
  // Usage for a world whose grid grows: these learners have the torus that they began with.
  static Result<std::unique_ptr<LipizzanerFleet>> make(const sim::WorldOptions& world);

  std::unique_ptr<peer::Learner> make_learner();
  // For WorldOptions::make_worker; the fleet outlives the world.
  sim::WorkerFactory factory();
  // What an exchange of weights costs, against sending them as they are.
  void add_figures(const sim::World& world, sim::Report& report);

 private:
  LipizzanerFleet(const sim::WorldOptions& world, data::Dataset dataset);

  train::RunFacts run_;
  train::LipizzanerOptions options_;
  data::Dataset dataset_;
  Handovers handovers_;
  WorkerPool pool_{1};
  std::unique_ptr<compute::Backend> backend_;
};

}  // namespace quadrille::swarm

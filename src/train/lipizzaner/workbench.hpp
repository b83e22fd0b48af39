// What a cell works with during one advance() and hands on to the next: the scratch memory of a
// training step, of a fitness test and of a mixture. There is one per thread that works cells, not
// one per cell; a cell synchronises its queue before it hands the bench on.
//
// The three tools lie in the same memory. Each writes all that it reads within one call, and a
// queue works the calls in order: so the next one may write over what the last one left.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compute/backend.hpp"
#include "nn/gan_step.hpp"
#include "train/lipizzaner/fitness.hpp"
#include "train/lipizzaner/mixture.hpp"
#include "train/lipizzaner/setup.hpp"

namespace quadrille::train {

class Workbench {
 public:
  explicit Workbench(const Setup& setup)
      : arena_(setup.backend.make_arena()),
        step(*arena_, {.generator = setup.generator, .discriminator = setup.discriminator},
             setup.options.batch_size),
        batch_rows(arena_->words(setup.options.batch_size)),
        // One more for the offspring.
        fitness(rewound(), setup.generator, setup.discriminator, setup.data,
                setup.members_max() + 1),
        mixture(rewound(), setup.generator) {
    if (setup.scorer) samples.resize(setup.options.score_sample_size * setup.data.sample_size());
  }

 private:
  compute::Arena& rewound() {
    arena_->rewind();
    return *arena_;
  }

  std::unique_ptr<compute::Arena> arena_;  // first: the others lie in it

 public:
  nn::GanStep step;
  compute::Words batch_rows;  // beside the step
  FitnessTest fitness;
  MixtureSampler mixture;
  std::vector<float> samples;  // (score_sample_size, sample_size)
};

}  // namespace quadrille::train

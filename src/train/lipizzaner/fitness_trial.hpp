// A cell's fitness test under way: the generation's sample, and how far the passes over it have
// come. Before and after the training the sample is the same, so that what differs is the networks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/backend.hpp"
#include "nn/gan_step.hpp"
#include "train/lipizzaner/fitness.hpp"

namespace quadrille::train {

class FitnessTrial {
 public:
  // Memory for so many pairs at most is taken from the arena here alone.
  FitnessTrial(compute::Arena& arena, FitnessSize size_max);

  // The sample's rows, for the caller to draw before begin().
  std::span<std::uint32_t> rows() { return rows_; }
  // A new sample: these rows and latent vectors.
  void begin(nn::LatentDraw latent);
  // The same sample again, for other contestants.
  void begin_again() { pass_ = 0; }

  // One more pass; after the last, the losses have been waited for.
  void work(compute::Queue& queue, FitnessTest& test, const Contestants& contestants,
            compute::LossKind loss);
  bool done() const { return pass_ == FitnessTest::passes(rows_.size()); }
  // When done; `members` as in all passes.
  LossTable table(std::size_t members) const;

 private:
  std::vector<std::uint32_t> rows_;
  nn::LatentDraw latent_{};
  std::size_t pass_ = 0;
  compute::Floats losses_;  // of all passes
  std::vector<float> downloaded_;
};

}  // namespace quadrille::train

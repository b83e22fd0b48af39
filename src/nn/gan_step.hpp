// One training step of a generator or of a discriminator against a frozen opponent. The opponent
// costs no gradient work: only what flows through it to the trained network is computed. Real and
// generated rows go through the discriminator in one pass.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/random.hpp"
#include "compute/backend.hpp"
#include "nn/network.hpp"
#include "nn/optimizer.hpp"

namespace quadrille::nn {

// The latent vectors of a step: batch * latent_size normals from block `first_block` of `key`.
struct LatentDraw {
  PhiloxKey key;
  std::uint64_t first_block;
};

// The two that play against each other. They outlive what is made with them.
struct GanNetworks {
  const Network& generator;      // (latent_size) -> (sample_size)
  const Network& discriminator;  // (sample_size) -> 1 logit
};

class GanStep {
 public:
  // Memory for `batch` rows is taken from the arena here alone.
  GanStep(compute::Arena& arena, GanNetworks networks, std::size_t batch);

  // How many Philox blocks one draw of latent vectors takes.
  std::uint64_t latent_blocks() const;
  // (batch, sample_size): gather the real rows of the next discriminator step into it.
  compute::Floats real() const;

  // One step of the discriminator on real() and on as many generated rows. loss: 2 floats in device
  // memory: the real rows' mean and the fake rows' mean.
  void train_discriminator(compute::Queue& queue, const TrainedNetwork& discriminator,
                           compute::ConstFloats frozen_generator, LatentDraw latent,
                           compute::LossKind loss_kind, compute::Floats loss);
  // One step of the generator. loss: 1 float in device memory.
  void train_generator(compute::Queue& queue, const TrainedNetwork& generator,
                       compute::ConstFloats frozen_discriminator, LatentDraw latent,
                       compute::LossKind loss_kind, compute::Floats loss);

 private:
  GanNetworks networks_;
  std::size_t batch_;
  compute::Floats latent_;   // (batch, latent_size)
  compute::Floats samples_;  // (2 batch, sample_size): real rows, then generated ones
  Workspace generator_pass_;
  Workspace discriminator_pass_;
};

}  // namespace quadrille::nn

// Everybody against everybody: the losses of several generators against several discriminators,
// forward only, on one sample of real rows and latent vectors that all of them share.
//
// The sample is worked in passes of a fixed number of rows, so that memory stays small, a cell can
// pause between two passes, and no bit depends on where it did.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "compute/backend.hpp"
#include "nn/gan_step.hpp"
#include "nn/network.hpp"
#include "train/lipizzaner/options.hpp"
#include "train/lipizzaner/resident_data.hpp"

namespace quadrille::train {

// The mean losses of `count` pairs over a whole sample.
struct LossTable {
  explicit LossTable(std::size_t member_count)
      : count(member_count), generator(count * count), fake(count * count), real(count) {}

  std::size_t count;
  std::vector<double> generator;  // [g * count + d]: of generator g against discriminator d
  std::vector<double> fake;       // [g * count + d]: of discriminator d on the samples of g
  std::vector<double> real;       // [d]: of discriminator d on the real rows

  // Of each member; lower is better. A discriminator's loss is that on real rows plus that on
  // fakes.
  std::vector<double> generator_fitness(FitnessAggregate aggregate) const;
  std::vector<double> discriminator_fitness(FitnessAggregate aggregate) const;
};

// What is evaluated: as many generators as discriminators.
struct Contestants {
  nn::Members generators;
  nn::Members discriminators;
};

// How much a test is: so many pairs, each on so many rows.
struct FitnessSize {
  std::size_t members;
  std::size_t rows;
};

// The fixed sample of one generation.
struct FitnessSample {
  std::span<const std::uint32_t> rows;
  nn::LatentDraw latent;  // from here on: latent_blocks(rows) of them
};

class FitnessTest {
 public:
  static constexpr std::size_t rows_per_pass = 100;

  // Memory for `members_max` pairs is taken from the arena here alone. The data outlive this.
  FitnessTest(compute::Arena& arena, nn::GanNetworks networks, const ResidentData& data,
              std::size_t members_max);

  static std::size_t passes(std::size_t rows) { return (rows + rows_per_pass - 1) / rows_per_pass; }
  static std::size_t losses_per_pass(std::size_t members) { return (2 * members + 1) * members; }
  static std::uint64_t latent_blocks(const nn::Network& generator, std::size_t rows) {
    return passes(rows) * blocks_per_pass(generator);
  }

  // Works pass number `pass` and writes its losses_per_pass() floats to `losses`, in device memory.
  void run_pass(compute::Queue& queue, const Contestants& contestants, const FitnessSample& sample,
                std::size_t pass, compute::LossKind loss_kind, compute::Floats losses);
  // The table out of the losses of all passes, downloaded.
  static LossTable table(std::span<const float> losses, FitnessSize size);

 private:
  static std::uint64_t blocks_per_pass(const nn::Network& generator);

  const nn::Network& generator_;
  const nn::Network& discriminator_;
  const ResidentData& data_;
  compute::Words rows_;
  compute::Floats real_;    // (rows_per_pass, sample_size)
  compute::Floats latent_;  // (rows_per_pass, latent_size)
  nn::Workspace generator_pass_;
  nn::Workspace discriminator_pass_;
};

}  // namespace quadrille::train

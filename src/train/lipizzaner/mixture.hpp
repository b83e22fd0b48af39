// Samples of a mixture of generators: each sample's member is drawn by the weights, and each member
// makes all its samples in one go. Sample i has latent vector i whoever makes it, and members make
// consecutive samples in their order, so that two mixtures with nearly the same weights share
// nearly all of them.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "compute/backend.hpp"
#include "nn/gan_step.hpp"
#include "nn/network.hpp"

namespace quadrille::train {

// How many of `count` samples each member makes: a multinomial draw. The same stream position gives
// two mixtures the same draws. weights: not negative, sum 1.
std::vector<std::size_t> member_counts(std::span<const double> weights, RandomStream random,
                                       std::size_t count);

// The weights with a place for one more member: an
// equal share, taken from the others in proportion.
void add_member(std::vector<double>& weights);

// How many words of the stream one sample takes.
inline constexpr std::uint64_t member_draw_words = 2;

class MixtureSampler {
 public:
  static constexpr std::size_t rows_per_pass = 100;

  // The network outlives this.
  MixtureSampler(compute::Arena& arena, const nn::Network& generator);

  std::uint64_t latent_blocks(std::size_t count) const {
    return (count + rows_per_pass - 1) / rows_per_pass * blocks_per_pass_;
  }
  // samples: (sum of counts, sample_size), there after the next synchronise(). Draws
  // latent_blocks() blocks. generators: the parameters of each member.
  void draw(compute::Queue& queue, std::span<const compute::ConstFloats> generators,
            std::span<const std::size_t> counts, nn::LatentDraw latent, std::span<float> samples);

 private:
  const nn::Network& generator_;
  std::uint64_t blocks_per_pass_;
  compute::Floats latent_;  // (rows_per_pass, latent_size)
  nn::Workspace pass_;
};

}  // namespace quadrille::train

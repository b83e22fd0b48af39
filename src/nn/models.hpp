// The architectures that a run file can name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "nn/network.hpp"

namespace quadrille::nn {

struct GanModel {
  NetworkSpec generator;      // (latent) -> (sample), tanh at the end for images
  NetworkSpec discriminator;  // (sample) -> 1 logit
};

struct ModelSizes {
  std::size_t latent;  // numbers that a generator makes a sample from
  std::size_t sample;  // numbers that a sample has
};

// mlp    the pair of the published MNIST settings: G latent-256-256-sample tanh,
//        D sample-256-256-1, LeakyReLU(0.2)
//        (Al-Dujaili et al., "Towards Distributed Coevolutionary GANs", 2018)
// toy    for 2-D points: G latent-128-128-2 linear, D 2-128-128-1, LeakyReLU(0.2)
// Config error, naming the nearest known one, for any other name.
Result<GanModel> make_model(std::string_view name, ModelSizes sizes);
std::span<const std::string_view> model_names();

}  // namespace quadrille::nn

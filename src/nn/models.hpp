// The architectures that a run file can name.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/result.hpp"
#include "nn/network.hpp"

namespace quadrille::nn {

struct GanModel {
  NetworkSpec generator;      // (latent_size) -> (sample_size), tanh at the end for images
  NetworkSpec discriminator;  // (sample_size) -> 1 logit
};

// mlp    the pair of the published MNIST settings: G latent-256-256-sample tanh,
//        D sample-256-256-1, LeakyReLU(0.2)
//        (Al-Dujaili et al., "Towards Distributed Coevolutionary GANs", 2018)
// toy    for 2-D points: G latent-128-128-2 linear, D 2-128-128-1, LeakyReLU(0.2)
// Config error, naming the nearest known one, for any other name.
Result<GanModel> make_model(std::string_view name, std::size_t latent_size,
                            std::size_t sample_size);
std::span<const std::string_view> model_names();

}  // namespace quadrille::nn

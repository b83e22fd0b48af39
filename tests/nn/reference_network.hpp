// A network, the losses and their gradients in double precision, written as plainly as possible:
// what the real ones are compared with. Itself compared with finite differences
// (reference_network_test.cpp).
#pragma once

#include "nn/network.hpp"

#include <span>
#include <vector>

namespace quadrille::test {

using Doubles = std::vector<double>;

Doubles widened(std::span<const float> values);

class ReferenceNetwork {
 public:
  ReferenceNetwork(nn::NetworkSpec spec, Doubles parameters);

  struct Gradients {
    Doubles parameters;
    Doubles input;
  };

  // (rows, output_size); input: (rows, input_size).
  Doubles forward(const Doubles& input, std::size_t rows) const;
  // The output of each layer.
  std::vector<Doubles> layer_outputs(const Doubles& input, std::size_t rows) const;
  // output_gradient: d loss / d output.
  Gradients backward(const Doubles& input, std::size_t rows, Doubles output_gradient) const;

 private:
  nn::NetworkSpec spec_;
  Doubles parameters_;
};

struct ReferenceLoss {
  double mean = 0;
  Doubles gradient;
};

ReferenceLoss reference_loss(compute::LossKind kind, compute::LossSide side, const Doubles& logits);

}  // namespace quadrille::test

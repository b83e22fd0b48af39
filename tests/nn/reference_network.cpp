#include "nn/reference_network.hpp"

#include "base/check.hpp"

#include <cmath>
#include <utility>

namespace quadrille::test {
namespace {

using compute::Activation;
using compute::LossKind;
using compute::LossSide;

double activate(Activation activation, double x) {
  switch (activation) {
    case Activation::Identity:
      return x;
    case Activation::LeakyRelu:
      return x > 0 ? x : double{compute::leaky_relu_slope} * x;
    case Activation::Relu:
      return x > 0 ? x : 0;
    case Activation::Tanh:
      return std::tanh(x);
    case Activation::Sigmoid:
      return 1 / (1 + std::exp(-x));
  }
  CHECK(false);
}

// act'(x), from y = act(x).
double slope(Activation activation, double y) {
  switch (activation) {
    case Activation::Identity:
      return 1;
    case Activation::LeakyRelu:
      return y > 0 ? 1 : double{compute::leaky_relu_slope};
    case Activation::Relu:
      return y > 0 ? 1 : 0;
    case Activation::Tanh:
      return 1 - y * y;
    case Activation::Sigmoid:
      return y * (1 - y);
  }
  CHECK(false);
}

double softplus(double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}

struct LossPoint {
  double value;
  double slope;
};

LossPoint least_squares(double y, double target) {
  return {(y - target) * (y - target) / 2, y - target};
}

LossPoint hinge(double margin, double sign) {
  return margin > 0 ? LossPoint{margin, sign} : LossPoint{0, 0};
}

LossPoint loss_on_fake(LossKind kind, double y) {
  switch (kind) {
    case LossKind::Bce:
    case LossKind::Heuristic:
      return {softplus(y), sigmoid(y)};
    case LossKind::LeastSquares:
      return least_squares(y, 0);
    case LossKind::Wasserstein:
      return {y, 1};
    case LossKind::Hinge:
      return hinge(1 + y, 1);
  }
  CHECK(false);
}

// What wants the logit high: the discriminator on real rows, and the generator.
LossPoint loss_on_wanted(LossKind kind, LossSide side, double y) {
  const bool generator = side == LossSide::Generator;
  const double share = kind == LossKind::Heuristic && generator ? 0.5 : 1;
  switch (kind) {
    case LossKind::Bce:
    case LossKind::Heuristic:
      return {share * softplus(-y), -share * sigmoid(-y)};
    case LossKind::LeastSquares:
      return least_squares(y, 1);
    case LossKind::Wasserstein:
      return {-y, -1};
    case LossKind::Hinge:
      return generator ? LossPoint{-y, -1} : hinge(1 - y, -1);
  }
  CHECK(false);
}

}  // namespace

Doubles widened(std::span<const float> values) {
  return {values.begin(), values.end()};
}

ReferenceNetwork::ReferenceNetwork(nn::NetworkSpec spec, Doubles parameters)
    : spec_(std::move(spec)), parameters_(std::move(parameters)) {}

Doubles ReferenceNetwork::forward(const Doubles& input, std::size_t rows) const {
  return layer_outputs(input, rows).back();
}

std::vector<Doubles> ReferenceNetwork::layer_outputs(const Doubles& input, std::size_t rows) const {
  std::vector<Doubles> outputs;
  const double* weights = parameters_.data();
  for (const nn::DenseSpec& layer : spec_.layers) {
    const Doubles& x = outputs.empty() ? input : outputs.back();
    const double* const bias = weights + layer.inputs * layer.outputs;
    Doubles y(rows * layer.outputs);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        double sum = bias[o];
        for (std::size_t i = 0; i < layer.inputs; ++i)
          sum += x[r * layer.inputs + i] * weights[i * layer.outputs + o];
        y[r * layer.outputs + o] = activate(layer.activation, sum);
      }
    outputs.push_back(std::move(y));
    weights = bias + layer.outputs;
  }
  return outputs;
}

ReferenceNetwork::Gradients ReferenceNetwork::backward(const Doubles& input, std::size_t rows,
                                                       Doubles output_gradient) const {
  const std::vector<Doubles> outputs = layer_outputs(input, rows);
  Gradients gradients{Doubles(parameters_.size()), {}};
  std::size_t end = parameters_.size();
  Doubles dy = std::move(output_gradient);
  for (std::size_t l = spec_.layers.size(); l-- > 0;) {
    const nn::DenseSpec& layer = spec_.layers[l];
    const Doubles& x = l == 0 ? input : outputs[l - 1];
    const std::size_t bias = end - layer.outputs;
    const std::size_t weights = bias - layer.inputs * layer.outputs;
    Doubles dx(rows * layer.inputs);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t o = 0; o < layer.outputs; ++o) {
        const std::size_t at = r * layer.outputs + o;
        const double d = dy[at] * slope(layer.activation, outputs[l][at]);
        gradients.parameters[bias + o] += d;
        for (std::size_t i = 0; i < layer.inputs; ++i) {
          const std::size_t weight = weights + i * layer.outputs + o;
          gradients.parameters[weight] += x[r * layer.inputs + i] * d;
          dx[r * layer.inputs + i] += parameters_[weight] * d;
        }
      }
    dy = std::move(dx);
    end = weights;
  }
  gradients.input = std::move(dy);
  return gradients;
}

ReferenceLoss reference_loss(LossKind kind, LossSide side, const Doubles& logits) {
  ReferenceLoss loss;
  const auto count = static_cast<double>(logits.size());
  for (const double y : logits) {
    const LossPoint point =
        side == LossSide::DiscriminatorFake ? loss_on_fake(kind, y) : loss_on_wanted(kind, side, y);
    loss.mean += point.value / count;
    loss.gradient.push_back(point.slope / count);
  }
  return loss;
}

}  // namespace quadrille::test

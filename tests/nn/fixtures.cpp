#include "nn/fixtures.hpp"

#include "base/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace quadrille::compute {
namespace {

template <class Enum, std::size_t count>
std::ostream& put_name(std::ostream& out, const std::array<const char*, count>& names, Enum value) {
  return out << names.at(static_cast<std::size_t>(value));
}

}  // namespace

std::ostream& operator<<(std::ostream& out, Activation activation) {
  return put_name(out, std::array{"identity", "leaky_relu", "relu", "tanh", "sigmoid"}, activation);
}
std::ostream& operator<<(std::ostream& out, LossKind kind) {
  return put_name(out, std::array{"bce", "least_squares", "heuristic", "wasserstein", "hinge"},
                  kind);
}
std::ostream& operator<<(std::ostream& out, LossSide side) {
  return put_name(out, std::array{"real", "fake", "generator"}, side);
}
std::ostream& operator<<(std::ostream& out, OptimizerKind kind) {
  return put_name(out, std::array{"sgd", "rmsprop", "adam"}, kind);
}

}  // namespace quadrille::compute

namespace quadrille::test {

std::vector<compute::Activation> every_activation() {
  using enum compute::Activation;
  return {Identity, LeakyRelu, Relu, Tanh, Sigmoid};
}

std::vector<compute::LossKind> every_loss() {
  using enum compute::LossKind;
  return {Bce, LeastSquares, Heuristic, Wasserstein, Hinge};
}

std::vector<compute::LossSide> every_side() {
  using enum compute::LossSide;
  return {DiscriminatorReal, DiscriminatorFake, Generator};
}

std::vector<compute::OptimizerKind> every_optimizer() {
  using enum compute::OptimizerKind;
  return {Sgd, RmsProp, Adam};
}

nn::NetworkSpec three_layers(std::size_t inputs, std::size_t hidden, std::size_t outputs,
                             compute::Activation activation) {
  return {
      {{inputs, hidden, activation}, {hidden, hidden, activation}, {hidden, outputs, activation}}};
}

std::vector<float> initial_parameters(const nn::Network& network, std::uint64_t seed) {
  std::vector<float> parameters(network.parameter_count());
  RandomStream random(stream_key(seed, "initial parameters", 0));
  network.initialise(parameters, random);
  return parameters;
}

std::vector<float> normals(std::size_t count, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "normals", 0));
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random.normal());
  return values;
}

boost::test_tools::assertion_result close(std::span<const float> actual,
                                          std::span<const double> expected, double tolerance) {
  boost::test_tools::assertion_result result(actual.size() == expected.size());
  if (!result) {
    result.message() << actual.size() << " values instead of " << expected.size();
    return result;
  }
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double error = std::abs(double{actual[i]} - expected[i]);
    if (error <= tolerance * std::max(1.0, std::abs(expected[i]))) continue;
    result = false;
    result.message() << "value " << i << " is " << actual[i] << " instead of " << expected[i];
    return result;
  }
  return result;
}

bool same_bits(std::span<const float> a, std::span<const float> b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

}  // namespace quadrille::test

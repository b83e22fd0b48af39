// Small networks, numbers and lists that the tests of nn share.
#pragma once

#include "nn/network.hpp"

#include <boost/test/tools/assertion_result.hpp>

#include <ostream>
#include <span>
#include <vector>

// Boost.Test prints the sample of a data test case; these are found by argument-dependent lookup.
namespace quadrille::compute {
std::ostream& operator<<(std::ostream& out, Activation activation);
std::ostream& operator<<(std::ostream& out, LossKind kind);
std::ostream& operator<<(std::ostream& out, LossSide side);
std::ostream& operator<<(std::ostream& out, OptimizerKind kind);
}  // namespace quadrille::compute

namespace quadrille::test {

std::vector<compute::Activation> every_activation();
std::vector<compute::LossKind> every_loss();
std::vector<compute::LossSide> every_side();
std::vector<compute::OptimizerKind> every_optimizer();

// inputs-hidden-hidden-outputs with one activation in all layers.
nn::NetworkSpec three_layers(std::size_t inputs, std::size_t hidden, std::size_t outputs,
                             compute::Activation activation);

std::vector<float> initial_parameters(const nn::Network& network, std::uint64_t seed);
std::vector<float> normals(std::size_t count, std::uint64_t seed);

// Whether each |actual - expected| is at most tolerance * max(1, |expected|); says where not.
boost::test_tools::assertion_result close(std::span<const float> actual,
                                          std::span<const double> expected, double tolerance);

// Whether all bits agree, signs of zero and NaN included.
bool same_bits(std::span<const float> a, std::span<const float> b);

}  // namespace quadrille::test

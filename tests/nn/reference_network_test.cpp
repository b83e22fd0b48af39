// The double-precision reference against central finite differences.
#include "nn/reference_network.hpp"

#include "nn/fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <functional>

using namespace quadrille;
using test::Doubles;

BOOST_AUTO_TEST_SUITE(reference_network)

namespace {

constexpr double step = 1e-6;
// The error of a central difference is of the order of step^2 + rounding / step.
constexpr double tolerance = 1e-8;

void check_slopes(const std::function<double(const Doubles&)>& function, Doubles at,
                  const Doubles& gradient) {
  BOOST_REQUIRE(at.size() == gradient.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    const double middle = at[i];
    at[i] = middle + step;
    const double above = function(at);
    at[i] = middle - step;
    const double below = function(at);
    at[i] = middle;
    BOOST_CHECK_SMALL((above - below) / (2 * step) - gradient[i], tolerance);
  }
}

double dot(const Doubles& a, const Doubles& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

BOOST_DATA_TEST_CASE(its_gradients_are_its_slopes, test::every_activation(), activation) {
  const nn::NetworkSpec spec = test::three_layers(3, 5, 2, activation);
  const std::size_t rows = 4;
  const Doubles parameters = test::widened(test::initial_parameters(nn::Network(spec), 1));
  const Doubles input = test::widened(test::normals(rows * 3, 2));
  const Doubles weights = test::widened(test::normals(rows * 2, 3));  // of the outputs in the loss
  const auto gradients = test::ReferenceNetwork(spec, parameters).backward(input, rows, weights);
  const auto loss_of_parameters = [&](const Doubles& p) {
    return dot(test::ReferenceNetwork(spec, p).forward(input, rows), weights);
  };
  check_slopes(loss_of_parameters, parameters, gradients.parameters);
  const test::ReferenceNetwork network(spec, parameters);
  const auto loss_of_input = [&](const Doubles& x) {
    return dot(network.forward(x, rows), weights);
  };
  check_slopes(loss_of_input, input, gradients.input);
}

BOOST_DATA_TEST_CASE(a_loss_gradient_is_its_slope, test::every_loss() * test::every_side(), kind,
                     side) {
  const Doubles logits{-3.2, -1.4, -0.3, 0.2, 0.7, 1.6, 4.1};
  const auto mean = [&](const Doubles& y) { return test::reference_loss(kind, side, y).mean; };
  check_slopes(mean, logits, test::reference_loss(kind, side, logits).gradient);
}

BOOST_AUTO_TEST_SUITE_END()

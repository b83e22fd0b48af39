// Networks against the double-precision reference, and members against one by one.
#include "nn/network.hpp"

#include "nn/fixtures.hpp"
#include "nn/reference_network.hpp"
#include "support/deferred_backend.hpp"
#include "support/device.hpp"
#include "support/operands.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

using namespace quadrille;
using compute::Activation;
using compute::Floats;
using test::Doubles;

BOOST_AUTO_TEST_SUITE(network)

namespace {

// Sums of some dozens of products of magnitude 1, each rounded to 2^-24.
constexpr double tolerance = 1e-5;

constexpr std::size_t inputs = 5, hidden = 19, outputs = 3;  // odd: every kernel has a tail
constexpr std::size_t rows_max = 9;
const std::vector<bool> both_ways{false, true};

struct Case {
  Case(test::BackendChoice choice, Activation activation)
      : device(choice),
        network(test::three_layers(inputs, hidden, outputs, activation)),
        parameters(test::initial_parameters(network, 1)),
        workspace(*device.arena, network, rows_max, true) {}

  test::Device device;
  nn::Network network;
  std::vector<float> parameters;
  nn::Workspace workspace;
};

}  // namespace

BOOST_AUTO_TEST_CASE(parameters_lie_layer_by_layer_weights_before_biases) {
  test::Device device(test::every_backend().front());
  const nn::Network network({{{2, 2, Activation::Relu}, {2, 1, Activation::Identity}}});
  BOOST_TEST(network.parameter_count() == 9U);
  const std::array<float, 9> parameters{1, 2, 3, 4, /* b */ 5, -60, /* W */ 7, 8, /* b */ 9};
  const std::array<float, 2> input{10, 1};
  nn::Workspace workspace(*device.arena, network, 1, false);
  const auto output = network.forward(*device.queue, {.parameters = device.put(parameters)},
                                      device.put(input), 1, workspace);
  // x W + b = (10 + 3 + 5, 20 + 4 - 60) = (18, -36); 18 * 7 + 9 = 135.
  BOOST_TEST(device.read(output) == std::vector<float>{135}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(initial_parameters_are_uniform_within_one_over_the_root_of_the_inputs) {
  const nn::Network network({{{100, 50, Activation::Relu}, {50, 4, Activation::Identity}}});
  const std::vector<float> parameters = test::initial_parameters(network, 1);
  const auto check = [](std::span<const float> layer, double bound) {
    const auto [low, high] = std::minmax_element(layer.begin(), layer.end());
    BOOST_TEST(std::abs(*low) <= bound);
    BOOST_TEST(std::abs(*high) <= bound);
    BOOST_TEST(*high - *low > 1.8 * bound);
    const double sum = std::accumulate(layer.begin(), layer.end(), 0.0);
    // Four standard deviations of the mean of that many uniform values.
    const auto count = static_cast<double>(layer.size());
    BOOST_CHECK_SMALL(sum / count, 4 * bound / std::sqrt(3 * count));
  };
  check(std::span(parameters).first(5050), 0.1);
  check(std::span(parameters).subspan(5050), 1 / std::sqrt(50.0));
  BOOST_TEST(test::same_bits(parameters, test::initial_parameters(network, 1)));
  BOOST_TEST(!test::same_bits(parameters, test::initial_parameters(network, 2)));
}

BOOST_DATA_TEST_CASE(forward_and_backward_agree_with_double_precision,
                     test::every_backend() * test::every_activation(), choice, activation) {
  Case c(choice, activation);
  const test::ReferenceNetwork reference(c.network.spec(), test::widened(c.parameters));
  const Floats parameters = c.device.put(c.parameters);
  const Floats gradient = c.device.arena->floats(c.network.parameter_count());
  for (const std::size_t rows : {rows_max, std::size_t{1}, std::size_t{4}}) {
    const std::vector<float> host_input = test::normals(rows * inputs, 10 + rows);
    const std::vector<float> output_gradient = test::normals(rows * outputs, 20 + rows);
    const Floats input = c.device.put(host_input);
    const Floats input_gradient = c.device.arena->floats(rows * inputs);
    compute::Queue& queue = *c.device.queue;
    const auto output =
        c.network.forward(queue, {.parameters = parameters}, input, rows, c.workspace);
    queue.upload(c.workspace.output_gradient(rows), std::span(output_gradient));
    c.network.backward(queue, parameters, input, rows, c.workspace,
                       {.parameters = gradient, .input = input_gradient});

    const Doubles x = test::widened(host_input);
    const auto expected = reference.backward(x, rows, test::widened(output_gradient));
    BOOST_TEST(test::close(c.device.read(output), reference.forward(x, rows), tolerance));
    BOOST_TEST(test::close(c.device.read(gradient), expected.parameters, tolerance));
    BOOST_TEST(test::close(c.device.read(input_gradient), expected.input, tolerance));
  }
}

BOOST_DATA_TEST_CASE(a_layers_output_is_kept, test::every_backend(), choice) {
  Case c(choice, Activation::Tanh);
  const std::size_t rows = 4;
  const std::vector<float> input = test::normals(rows * inputs, 2);
  c.network.forward(*c.device.queue, {.parameters = c.device.put(c.parameters)},
                    c.device.put(input), rows, c.workspace);
  const auto expected = test::ReferenceNetwork(c.network.spec(), test::widened(c.parameters))
                            .layer_outputs(test::widened(input), rows);
  for (std::size_t layer = 0; layer < 3; ++layer)
    BOOST_TEST(test::close(c.device.read(c.network.layer_output(c.workspace, layer, rows)),
                           expected[layer], tolerance));
}

BOOST_DATA_TEST_CASE(members_in_one_pass_give_the_bits_of_one_by_one,
                     test::every_backend() * both_ways, choice, input_per_member) {
  Case c(choice, Activation::LeakyRelu);
  const std::size_t members = 3, rows = 7;
  const std::size_t stride = c.network.parameter_count() + 5;  // members need not touch
  const Floats parameters = c.device.put(test::normals(members * stride, 3));
  const Floats input = c.device.put(test::normals(members * rows * inputs, 4));
  nn::Workspace together(*c.device.arena, c.network, rows_max, false, members);
  const std::vector<float> all = c.device.read(c.network.forward(
      *c.device.queue, {.parameters = parameters, .count = members, .stride = stride}, input, rows,
      together, input_per_member));
  BOOST_TEST(all.size() == members * rows * outputs);
  for (std::size_t i = 0; i < members; ++i) {
    const auto own = input.from(input_per_member ? i * rows * inputs : 0);
    const std::vector<float> one = c.device.read(c.network.forward(
        *c.device.queue, {.parameters = parameters.from(i * stride)}, own, rows, c.workspace));
    BOOST_TEST(test::same_bits(std::span(all).subspan(i * rows * outputs, rows * outputs), one));
  }
}

struct Recorded {
  explicit Recorded(Activation activation)
      : network(test::three_layers(inputs, hidden, outputs, activation)),
        workspace(*arena, network, rows_max, true) {}

  std::vector<compute::Operation> backward(bool parameters, bool input) {
    const Floats weights = arena->floats(network.parameter_count());
    const Floats x = arena->floats(rows_max * inputs);
    nn::GradientsWanted wanted;
    if (parameters) wanted.parameters = arena->floats(network.parameter_count());
    if (input) wanted.input = arena->floats(x.count());
    backend.start_record();
    network.backward(*queue, weights, x, rows_max, workspace, wanted);
    return backend.take_record();
  }

  WorkerPool pool{1};
  test::DeferredBackend backend{pool};
  std::unique_ptr<compute::Arena> arena = backend.make_arena();
  std::unique_ptr<compute::Queue> queue = backend.make_queue();
  nn::Network network;
  nn::Workspace workspace;
};

BOOST_AUTO_TEST_CASE(backward_computes_only_the_gradients_wanted) {
  using compute::ColumnSum, compute::Gemm;
  Recorded recorded(Activation::Tanh);
  const auto both = recorded.backward(true, true);
  BOOST_TEST(test::operation_count<Gemm>(both) == 6U);
  BOOST_TEST(test::operation_count<ColumnSum>(both) == 3U);
  const auto parameters = recorded.backward(true, false);
  BOOST_TEST(test::operation_count<Gemm>(parameters) == 5U);
  BOOST_TEST(test::operation_count<ColumnSum>(parameters) == 3U);
  const auto input = recorded.backward(false, true);
  BOOST_TEST(test::operation_count<Gemm>(input) == 3U);
  BOOST_TEST(test::operation_count<ColumnSum>(input) == 0U);
}

BOOST_AUTO_TEST_CASE(the_identity_costs_no_gradient_operation) {
  using compute::ActivationGradient;
  BOOST_TEST(test::operation_count<ActivationGradient>(
                 Recorded(Activation::Identity).backward(true, true)) == 0U);
  BOOST_TEST(test::operation_count<ActivationGradient>(
                 Recorded(Activation::Relu).backward(true, true)) == 3U);
}

BOOST_AUTO_TEST_SUITE_END()

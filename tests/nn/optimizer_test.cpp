// Optimizers against their formulas in double precision, over several steps.
#include "nn/optimizer.hpp"

#include "nn/fixtures.hpp"
#include "nn/reference_network.hpp"
#include "support/device.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <cmath>

using namespace quadrille;
using compute::OptimizerKind;
using test::Doubles;

BOOST_AUTO_TEST_SUITE(optimizer)

namespace {

constexpr std::size_t count = 1003;  // more than a tile, and a tail
constexpr float learning_rate = 0.01F;
// Five updates of at most a few learning rates, each in float32.
constexpr double tolerance = 1e-6;

nn::OptimizerOptions options_of(OptimizerKind kind) {
  return {.kind = kind, .beta1 = 0.5F, .beta2 = 0.9F, .epsilon = 1e-3F};
}

// The formulas of compute::OptimizerStep, in the order that they are written there.
class ReferenceOptimizer {
 public:
  ReferenceOptimizer(nn::OptimizerOptions options, Doubles parameters)
      : o_(options), p_(std::move(parameters)), m_(p_.size()), v_(p_.size()) {}

  void step(const Doubles& gradient, double rate) {
    ++t_;
    for (std::size_t i = 0; i < p_.size(); ++i)
      p_[i] -= rate * direction(gradient[i], m_[i], v_[i]);
  }
  const Doubles& parameters() const { return p_; }

 private:
  double direction(double g, double& m, double& v) const {
    const double b1 = o_.beta1, b2 = o_.beta2, epsilon = o_.epsilon;
    if (o_.kind == OptimizerKind::Sgd) return g;
    v = b2 * v + (1 - b2) * g * g;
    if (o_.kind == OptimizerKind::RmsProp) return g / (std::sqrt(v) + epsilon);
    m = b1 * m + (1 - b1) * g;
    return m / (1 - std::pow(b1, t_)) / (std::sqrt(v / (1 - std::pow(b2, t_))) + epsilon);
  }

  nn::OptimizerOptions o_;
  Doubles p_, m_, v_;
  int t_ = 0;
};

struct Case {
  Case(test::BackendChoice choice, OptimizerKind kind)
      : device(choice),
        network(*device.arena, count, options_of(kind)),
        reference(options_of(kind), test::widened(start)) {
    device.queue->upload(network.parameters(), std::span<const float>(start));
    network.reset_optimizer(*device.queue, learning_rate);
  }

  void step(std::uint64_t seed, float rate = learning_rate) {
    const std::vector<float> gradient = test::normals(count, seed);
    device.queue->upload(network.gradient(), std::span(gradient));
    network.step(*device.queue);
    reference.step(test::widened(gradient), rate);
  }

  std::vector<float> start = test::normals(count, 1);
  test::Device device;
  nn::TrainedNetwork network;
  ReferenceOptimizer reference;
};

}  // namespace

BOOST_DATA_TEST_CASE(several_steps_agree_with_the_formula,
                     test::every_backend() * test::every_optimizer(), choice, kind) {
  Case c(choice, kind);
  for (std::uint64_t step = 0; step < 5; ++step) {
    c.step(10 + step);
    BOOST_TEST(
        test::close(c.device.read(c.network.parameters()), c.reference.parameters(), tolerance));
  }
  BOOST_TEST(c.device.read(c.network.hyper())[compute::hyper::step] == 5.0F);
}

BOOST_DATA_TEST_CASE(a_new_learning_rate_keeps_the_moments_and_the_count,
                     test::every_backend() * test::every_optimizer(), choice, kind) {
  Case c(choice, kind);
  c.step(10);
  c.step(11);
  c.network.set_learning_rate(*c.device.queue, {.learning_rate = 0.002F, .steps_done = 2});
  c.step(12, 0.002F);
  BOOST_TEST(
      test::close(c.device.read(c.network.parameters()), c.reference.parameters(), tolerance));
}

BOOST_DATA_TEST_CASE(reset_forgets_the_past, test::every_backend() * test::every_optimizer(),
                     choice, kind) {
  Case used(choice, kind), fresh(choice, kind);
  used.step(10);
  used.device.queue->upload(used.network.parameters(), std::span<const float>(used.start));
  used.network.reset_optimizer(*used.device.queue, learning_rate);
  used.step(11);
  fresh.step(11);
  BOOST_TEST(test::same_bits(used.device.read(used.network.parameters()),
                             fresh.device.read(fresh.network.parameters())));
}

BOOST_AUTO_TEST_CASE(only_the_moments_that_a_kind_uses_take_memory) {
  test::Device device(test::every_backend().front());
  const auto network = [&](OptimizerKind kind) {
    return nn::TrainedNetwork(*device.arena, count, {.kind = kind});
  };
  BOOST_TEST(network(OptimizerKind::Sgd).first_moment().empty());
  BOOST_TEST(network(OptimizerKind::Sgd).second_moment().empty());
  BOOST_TEST(network(OptimizerKind::RmsProp).first_moment().empty());
  BOOST_TEST(network(OptimizerKind::RmsProp).second_moment().count() == count);
  BOOST_TEST(network(OptimizerKind::Adam).first_moment().count() == count);
  BOOST_TEST(network(OptimizerKind::Adam).second_moment().count() == count);
}

BOOST_AUTO_TEST_SUITE_END()

// Snapshots: how they are laid out, and what is refused.
#include "train/lipizzaner/genome.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace quadrille;
using namespace quadrille::train;
using compute::LossKind;

BOOST_AUTO_TEST_SUITE(lipizzaner_genome)

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr SnapshotLayout::Counts small{.generator = 3, .discriminator = 2};

LipizzanerOptions with_moments() {
  LipizzanerOptions options;
  options.moments = true;
  return options;
}

PairTraits some_traits() {
  return {.generator = {.learning_rate = 2e-4, .loss = LossKind::Bce, .steps = 600, .fitness = 0.7},
          .discriminator = {.learning_rate = 1e-4, .loss = LossKind::Bce, .steps = 300}};
}

ByteBuffer exact_of(const PairTraits& traits) {
  ByteBuffer exact;
  write_exact(traits, exact);
  return exact;
}

// A snapshot that is in order until a test breaks it.
struct Example {
  LipizzanerOptions options;
  std::vector<float> values{0.1F, -0.2F, 0.3F, 0.4F, -0.5F};
  ByteBuffer exact = exact_of(some_traits());

  Result<PairTraits> read() const {
    return read_snapshot({.cell = {3}, .round = {7}, .values = values, .exact = exact, .heard = {}},
                         SnapshotLayout(small, options), options);
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_snapshot_holds_generator_and_discriminator) {
  const SnapshotLayout layout(small, {});
  BOOST_TEST(layout.float_count() == 5);
  BOOST_REQUIRE(layout.sections().size() == 2);
  BOOST_TEST((layout.sections()[0] == peer::Section{"generator", 3}));
  BOOST_TEST((layout.sections()[1] == peer::Section{"discriminator", 2}));
  BOOST_TEST(layout.of(Role::Generator).second_moment.count == 0);
}

BOOST_AUTO_TEST_CASE(moments_travel_beside_their_network) {
  const SnapshotLayout layout(small, with_moments());
  BOOST_TEST(layout.float_count() == 15);
  BOOST_TEST((layout.sections()[2] == peer::Section{"generator.second_moment", 3}));
  BOOST_TEST(layout.of(Role::Discriminator).parameters.offset == 9);
  BOOST_TEST(layout.of(Role::Discriminator).first_moment.offset == 11);
}

BOOST_AUTO_TEST_CASE(only_the_moments_that_the_optimizer_has_travel) {
  LipizzanerOptions options = with_moments();
  options.optimizer.kind = compute::OptimizerKind::RmsProp;
  BOOST_TEST(SnapshotLayout(small, options).float_count() == 10);
  options.optimizer.kind = compute::OptimizerKind::Sgd;
  BOOST_TEST(SnapshotLayout(small, options).float_count() == 5);
}

BOOST_AUTO_TEST_CASE(exact_bytes_come_back) {
  const auto traits = read_exact(exact_of(some_traits()), {});
  BOOST_REQUIRE(traits.has_value());
  BOOST_TEST(traits->generator.learning_rate == 2e-4);
  BOOST_TEST(traits->generator.steps == 600);
  BOOST_TEST(traits->generator.fitness == 0.7);
  BOOST_TEST(traits->discriminator.learning_rate == 1e-4);
  BOOST_TEST(std::isnan(traits->discriminator.fitness));
}

BOOST_AUTO_TEST_CASE(the_layout_of_the_exact_bytes_is_fixed) {
  PairTraits traits = some_traits();
  traits.generator.loss = LossKind::Heuristic;
  const ByteBuffer exact = exact_of(traits);
  BOOST_REQUIRE(exact.size() == 56);
  const auto at = [&](std::size_t i) { return std::to_integer<int>(exact[i]); };
  BOOST_TEST(at(0) == 1);
  BOOST_TEST(at(1) == 2);
  BOOST_TEST(at(2) == 0);
  // 2e-4 is 0x3F2A36E2EB1C432D; 600 is 0x258.
  BOOST_TEST(at(8) == 0x2D);
  BOOST_TEST(at(15) == 0x3F);
  BOOST_TEST(at(24) == 0x58);
  BOOST_TEST(at(25) == 0x02);
}

BOOST_AUTO_TEST_CASE(a_sound_snapshot_is_accepted) {
  const Example example;
  BOOST_TEST(example.read().has_value());
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_another_size_is_refused) {
  Example example;
  example.values.push_back(0);
  BOOST_TEST((example.read().error().code == ErrorCode::Mismatch));
  example.values.clear();
  BOOST_TEST((example.read().error().code == ErrorCode::Mismatch));
}

BOOST_AUTO_TEST_CASE(weights_that_are_not_finite_are_refused) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity})
    for (const std::size_t at : {0, 4}) {
      Example example;
      example.values[at] = bad;
      BOOST_TEST((example.read().error().code == ErrorCode::NotFinite));
    }
}

BOOST_AUTO_TEST_CASE(absurdly_large_weights_are_refused) {
  Example example;
  example.values[4] = 1e4F;
  const auto result = example.read();
  BOOST_TEST((result.error().code == ErrorCode::Limit));
  BOOST_TEST(result.error().detail.find("discriminator") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(bad_moments_are_refused) {
  Example example{.options = with_moments(), .values = std::vector<float>(15, 0.1F)};
  BOOST_TEST(example.read().has_value());
  example.values[4] = infinity;
  BOOST_TEST((example.read().error().code == ErrorCode::NotFinite));
  example.values[4] = 1e9F;
  BOOST_TEST((example.read().error().code == ErrorCode::Limit));
}

BOOST_AUTO_TEST_CASE(exact_bytes_of_every_wrong_length_are_refused) {
  for (std::size_t size = 0; size < 100; ++size) {
    Example example;
    example.exact.resize(size);
    BOOST_TEST(example.read().has_value() == (size == exact_size));
  }
}

BOOST_AUTO_TEST_CASE(exact_bytes_of_another_version_are_refused) {
  Example example;
  example.exact[0] = std::byte{2};
  BOOST_TEST((example.read().error().code == ErrorCode::Mismatch));
}

BOOST_AUTO_TEST_CASE(padding_that_is_not_zero_is_refused) {
  Example example;
  example.exact[5] = std::byte{1};
  BOOST_TEST((example.read().error().code == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(losses_that_the_run_does_not_use_are_refused) {
  Example example;
  for (const std::size_t at : {1, 2}) {
    for (const int kind : {1, 2, 3, 4, 5, 255}) {
      example.exact = exact_of(some_traits());
      example.exact[at] = static_cast<std::byte>(kind);
      BOOST_TEST(!example.read().has_value());
    }
  }
}

BOOST_AUTO_TEST_CASE(with_mustangs_a_generator_may_have_any_of_its_three_losses) {
  Example example;
  example.options.mustangs = true;
  for (const int kind : {0, 1, 2, 3, 4, 5, 255}) {
    example.exact[1] = static_cast<std::byte>(kind);
    BOOST_TEST(example.read().has_value() == (kind <= 2));
  }
}

BOOST_AUTO_TEST_CASE(rates_out_of_range_are_refused) {
  for (const double rate : {0.0, -2e-4, 1e-9, 1.0, std::nan(""), HUGE_VAL}) {
    Example example;
    PairTraits traits = some_traits();
    traits.discriminator.learning_rate = rate;
    example.exact = exact_of(traits);
    BOOST_TEST((example.read().error().code == ErrorCode::Mismatch), rate);
  }
}

BOOST_AUTO_TEST_CASE(rates_at_the_ends_of_the_range_are_accepted) {
  for (const double rate : {clamp_rate(0, BaseRate{2e-4}), clamp_rate(1, BaseRate{2e-4})}) {
    Example example;
    PairTraits traits = some_traits();
    traits.generator.learning_rate = rate;
    example.exact = exact_of(traits);
    BOOST_TEST(example.read().has_value());
  }
}

BOOST_AUTO_TEST_CASE(moments_of_any_history_of_gradients_are_left_alone) {
  // A spike after silence is the extreme case: m^2 / v is largest.
  const nn::OptimizerOptions adam;
  for (const float quiet : {0.0F, 1e-3F, 1.0F}) {
    float m = 0, v = 0;
    for (int step = 0; step < 50; ++step) {
      const float gradient = step == 49 ? 10.0F : quiet;
      m = adam.beta1 * m + (1 - adam.beta1) * gradient;
      v = adam.beta2 * v + (1 - adam.beta2) * gradient * gradient;
    }
    std::vector<float> first{m}, second{v};
    mend_moments(first, second, adam);
    BOOST_TEST(second[0] == v);
  }
}

BOOST_AUTO_TEST_CASE(impossible_second_moments_are_raised_so_that_a_step_stays_small) {
  const nn::OptimizerOptions adam;
  const std::vector<float> first{0.1F, -0.1F, 0.0F};
  std::vector<float> second{0.0F, -1.0F, -1e-9F};
  mend_moments(first, second, adam);
  BOOST_TEST(second[2] == 0);
  // No step is longer than about 20 times the learning rate.
  for (const std::size_t i : {0, 1}) BOOST_TEST(std::abs(first[i]) / std::sqrt(second[i]) < 20);
}

BOOST_AUTO_TEST_CASE(rmsprop_has_no_first_moment_to_bound_by) {
  std::vector<float> second{-1.0F, 0.5F};
  mend_moments({}, second, {.kind = compute::OptimizerKind::RmsProp});
  BOOST_TEST(second[0] == 0);
  BOOST_TEST(second[1] == 0.5F);
}

BOOST_AUTO_TEST_SUITE_END()

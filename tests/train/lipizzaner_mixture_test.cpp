// Samples of a mixture come from the members they should, in the latent vectors they should.
#include "train/lipizzaner/mixture.hpp"

#include "support/device.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <numeric>

using namespace quadrille;
using namespace quadrille::train;

using Counts = std::vector<std::size_t>;

BOOST_AUTO_TEST_SUITE(lipizzaner_mixture)

namespace {

RandomStream stream(std::uint64_t position = 0) {
  return RandomStream(stream_key(1, "mixture test", 0), position);
}

}  // namespace

BOOST_AUTO_TEST_CASE(counts_follow_the_weights) {
  const Counts counts = member_counts(std::vector{0.5, 0.3, 0.2}, stream(), 10'000);
  BOOST_TEST(std::accumulate(counts.begin(), counts.end(), std::size_t{0}) == 10'000);
  // Three standard deviations of a binomial are about 150.
  BOOST_TEST(std::abs(static_cast<double>(counts[0]) - 5000) < 200);
  BOOST_TEST(std::abs(static_cast<double>(counts[2]) - 2000) < 200);
}

BOOST_AUTO_TEST_CASE(a_member_without_weight_makes_nothing) {
  const Counts counts = member_counts(std::vector{0.0, 1.0, 0.0}, stream(), 1000);
  BOOST_TEST((counts == Counts{0, 1000, 0}));
}

BOOST_AUTO_TEST_CASE(
    weights_that_rounding_left_below_one_give_no_crumb_to_a_member_without_weight) {
  const Counts counts = member_counts(std::vector{0.5, 0.25, 0.0}, stream(), 1000);
  BOOST_TEST(counts[2] == 0);
  BOOST_TEST(counts[0] + counts[1] == 1000);
}

BOOST_AUTO_TEST_CASE(the_same_draws_give_nearly_equal_mixtures_nearly_the_same_counts) {
  const Counts parent = member_counts(std::vector{0.50, 0.50}, stream(), 1000);
  const Counts child = member_counts(std::vector{0.51, 0.49}, stream(), 1000);
  BOOST_TEST(child[0] >= parent[0]);
  BOOST_TEST(child[0] - parent[0] < 30);
}

BOOST_AUTO_TEST_CASE(a_draw_takes_the_words_it_says) {
  RandomStream random = stream();
  for (std::size_t i = 0; i < 10; ++i) random.uniform();
  BOOST_TEST(random.position() == 10 * member_draw_words);
}

BOOST_AUTO_TEST_CASE(a_new_member_gets_an_equal_share) {
  std::vector<double> weights{1.0};
  add_member(weights);
  BOOST_TEST((weights == std::vector{0.5, 0.5}));
  weights = {0.75, 0.25};
  add_member(weights);
  BOOST_TEST(weights[0] == 0.5, boost::test_tools::tolerance(1e-12));
  BOOST_TEST(weights[2] == 1.0 / 3, boost::test_tools::tolerance(1e-12));
}

// A generator of one layer that only adds its bias: sample = latent + bias.
struct Shifter {
  Shifter()
      : network({{{.inputs = 2, .outputs = 2, .activation = compute::Activation::Identity}}}) {}
  std::vector<float> by(float shift) const { return {1, 0, 0, 1, shift, shift}; }
  nn::Network network;
};

BOOST_DATA_TEST_CASE(members_make_consecutive_samples_of_one_sequence_of_latent_vectors,
                     test::every_backend(), choice) {
  test::Device device(choice);
  const Shifter shifter;
  MixtureSampler sampler(*device.arena, shifter.network);
  const std::vector<compute::ConstFloats> members{
      device.put(shifter.by(0)), device.put(shifter.by(100)), device.put(shifter.by(200))};
  const auto draw = [&](const Counts& counts) {
    std::vector<float> samples(2 * 230);
    sampler.draw(*device.queue, members, counts, {.key = 5, .first_block = 3}, samples);
    device.queue->synchronise();
    return samples;
  };
  const std::vector<float> latent = draw({230, 0, 0});
  const std::vector<float> mixed = draw({90, 1, 139});
  for (std::size_t i = 0; i < 230; ++i) {
    const float shift = i < 90 ? 0.0F : i == 90 ? 100.0F : 200.0F;
    BOOST_TEST(mixed[2 * i] == latent[2 * i] + shift);
  }
}

BOOST_AUTO_TEST_CASE(latent_blocks_cover_what_a_draw_reads) {
  test::Device device({.deferred = false, .gemm = compute::CpuGemm::Generic});
  const Shifter shifter;
  const MixtureSampler sampler(*device.arena, shifter.network);
  BOOST_TEST(sampler.latent_blocks(1) == 50);
  BOOST_TEST(sampler.latent_blocks(100) == 50);
  BOOST_TEST(sampler.latent_blocks(101) == 100);
}

BOOST_AUTO_TEST_SUITE_END()

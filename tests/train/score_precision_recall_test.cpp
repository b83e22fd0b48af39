// Improved precision and recall on sets whose overlap is known.
#include "train/score/precision_recall.hpp"

#include <limits>
#include <vector>

#include <boost/test/unit_test.hpp>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_precision_recall)

namespace {

constexpr std::size_t dimension = 8;

std::vector<float> cloud(std::size_t count, float centre, float sigma, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "test", 0));
  std::vector<float> rows(count * dimension);
  for (float& value : rows) value = centre + sigma * static_cast<float>(random.normal());
  return rows;
}

PrecisionRecall measured(std::span<const float> real, std::span<const float> generated) {
  const auto result = precision_recall({.real = real, .generated = generated}, dimension);
  BOOST_REQUIRE(result.has_value());
  return *result;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_copy_of_the_real_set_has_both) {
  const std::vector<float> real = cloud(300, 0, 1, 1);
  const PrecisionRecall result = measured(real, real);
  BOOST_TEST(result.precision == 1);
  BOOST_TEST(result.recall == 1);
}

BOOST_AUTO_TEST_CASE(a_set_of_repeated_rows_lies_within_itself) {
  const std::vector<float> repeated(200 * dimension, 1.2345F);
  const PrecisionRecall result = measured(repeated, repeated);
  BOOST_TEST(result.precision == 1);
  BOOST_TEST(result.recall == 1);
}

BOOST_AUTO_TEST_CASE(sets_far_apart_have_neither) {
  const PrecisionRecall result = measured(cloud(200, 0, 1, 1), cloud(150, 100, 1, 2));
  BOOST_TEST(result.precision == 0);
  BOOST_TEST(result.recall == 0);
}

BOOST_AUTO_TEST_CASE(a_generator_of_half_the_modes_has_precision_and_half_the_recall) {
  std::vector<float> real = cloud(200, 0, 1, 1);
  const std::vector<float> second = cloud(200, 50, 1, 2);
  real.insert(real.end(), second.begin(), second.end());
  const PrecisionRecall result = measured(real, cloud(400, 0, 1, 3));
  BOOST_TEST(result.precision > 0.8);
  BOOST_TEST(result.recall > 0.4);
  BOOST_TEST(result.recall <= 0.5);
}

BOOST_AUTO_TEST_CASE(a_generator_with_half_its_samples_astray_has_half_the_precision) {
  std::vector<float> generated = cloud(200, 0, 1, 1);
  const std::vector<float> astray = cloud(200, 50, 1, 2);
  generated.insert(generated.end(), astray.begin(), astray.end());
  const PrecisionRecall result = measured(cloud(400, 0, 1, 3), generated);
  BOOST_TEST(result.precision > 0.4);
  BOOST_TEST(result.precision <= 0.5);
  BOOST_TEST(result.recall > 0.8);
}

BOOST_AUTO_TEST_CASE(too_few_and_too_many_samples_are_refused) {
  const std::vector<float> fine = cloud(100, 0, 1, 1);
  const std::vector<float> few = cloud(99, 0, 1, 1);
  const std::vector<float> many = cloud(2001, 0, 1, 1);
  const auto refused = precision_recall({.real = fine, .generated = few}, dimension);
  BOOST_REQUIRE(!refused);
  BOOST_TEST(refused.error().detail ==
             "precision and recall take 100 to 2000 generated samples, not 99");
  BOOST_TEST(!precision_recall({.real = many, .generated = fine}, dimension).has_value());
  BOOST_TEST(!precision_recall({.real = {}, .generated = {}}, dimension).has_value());
}

BOOST_AUTO_TEST_CASE(features_that_are_not_finite_are_refused) {
  const std::vector<float> fine = cloud(100, 0, 1, 1);
  std::vector<float> bad = fine;
  bad[3] = std::numeric_limits<float>::infinity();
  const auto refused = precision_recall({.real = fine, .generated = bad}, dimension);
  BOOST_REQUIRE(!refused);
  BOOST_CHECK(refused.error().code == ErrorCode::NotFinite);
}

BOOST_AUTO_TEST_SUITE_END()

// The Frechet distance against closed forms: Gaussians that share their axes, and rotations of
// them.
#include "train/score/frechet.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/test/unit_test.hpp>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_frechet)

namespace {

using Doubles = std::vector<double>;

Gaussian diagonal(Doubles mean, const Doubles& variances) {
  const std::size_t n = mean.size();
  Gaussian out{
      .dimension = n, .count = 1000, .mean = std::move(mean), .covariance = Doubles(n * n)};
  for (std::size_t i = 0; i < n; ++i) out.covariance[i * n + i] = variances[i];
  return out;
}

// Covariance R diag(a, b) R^T of a 2-D Gaussian whose first axis points at `angle`.
Gaussian rotated(double a, double b, double angle) {
  const double c = std::cos(angle), s = std::sin(angle);
  return {.dimension = 2,
          .count = 1000,
          .mean = {0, 0},
          .covariance = {a * c * c + b * s * s, (a - b) * c * s, (a - b) * c * s,
                         a * s * s + b * c * c}};
}

std::vector<float> normal_rows(std::size_t count, std::size_t dimension, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "test", 0));
  std::vector<float> rows(count * dimension);
  for (float& value : rows) value = static_cast<float>(random.normal());
  return rows;
}

Gaussian gaussian_of(std::span<const float> rows, std::size_t dimension) {
  Moments moments(dimension);
  moments.add(rows);
  const Result<Gaussian> gaussian = moments.gaussian();
  BOOST_REQUIRE(gaussian.has_value());
  return *gaussian;
}

}  // namespace

// Of covariances with shared axes: |m1 - m2|^2 + sum (sigma1 - sigma2)^2.
BOOST_AUTO_TEST_CASE(the_distance_of_diagonal_gaussians_is_the_closed_form) {
  const FrechetReference real(diagonal({1, 2, 3}, {4, 9, 0.25}));
  const double distance = real.distance(diagonal({0, 2, 5}, {1, 16, 0.01}));
  // 1 + 4 for the means, (2-1)^2 + (3-4)^2 + (0.5-0.1)^2 for the deviations.
  BOOST_TEST(std::abs(distance - (5 + 1 + 1 + 0.16)) < 1e-12);
}

// For 2 x 2: tr (S1 S2)^(1/2) = sqrt(tr S1 S2 + 2 sqrt(det S1 det S2)).
BOOST_AUTO_TEST_CASE(the_distance_of_rotated_gaussians_is_the_closed_form) {
  for (const double angle : {0.3, std::numbers::pi / 4, std::numbers::pi / 2, 2.0}) {
    const double c2 = std::cos(angle) * std::cos(angle), s2 = 1 - c2;
    // tr S1 S2 of diag(9, 1) and diag(4, 0.5) turned by the angle.
    const double trace_product = 9 * (4 * c2 + 0.5 * s2) + 1 * (4 * s2 + 0.5 * c2);
    const double expected = 10 + 4.5 - 2 * std::sqrt(trace_product + 2 * std::sqrt(9.0 * 2.0));
    const FrechetReference real(rotated(9, 1, 0));
    BOOST_TEST(std::abs(real.distance(rotated(4, 0.5, angle)) - expected) < 1e-12);
  }
}

BOOST_AUTO_TEST_CASE(the_distance_does_not_depend_on_the_side) {
  const Gaussian a = gaussian_of(normal_rows(300, 16, 1), 16);
  const Gaussian b = gaussian_of(normal_rows(200, 16, 2), 16);
  BOOST_TEST(std::abs(FrechetReference(a).distance(b) - FrechetReference(b).distance(a)) < 1e-10);
}

BOOST_AUTO_TEST_CASE(the_distance_to_oneself_is_zero) {
  const Gaussian a = gaussian_of(normal_rows(1000, 64, 1), 64);
  BOOST_TEST(FrechetReference(a).distance(a) < 1e-9);
}

// Features that never vary, or repeat each other: where square roots of eigenvalues would lose
// digits.
BOOST_AUTO_TEST_CASE(the_distance_to_oneself_is_zero_for_a_singular_covariance_too) {
  std::vector<float> rows = normal_rows(1000, 64, 3);
  for (std::size_t row = 0; row < 1000; ++row) {
    float* values = rows.data() + row * 64;
    for (std::size_t i = 0; i < 64; ++i) values[i] *= 30;
    for (std::size_t i = 20; i < 40; ++i) values[i] = 7;
    for (std::size_t i = 40; i < 64; ++i) values[i] = values[i - 40] * 2;
  }
  const Gaussian a = gaussian_of(rows, 64);
  BOOST_TEST(FrechetReference(a).distance(a) < 1e-9);
}

BOOST_AUTO_TEST_CASE(equal_sets_in_parts_and_far_from_the_origin_have_equal_moments) {
  std::vector<float> rows = normal_rows(600, 4, 4);
  for (float& value : rows) value += 1000;
  Moments parts(4);
  parts.add(std::span(rows).first(4 * 100));
  parts.add(std::span(rows).subspan(4 * 100, 0));
  parts.add(std::span(rows).subspan(4 * 100));
  const Gaussian whole = gaussian_of(rows, 4);
  const auto split = parts.gaussian();
  BOOST_REQUIRE(split.has_value());
  BOOST_TEST(FrechetReference(whole).distance(*split) < 1e-9);
  // The variance of N(0, 1), whatever the mean: within four standard errors.
  BOOST_TEST(std::abs(whole.covariance[0] - 1) < 4 * std::sqrt(2.0 / 600));
}

BOOST_AUTO_TEST_CASE(the_covariance_is_the_unbiased_one) {
  Moments moments(1);
  moments.add(std::vector<float>{1, 2, 3, 6});
  const auto gaussian = moments.gaussian();
  BOOST_REQUIRE(gaussian.has_value());
  BOOST_TEST(gaussian->mean[0] == 3.0);
  BOOST_TEST(gaussian->covariance[0] == 14.0 / 3);
}

BOOST_AUTO_TEST_CASE(too_few_samples_for_the_dimension_are_refused_with_the_number_needed) {
  Moments moments(64);
  moments.add(normal_rows(127, 64, 5));
  const auto gaussian = moments.gaussian();
  BOOST_REQUIRE(!gaussian);
  BOOST_CHECK(gaussian.error().code == ErrorCode::Config);
  BOOST_TEST(gaussian.error().detail ==
             "127 samples are too few for a Frechet distance on 64 features: take 128 or more");
  BOOST_TEST(check_frechet_count({.count = 128, .dimension = 64}).has_value());
}

BOOST_AUTO_TEST_CASE(no_sample_at_all_is_refused_too) {
  BOOST_TEST(!Moments(2).gaussian().has_value());
}

BOOST_AUTO_TEST_CASE(features_that_are_not_finite_are_refused) {
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    std::vector<float> rows = normal_rows(100, 4, 6);
    rows[50] = bad;
    Moments moments(4);
    moments.add(rows);
    const auto gaussian = moments.gaussian();
    BOOST_REQUIRE(!gaussian);
    BOOST_CHECK(gaussian.error().code == ErrorCode::NotFinite);
  }
}

BOOST_AUTO_TEST_SUITE_END()

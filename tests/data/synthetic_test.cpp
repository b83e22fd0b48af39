// Synthetic sets: the statistics that their truth promises, and the same points every time.
#include "data/synthetic.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(synthetic)

using test::says;

namespace {

SyntheticSet made(std::string_view name, const SyntheticOptions& options = {}) {
  auto set = make_synthetic(name, options);
  BOOST_REQUIRE(set.has_value());
  return std::move(*set);
}

// Of one coordinate of the points of one mode.
struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const Dataset& dataset, std::size_t mode, std::size_t coordinate) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (std::size_t row = 0; row < dataset.count; ++row) {
    if (dataset.labels[row] != mode) continue;
    const double value = dataset.points[2 * row + coordinate];
    sum += value;
    squares += value * value;
    count += 1;
  }
  const double mean = sum / count;
  return {mean, std::sqrt(squares / count - mean * mean)};
}

void check_mixture(const SyntheticSet& set) {
  const double sigma = set.truth.sigma;
  for (std::size_t mode = 0; mode < set.truth.centres.size(); ++mode) {
    const double count =
        static_cast<double>(set.dataset.count) / static_cast<double>(set.truth.centres.size());
    for (std::size_t coordinate = 0; coordinate < 2; ++coordinate) {
      const Moments moments = moments_of(set.dataset, mode, coordinate);
      // Five standard errors of a mean, and of a standard deviation.
      BOOST_TEST(std::abs(moments.mean - set.truth.centres[mode][coordinate]) <
                 5 * sigma / std::sqrt(count));
      BOOST_TEST(std::abs(moments.deviation - sigma) < 5 * sigma / std::sqrt(2 * count));
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(ring8_is_eight_gaussians_on_a_circle_of_radius_2) {
  const SyntheticSet set = made("ring8");
  BOOST_REQUIRE(set.truth.centres.size() == 8U);
  BOOST_TEST(set.truth.sigma == 0.02F);
  for (std::size_t mode = 0; mode < 8; ++mode) {
    const auto [x, y] = set.truth.centres[mode];
    const double angle = static_cast<double>(mode) * 0.78539816339744831;
    // Centres are floats: half a unit in the last place of 2.
    BOOST_TEST(std::abs(x - 2 * std::cos(angle)) < 2.4e-7);
    BOOST_TEST(std::abs(y - 2 * std::sin(angle)) < 2.4e-7);
  }
  check_mixture(set);
}

BOOST_AUTO_TEST_CASE(grid25_is_five_by_five_gaussians_of_unit_variance_in_all) {
  const SyntheticSet set = made("grid25");
  BOOST_REQUIRE(set.truth.centres.size() == 25U);
  BOOST_TEST(std::abs(set.truth.sigma - 0.05 / std::sqrt(8.0)) < 1e-8);  // a float's rounding
  BOOST_TEST(std::abs(set.truth.centres[0][0] + std::sqrt(2.0)) < 1e-6);
  BOOST_TEST(std::abs(set.truth.centres[12][0]) == 0);
  double square = 0;
  for (const auto& [x, y] : set.truth.centres) square += x * x + y * y;
  BOOST_TEST(std::abs(square / 50 - 1) < 1e-6);
  check_mixture(set);
}

BOOST_AUTO_TEST_CASE(every_mode_has_its_share_of_the_points) {
  const SyntheticSet set = made(
      "grid25", {.count = 1010, .radius = {}, .spacing = {}, .sigma = {}, .scale = {}, .seed = 0});
  std::vector<std::size_t> counts(25);
  for (const std::uint8_t label : set.dataset.labels) ++counts[label];
  for (std::size_t mode = 0; mode < 25; ++mode) BOOST_TEST(counts[mode] == (mode < 10 ? 41U : 40U));
  BOOST_TEST(set.dataset.class_count == 25U);
  BOOST_TEST((set.dataset.shape == SampleShape{.height = 1, .width = 1, .channels = 2}));
  BOOST_TEST(set.dataset.points.size() == 2020U);
  BOOST_TEST(!set.dataset.is_image());
}

BOOST_AUTO_TEST_CASE(sizes_are_options) {
  SyntheticOptions options;
  options.radius = 1;
  options.sigma = 0.1;
  options.scale = 0.5;
  const SyntheticSet set = made("ring8", options);
  BOOST_TEST(set.truth.centres[0][0] == 0.5F);
  BOOST_TEST(set.truth.sigma == 0.05F);
  check_mixture(set);
}

BOOST_AUTO_TEST_CASE(the_same_options_give_the_same_points_and_another_seed_others) {
  SyntheticOptions options;
  options.count = 100;
  const SyntheticSet first = made("ring8", options);
  BOOST_TEST((first.dataset.points == made("ring8", options).dataset.points));
  // The points are the same on every machine and in every version.
  BOOST_TEST(first.dataset.fingerprint == "59dc92d676f6fb351b287a1063bacdfb");
  options.seed = 1;
  const SyntheticSet other = made("ring8", options);
  BOOST_TEST(other.dataset.fingerprint != first.dataset.fingerprint);
}

BOOST_AUTO_TEST_CASE(wrong_options_are_told) {
  const auto error_of = [](std::string_view name, const SyntheticOptions& options) {
    const auto set = make_synthetic(name, options);
    BOOST_REQUIRE(!set.has_value());
    BOOST_TEST((set.error().code == ErrorCode::Config));
    return set.error().detail;
  };
  SyntheticOptions options;
  options.spacing = 2;
  BOOST_TEST(says(error_of("ring8", options), {"ring8 has no spacing"}));
  options = {};
  options.radius = 2;
  BOOST_TEST(says(error_of("grid25", options), {"grid25 has no radius"}));
  options = {};
  options.sigma = 0;
  BOOST_TEST(says(error_of("ring8", options), {"sigma is 0;", "more than 0"}));
  options.sigma = std::nan("");
  BOOST_TEST(says(error_of("ring8", options), {"sigma is nan"}));
  options = {};
  options.count = 7;
  BOOST_TEST(says(error_of("ring8", options), {"count is 7", "8 to 10000000"}));
  options.count = synthetic_count_max + 1;
  BOOST_TEST(says(error_of("ring8", options), {"count is 10000001"}));
  BOOST_TEST(says(error_of("ring9", {}), {"ring9", "ring8 and grid25"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data

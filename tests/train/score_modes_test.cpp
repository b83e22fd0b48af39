// Modes covered and the mode score, on points whose places are known.
#include "train/score/modes.hpp"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_modes)

namespace {

const data::MixtureTruth two_modes{.centres = {{0, 0}, {10, 0}}, .sigma = 1};

void add(std::vector<float>& points, std::size_t count, float x, float y) {
  for (std::size_t i = 0; i < count; ++i) points.insert(points.end(), {x, y});
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_point_within_three_sigma_is_a_good_point_of_its_nearest_mode) {
  std::vector<float> points;
  add(points, 3, 0, 3);       // just within
  add(points, 2, 10, -2.9F);  // of the other mode
  add(points, 4, 0, 3.01F);   // just outside
  add(points, 1, 5, 0);       // between
  const ModeCounts counts = count_modes(points, two_modes);
  const std::vector<std::size_t> expected{3, 2};
  BOOST_TEST(counts.good == expected, boost::test_tools::per_element());
  BOOST_TEST(counts.sample_count == 10u);
  BOOST_TEST(counts.good_share() == 0.5);
}

BOOST_AUTO_TEST_CASE(points_that_are_not_finite_are_nowhere) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  const ModeCounts counts = count_modes(std::vector<float>{nan, 0, infinity, 0, 0, nan}, two_modes);
  BOOST_TEST(counts.good_share() == 0);
}

BOOST_AUTO_TEST_CASE(a_mode_is_covered_by_a_tenth_of_its_fair_share) {
  const ModeCounts few{.good = std::vector<std::size_t>(25), .sample_count = 10};
  BOOST_TEST(few.covered_count_min() == 1u);  // never by none
  std::vector<float> points;
  add(points, 49, 10, 0);
  add(points, 951, 0, 0);
  BOOST_TEST(count_modes(points, two_modes).covered_count_min() == 50u);
  BOOST_TEST(count_modes(points, two_modes).covered() == 1u);
  add(points, 1, 10, 0);
  BOOST_TEST(count_modes(points, two_modes).covered() == 2u);
}

BOOST_AUTO_TEST_CASE(samples_of_the_true_mixture_score_next_to_nothing) {
  RandomStream random(stream_key(1, "test", 0));
  std::vector<float> points;
  for (std::size_t i = 0; i < 4000; ++i) {
    points.push_back(static_cast<float>(random.normal()) + two_modes.centres[i % 2][0]);
    points.push_back(static_cast<float>(random.normal()));
  }
  const ModeCounts counts = count_modes(points, two_modes);
  BOOST_TEST(counts.covered() == 2u);
  BOOST_TEST(std::abs(counts.good_share() - 0.9889) < 0.006);
  // Four standard errors of the share outside.
  BOOST_TEST(mode_score(counts) < 0.007);
}

BOOST_AUTO_TEST_CASE(a_lost_mode_costs_its_share_and_points_nowhere_cost_theirs) {
  std::vector<float> lost, astray;
  add(lost, 100, 0, 0);
  add(astray, 50, 0, 0);
  add(astray, 50, 5, 5);
  const double outside = std::exp(-4.5);
  BOOST_TEST(std::abs(mode_score(count_modes(lost, two_modes)) - (0.5 + outside / 2)) < 1e-12);
  BOOST_TEST(std::abs(mode_score(count_modes(astray, two_modes)) - 0.5) < outside);
}

BOOST_AUTO_TEST_CASE(the_worst_score_is_nearly_one_and_a_better_balance_scores_better) {
  std::vector<float> nowhere, uneven, even;
  add(nowhere, 10, 100, 100);
  add(uneven, 90, 0, 0);
  add(uneven, 10, 10, 0);
  add(even, 60, 0, 0);
  add(even, 40, 10, 0);
  BOOST_TEST(std::abs(mode_score(count_modes(nowhere, two_modes)) - (1 - std::exp(-4.5))) < 1e-12);
  BOOST_TEST(mode_score(count_modes(even, two_modes)) < mode_score(count_modes(uneven, two_modes)));
}

BOOST_AUTO_TEST_SUITE_END()

// One word on how a run goes: each of its texts, and the numbers that lead there.
#include "node/run/verdict.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(verdict)

namespace {

std::string after(std::initializer_list<Observation> observations) {
  Verdict verdict;
  for (const Observation& observation : observations) verdict.observe(observation);
  return verdict.text();
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_observation_is_a_start) {
  BOOST_TEST(after({}) == "starting");
  BOOST_TEST(after({{.images_seen = 1000, .score = 9.0, .diversity = 1.0}}) == "starting");
}

BOOST_AUTO_TEST_CASE(without_a_score_it_trains) {
  BOOST_TEST(after({{.score = {}, .diversity = 1.0}, {.score = {}, .diversity = 1.0}}) ==
             "training");
}

BOOST_AUTO_TEST_CASE(a_falling_score_improves) {
  BOOST_TEST(after({{.generation = 1, .images_seen = 1000, .score = 9.0},
                    {.generation = 2, .images_seen = 900'000, .score = 8.0}}) == "improving");
}

BOOST_AUTO_TEST_CASE(a_rising_score_names_the_best_one) {
  BOOST_TEST(after({{.generation = 120, .images_seen = 720'000, .score = 21.46},
                    {.generation = 121, .images_seen = 726'000, .score = 28.6}}) ==
             "best was 21.5 at generation 120");
}

BOOST_AUTO_TEST_CASE(a_score_that_stays_is_flat_after_enough_images) {
  const Observation first{.generation = 1, .images_seen = 1000, .score = 8.0};
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 300'999, .score = 8.0}}) ==
             "best was 8 at generation 1");
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 421'000, .score = 8.1}}) ==
             "flat for 420 thousand images");
}

BOOST_AUTO_TEST_CASE(less_than_a_hundredth_is_no_improvement) {
  const Observation first{.generation = 1, .images_seen = 0, .score = 8.0};
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 500'000, .score = 7.95}}) ==
             "flat for 500 thousand images");
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 500'000, .score = 7.9}}) ==
             "improving");
}

// A score that is a negated measure: -5 is better than -4.
BOOST_AUTO_TEST_CASE(scores_below_zero_improve_downwards) {
  const Observation first{.generation = 1, .images_seen = 0, .score = -4.0};
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 500'000, .score = -5.0}}) ==
             "improving");
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 500'000, .score = -4.01}}) ==
             "flat for 500 thousand images");
}

// The best cell of a generation may have seen less than that of an earlier one.
BOOST_AUTO_TEST_CASE(another_cell_with_fewer_images_is_not_flat_for_ever) {
  BOOST_TEST(after({{.generation = 1, .images_seen = 5000, .score = 8.0},
                    {.generation = 2, .images_seen = 4000, .score = 8.0}}) ==
             "best was 8 at generation 1");
}

BOOST_AUTO_TEST_CASE(samples_that_hardly_differ_are_a_collapse) {
  BOOST_TEST(after({{.images_seen = 20'000, .score = 5.0, .diversity = 0.054}}) ==
             "collapsed (samples spread 5 % of the real ones)");
  BOOST_TEST(after({{.images_seen = 20'000, .score = 5.0, .diversity = 0.2}}) == "starting");
}

// Nothing has come apart that was never together.
BOOST_AUTO_TEST_CASE(what_has_hardly_begun_has_not_collapsed) {
  BOOST_TEST(after({{.images_seen = 19'999, .score = 5.0, .diversity = 0.05}}) == "starting");
}

BOOST_AUTO_TEST_CASE(a_score_far_above_its_best_has_diverged) {
  const Observation first{.generation = 1, .images_seen = 0, .score = 2.0};
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 1, .score = 6.0}}) ==
             "best was 2 at generation 1");
  BOOST_TEST(after({first, {.generation = 2, .images_seen = 1, .score = 7.0}}) ==
             "diverged (the score is 3.5 times its best)");
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_has_diverged) {
  BOOST_TEST(after({{.score = 5.0, .diversity = 1.0, .rolled_back = true}}) ==
             "diverged (NaN: rolled back)");
  BOOST_TEST(after({{.score = std::numeric_limits<double>::quiet_NaN(), .diversity = 1.0}}) ==
             "diverged (the score is not finite)");
}

BOOST_AUTO_TEST_CASE(a_run_recovers) {
  BOOST_TEST(after({{.generation = 1, .score = 5.0, .diversity = 0.1, .rolled_back = true},
                    {.generation = 2, .score = 4.0, .diversity = 0.9}}) == "improving");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

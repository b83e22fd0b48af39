// Total variation, the inception-style score and the report, each against answers worked out by
// hand.
#include <cmath>

#include <boost/test/unit_test.hpp>

#include "train/score/figure.hpp"
#include "train/score/inception.hpp"
#include "train/score/tvd.hpp"

using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_figures)

BOOST_AUTO_TEST_CASE(total_variation_is_half_the_l1_distance) {
  const std::vector<double> p{0.5, 0.3, 0.2}, q{0.2, 0.3, 0.5}, r{0, 0, 1}, s{1, 0, 0};
  BOOST_TEST(total_variation(p, p) == 0);
  BOOST_TEST(std::abs(total_variation(p, q) - 0.3) < 1e-15);
  BOOST_TEST(total_variation(r, s) == 1);
}

BOOST_AUTO_TEST_CASE(a_sample_counts_for_its_most_probable_class_and_the_first_of_equals) {
  ClassCounts counts(3);
  counts.add(std::vector<float>{0.2F, 0.7F, 0.1F, 0.4F, 0.2F, 0.4F});
  counts.add(std::vector<float>{0.1F, 0.1F, 0.8F, 0.0F, 0.1F, 0.9F});
  BOOST_TEST(counts.sample_count() == 4u);
  const std::vector<double> expected{0.25, 0.25, 0.5};
  BOOST_TEST(counts.frequencies() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(certain_and_evenly_spread_samples_score_the_number_of_classes) {
  const std::vector<float> certain{1, 0, 0, 0, 1, 0, 0, 0, 1};
  BOOST_TEST(std::abs(inception_style_score(certain, 3) - 3) < 1e-12);
}

BOOST_AUTO_TEST_CASE(samples_of_one_class_and_samples_that_nobody_can_tell_score_one) {
  const std::vector<float> collapsed{0, 1, 0, 1, 0, 1};
  const std::vector<float> uncertain{0.5F, 0.5F, 0.5F, 0.5F};
  BOOST_TEST(std::abs(inception_style_score(collapsed, 2) - 1) < 1e-12);
  BOOST_TEST(std::abs(inception_style_score(uncertain, 2) - 1) < 1e-12);
}

BOOST_AUTO_TEST_CASE(the_inception_style_score_is_its_formula_in_between) {
  // p(y) = (0.5, 0.5); KL of each row to it: 0.75 log 1.5 + 0.25 log 0.5.
  const std::vector<float> rows{0.75F, 0.25F, 0.25F, 0.75F};
  const double expected = std::exp(0.75 * std::log(1.5) + 0.25 * std::log(0.5));
  BOOST_TEST(std::abs(inception_style_score(rows, 2) - expected) < 1e-12);
}

BOOST_AUTO_TEST_CASE(a_report_names_the_features_and_n_of_every_figure) {
  const std::vector<Figure> figures{{"TVD", 0.125, "10 classes", 1000},
                                    {"Frechet distance", 23.45678, "64 features", 500}};
  BOOST_TEST(report(figures) ==
             "TVD               0.125      N 1000    10 classes\n"
             "Frechet distance  23.46      N 500     64 features\n");
}

BOOST_AUTO_TEST_SUITE_END()

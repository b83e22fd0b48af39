// How much samples differ from each other.
#include "node/run/sample_spread.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <vector>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(sample_spread_test)

BOOST_AUTO_TEST_CASE(samples_that_are_alike_have_none) {
  const std::vector<float> samples{1, -2, 1, -2, 1, -2};
  BOOST_TEST(sample_spread(samples, 2) == 0.0);
}

BOOST_AUTO_TEST_CASE(it_is_the_mean_over_values_of_the_deviation_over_samples) {
  // The first value is 1 or 3 (deviation 1), the second 0 or 6 (deviation 3).
  const std::vector<float> samples{1, 0, 3, 6, 1, 6, 3, 0};
  BOOST_TEST(sample_spread(samples, 2) == 2.0);
}

BOOST_AUTO_TEST_CASE(fewer_than_two_samples_have_none) {
  const std::vector<float> one{1, 2};
  BOOST_TEST(sample_spread(one, 2) == 0.0);
  BOOST_TEST(sample_spread({}, 2) == 0.0);
  BOOST_TEST(sample_spread(one, 0) == 0.0);
}

BOOST_AUTO_TEST_CASE(a_large_offset_does_not_drown_it) {
  const std::vector<float> samples{4096.25F, 4096.75F};
  BOOST_TEST(sample_spread(samples, 1) == 0.25, boost::test_tools::tolerance(1e-6));
}

// 0 and 255 are -1 and 1 in the scale that networks see.
BOOST_AUTO_TEST_CASE(images_are_measured_in_their_scale) {
  data::Dataset dataset;
  dataset.shape = {1, 2, 1};
  dataset.count = 2;
  dataset.bytes = {0, 7, 255, 7};
  BOOST_TEST(dataset_spread(dataset, 10) == 0.5, boost::test_tools::tolerance(1e-6));
}

BOOST_AUTO_TEST_CASE(points_are_measured_as_they_are_and_no_more_than_asked) {
  data::Dataset dataset;
  dataset.shape = {1, 1, 1};
  dataset.count = 3;
  dataset.points = {0, 2, 1000};
  BOOST_TEST(dataset_spread(dataset, 2) == 1.0);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

// Which norms are in keeping with those before, and how soon a lasting change is believed.
#include "worker/norm_history.hpp"

#include <array>
#include <boost/test/unit_test.hpp>

namespace quadrille::worker {

BOOST_AUTO_TEST_SUITE(norm_history)

BOOST_AUTO_TEST_CASE(the_norm_is_the_root_of_the_sum_of_squares) {
  BOOST_TEST(norm_of(std::array{3.0F, -4.0F}) == 5.0);
  BOOST_TEST(norm_of({}) == 0.0);
}

BOOST_AUTO_TEST_CASE(the_first_norm_is_in_keeping_whatever_it_is) {
  BOOST_TEST(NormHistory().accepts(1e30));
  BOOST_TEST(NormHistory().accepts(0));
}

BOOST_AUTO_TEST_CASE(up_to_eight_times_more_or_less_than_the_median_is_in_keeping) {
  const auto accepts = [](double norm) {
    NormHistory history;
    for (const double before : {1.0, 1.0, 1.0, 0.2, 5.0}) history.accepts(before);
    return history.accepts(norm);
  };
  BOOST_TEST(accepts(8));
  BOOST_TEST(!accepts(8.01));
  BOOST_TEST(accepts(0.125));
  BOOST_TEST(!accepts(0.124));
  BOOST_TEST(!accepts(0));
}

BOOST_AUTO_TEST_CASE(norms_that_grow_slowly_are_followed) {
  NormHistory history;
  double norm = 1;
  for (int i = 0; i < 100; ++i, norm *= 1.2) BOOST_REQUIRE(history.accepts(norm));
}

BOOST_AUTO_TEST_CASE(what_stays_different_is_believed_once_it_is_the_median) {
  NormHistory history;
  for (std::size_t i = 0; i < NormHistory::norms_kept; ++i) history.accepts(1);
  std::size_t refused = 0;
  while (!history.accepts(100)) ++refused;
  BOOST_TEST(refused == NormHistory::norms_kept / 2 + 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::worker

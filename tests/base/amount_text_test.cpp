// Durations and large numbers, as progress lines show them.
#include "base/amount_text.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(amount_texts)

BOOST_AUTO_TEST_CASE(durations_read_like_a_clock) {
  for (const auto& [seconds, text] : {std::pair{0.0, "0s"},
                                      {0.4, "0s"},
                                      {59.4, "59s"},
                                      {59.6, "1m00s"},
                                      {192.0, "3m12s"},
                                      {3599.0, "59m59s"},
                                      {3600.0, "1h00m"},
                                      {3720.0, "1h02m"},
                                      {400'000.0, "111h06m"},
                                      {-5.0, "0s"}})
    BOOST_TEST(duration_text(seconds) == text);
}

BOOST_AUTO_TEST_CASE(digits_are_grouped_by_three) {
  BOOST_TEST(grouped_digits(0) == "0");
  BOOST_TEST(grouped_digits(999) == "999");
  BOOST_TEST(grouped_digits(1000) == "1,000");
  BOOST_TEST(grouped_digits(12'345) == "12,345");
  BOOST_TEST(grouped_digits(18'446'744'073'709'551'615U) == "18,446,744,073,709,551,615");
}

BOOST_AUTO_TEST_SUITE_END()

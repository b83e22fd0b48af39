// Only of one thing the noun has no s.
#include "base/count_text.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(count_texts)

BOOST_AUTO_TEST_CASE(one_is_singular_and_none_and_more_are_plural) {
  BOOST_TEST(count_text(1, "label") == "1 label");
  BOOST_TEST(count_text(0, "label") == "0 labels");
  BOOST_TEST(count_text(2, "exact duplicate") == "2 exact duplicates");
  BOOST_TEST(count_text(18'446'744'073'709'551'615U, "image") == "18446744073709551615 images");
}

BOOST_AUTO_TEST_SUITE_END()

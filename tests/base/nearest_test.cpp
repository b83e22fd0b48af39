// What a misspelt key was probably meant to be.
#include "base/nearest.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(nearest_names)

namespace {

constexpr std::array<std::string_view, 6> known = {"rows",       "columns",  "generations",
                                                   "batch_size", "exchange", "exchange_interval"};

std::string nearest(std::string_view unknown) {
  return std::string(nearest_name(unknown, known).value_or("none"));
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_letter_wrong_missing_added_or_swapped_is_forgiven) {
  BOOST_TEST(nearest("rowz") == "rows");
  BOOST_TEST(nearest("colums") == "columns");
  BOOST_TEST(nearest("generrations") == "generations");
  BOOST_TEST(nearest("genreations") == "generations");
  BOOST_TEST(nearest("rosw") == "rows");
}

BOOST_AUTO_TEST_CASE(case_does_not_count) {
  BOOST_TEST(nearest("BATCH_SIZE") == "batch_size");
}

BOOST_AUTO_TEST_CASE(a_beginning_names_the_shortest_that_goes_on_so) {
  BOOST_TEST(nearest("gen") == "generations");
  BOOST_TEST(nearest("exch") == "exchange");
  BOOST_TEST(nearest("ex") == "none");
}

BOOST_AUTO_TEST_CASE(nothing_is_near_to_something_else_entirely) {
  BOOST_TEST(nearest("temperature") == "none");
  BOOST_TEST(nearest("") == "none");
  BOOST_TEST(nearest(std::string(1000, 'r')) == "none");
  BOOST_TEST(!nearest_name("rows", {}).has_value());
}

BOOST_AUTO_TEST_CASE(among_equally_near_names_the_first_is_meant) {
  constexpr std::array<std::string_view, 2> twins{"beta1", "beta2"};
  BOOST_TEST(nearest_name("beta3", twins).value() == "beta1");
}

BOOST_AUTO_TEST_CASE(a_name_past_the_length_limit_has_no_neighbour) {
  const std::string at_limit(nearest_length_max, 'a');
  const std::string past_limit(nearest_length_max + 1, 'a');
  const std::array<std::string_view, 2> long_names{at_limit, past_limit};
  BOOST_TEST((nearest_name(at_limit, long_names) == at_limit));
  BOOST_TEST(!nearest_name(past_limit, long_names).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

// What counts as near: slips of the finger do, other words do not.
#include "base/nearest.hpp"

#include <array>
#include <boost/test/unit_test.hpp>
#include <string>

namespace quadrille {
namespace {

constexpr std::array<std::string_view, 6> known{"rows",     "columns", "learning_rate",
                                                "evaluate", "mlp",     "batch_size"};

std::string nearest(std::string_view unknown) {
  return std::string(nearest_name(unknown, known).value_or("none"));
}

BOOST_AUTO_TEST_SUITE(nearest_name_test)

BOOST_AUTO_TEST_CASE(one_letter_missing_added_or_replaced_is_near) {
  BOOST_TEST(nearest("row") == "rows");
  BOOST_TEST(nearest("collumns") == "columns");
  BOOST_TEST(nearest("learning-rate") == "learning_rate");
}

BOOST_AUTO_TEST_CASE(two_swapped_letters_count_once) {
  BOOST_TEST(nearest("mpl") == "mlp");
  BOOST_TEST(nearest("bacth_size") == "batch_size");
}

BOOST_AUTO_TEST_CASE(case_does_not_matter) {
  BOOST_TEST(nearest("ROWS") == "rows");
}

BOOST_AUTO_TEST_CASE(the_beginning_of_a_name_is_near) {
  BOOST_TEST(nearest("eval") == "evaluate");
  BOOST_TEST(nearest("ev") == "none");
}

BOOST_AUTO_TEST_CASE(another_word_is_not_near) {
  BOOST_TEST(nearest("colour") == "none");
  BOOST_TEST(nearest("") == "none");
  BOOST_TEST(nearest("x") == "none");
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

}  // namespace
}  // namespace quadrille

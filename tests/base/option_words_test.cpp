// What is said of options that the library for command lines lets pass, or words its own way.
#include "base/option_words.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(option_words)

BOOST_AUTO_TEST_CASE(an_option_that_ends_with_its_equals_sign_has_no_value) {
  const std::vector<std::string> typed{"run.toml", "--seed=1", "--out=", "--resume"};
  BOOST_TEST(option_without_value(typed).value_or("") == "--out= is not followed by a value");
}

BOOST_AUTO_TEST_CASE(values_may_end_with_an_equals_sign_or_be_empty_words) {
  const std::vector<std::string> typed{"--note=a=", "--out", "b=", "=", "", "-", "--", "--x"};
  BOOST_TEST(!option_without_value(typed));
}

BOOST_AUTO_TEST_CASE(a_mismatch_is_told_in_our_words) {
  BOOST_TEST(told_of_mismatch("--out: 1 required TEXT missing") == "--out needs a value");
  BOOST_TEST(told_of_mismatch("--seed: At Most 1 required but received 2") ==
             "--seed is given more than once");
  BOOST_TEST(told_of_mismatch("resume was given a disallowed flag override") ==
             "--resume takes no value");
}

BOOST_AUTO_TEST_SUITE_END()

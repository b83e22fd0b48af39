// Texts of others: what may be shown, and what of our own is made fit to be sent.
#include "wire/text.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(texts)

BOOST_AUTO_TEST_CASE(a_line_is_utf8_without_control_characters) {
  BOOST_TEST(is_line(""));
  BOOST_TEST(is_line("peer-7 \u00e9\u20ac\U0001f40e"));
  BOOST_TEST(!is_line("two\nlines"));
  BOOST_TEST(!is_line("a\ttab"));
  BOOST_TEST(!is_line("\x1b[2J"));
  BOOST_TEST(!is_line("\x7f"));
  BOOST_TEST(!is_line("\xc2\x9b"));  // C1: a terminal may take it for ESC [
  BOOST_TEST(is_line("\xc2\xa0"));   // the first that is none
  BOOST_TEST(!is_line("\xff"));
  BOOST_TEST(!is_line("cut \xe2\x82"));
  BOOST_TEST(!is_line(std::string("a\0b", 3)));
}

BOOST_AUTO_TEST_CASE(lines_may_have_tabs_and_line_ends_besides) {
  BOOST_TEST(is_lines("[run]\r\n\tname = \"\u00e9\"\n"));
  BOOST_TEST(!is_lines("\x1b[2J\n"));
  BOOST_TEST(!is_lines("\v"));
}

BOOST_AUTO_TEST_CASE(a_line_that_fits_stays_as_it_is) {
  BOOST_TEST(fitting_line("f\u00fcr", 4) == "f\u00fcr");
}

BOOST_AUTO_TEST_CASE(a_line_is_cut_between_characters) {
  BOOST_TEST(fitting_line("f\u00fcr", 2) == "f");
  BOOST_TEST(fitting_line("f\u00fcr", 3) == "f\u00fc");
  BOOST_TEST(fitting_line("abc", 0) == "");
}

BOOST_AUTO_TEST_CASE(what_may_not_be_in_a_line_becomes_a_question_mark) {
  BOOST_TEST(fitting_line("a\nb\xff.\xc2\x9b!", 10) == "a?b?.?!");
}

BOOST_AUTO_TEST_SUITE_END()

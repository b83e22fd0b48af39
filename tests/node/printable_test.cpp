// What a terminal is shown of a text that may hold anything.
#include "node/run/printable.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(printable_test)

BOOST_AUTO_TEST_CASE(plain_text_in_any_script_is_left_as_it_is) {
  for (const char* text : {"", "runs/a b", "\u00e4\u00df", "\u4e2d", "\U0001f40e", "\U0010ffff"})
    BOOST_TEST(printable(text) == text);
}

BOOST_AUTO_TEST_CASE(a_line_stays_one_line) {
  BOOST_TEST(printable("a\nb\rc") == "a\\x0ab\\x0dc");
  BOOST_TEST(printable("a\u0085b") == "a\\xc2\\x85b");
  BOOST_TEST(printable("a\u2028b\u2029") == "a\\xe2\\x80\\xa8b\\xe2\\x80\\xa9");
}

BOOST_AUTO_TEST_CASE(nothing_that_a_terminal_obeys_is_left) {
  BOOST_TEST(printable("\x1b[2J\x7f\t") == "\\x1b[2J\\x7f\\x09");
  BOOST_TEST(printable(std::string_view("\0a", 2)) == "\\x00a");
  BOOST_TEST(printable("\u009b") == "\\xc2\\x9b");
}

BOOST_AUTO_TEST_CASE(what_is_no_utf_8_is_shown_byte_by_byte) {
  BOOST_TEST(printable("\xff") == "\\xff");
  BOOST_TEST(printable("a\xc3") == "a\\xc3");         // cut short
  BOOST_TEST(printable("\xc0\x8a") == "\\xc0\\x8a");  // an overlong line feed
  BOOST_TEST(printable("\xe0\x80\x8a") == "\\xe0\\x80\\x8a");
  BOOST_TEST(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");  // a surrogate
  BOOST_TEST(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");
  BOOST_TEST(printable("\xe4\xb8z") == "\\xe4\\xb8z");
}

BOOST_AUTO_TEST_CASE(only_what_is_longer_than_any_word_is_cut_and_never_within_a_letter) {
  const std::string text = "two words  of " + std::string(512, 'a') + " ";
  BOOST_TEST(with_short_words(text) == text);
  BOOST_TEST(with_short_words("x " + std::string(600, 'a') + std::string(4400, 'b') + ": no") ==
             "x " + std::string(160, 'a') + "..." + std::string(63, 'b') + ": no");
  std::string letters = "a";
  for (int i = 0; i < 300; ++i) letters += "\u00e9";
  BOOST_TEST(with_short_words(letters).size() == 159U + 3 + 64);
  BOOST_TEST(printable(with_short_words(letters)) == with_short_words(letters));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

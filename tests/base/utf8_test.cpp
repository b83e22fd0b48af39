// What is UTF-8: whole sequences of the one shortest form, of characters that there are.
#include "base/utf8.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(utf8)

BOOST_AUTO_TEST_CASE(a_sequence_has_one_to_four_bytes) {
  BOOST_TEST(utf8_sequence_bytes("a\u00e4") == 1u);
  BOOST_TEST(utf8_sequence_bytes("\u00e4b") == 2u);
  BOOST_TEST(utf8_sequence_bytes("\u4e2d") == 3u);
  BOOST_TEST(utf8_sequence_bytes("\U0010ffff") == 4u);
}

BOOST_AUTO_TEST_CASE(text_in_any_script_is_utf_8) {
  for (const char* text : {"", "/data/a b", "caf\u00e9", "\u4e2d\u6587", "\U0001f40e\n"})
    BOOST_TEST(is_utf8(text), text);
}

BOOST_AUTO_TEST_CASE(latin_1_and_damage_are_not) {
  for (const char* text : {"caf\xe9", "\xff", "a\x80", "a\xc3",  // alone, or cut short
                           "\xc0\x8a", "\xe0\x80\x8a",           // overlong line feeds
                           "\xed\xa0\x80",                       // a surrogate
                           "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xe4\xb8z"}) {
    BOOST_TEST(!is_utf8(text));
    BOOST_TEST(!is_utf8(std::string("before") + text));
  }
}

BOOST_AUTO_TEST_SUITE_END()

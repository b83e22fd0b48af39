// A command line that is told can be pasted.
#include "sim/shell_word.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::sim {

BOOST_AUTO_TEST_SUITE(shell_words)

BOOST_AUTO_TEST_CASE(what_a_shell_reads_nothing_into_stays_as_it_is) {
  for (const char* word : {"build/release/swarm-sim", "--seed", "0.05", "10x10", "-1", "a_b:c=d"})
    BOOST_TEST(shell_word(word) == word);
}

BOOST_AUTO_TEST_CASE(all_else_is_quoted) {
  BOOST_TEST(shell_word("") == "''");
  BOOST_TEST(shell_word("a b") == "'a b'");
  BOOST_TEST(shell_word("$HOME") == "'$HOME'");
  BOOST_TEST(shell_word("~/runs") == "'~/runs'");
  BOOST_TEST(shell_word("*.bin") == "'*.bin'");
  BOOST_TEST(shell_word("it's") == "'it'\\''s'");
  BOOST_TEST(shell_word("\xC3\xA4") == "'\xC3\xA4'");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

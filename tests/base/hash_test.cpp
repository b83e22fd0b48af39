// Peers compare these, so they are fixed for ever; schemas/README.md has the same values.
#include "base/hash.hpp"

#include <boost/test/unit_test.hpp>
#include <string_view>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(hashes)

BOOST_AUTO_TEST_CASE(hashes_are_what_they_were) {
  static_assert(mix64(1) == 0x910A2DEC89025CC1U);
  static_assert(chain(1, 2) == 0xE06DD043328BD285U);
  constexpr std::string_view text = "torus cell";  // a word, and two bytes of another
  BOOST_TEST(hash_of(std::as_bytes(std::span(text))) == 0xAE17754D939338B6U);
}

BOOST_AUTO_TEST_CASE(bytes_that_differ_in_their_count_alone_have_other_hashes) {
  const ByteBuffer zeros(16);
  const Bytes all(zeros);
  BOOST_TEST(hash_of(all.first(3)) != hash_of(all.first(4)));
  BOOST_TEST(hash_of({}) != hash_of(all.first(1)));
}

BOOST_AUTO_TEST_SUITE_END()

// Hex digits of ids and fingerprints: they stand in names of files, so they never change.
#include "base/hex.hpp"

#include <boost/test/unit_test.hpp>

#include <array>

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(hex)

BOOST_AUTO_TEST_CASE(every_byte_is_two_lower_case_digits_in_the_order_of_memory) {
  constexpr std::array bytes{std::byte{0x00}, std::byte{0x0a}, std::byte{0xf9}, std::byte{0xff}};
  BOOST_TEST(hex_text(bytes) == "000af9ff");
}

BOOST_AUTO_TEST_CASE(no_bytes_are_no_text) {
  BOOST_TEST(hex_text({}).empty());
}

BOOST_AUTO_TEST_SUITE_END()

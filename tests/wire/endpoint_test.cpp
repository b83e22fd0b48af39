// Addresses as people read them.
#include "wire/endpoint.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <sstream>
#include <unordered_set>

using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(endpoints)

namespace {

std::string text_of(const Endpoint& endpoint) {
  std::ostringstream out;
  out << endpoint << ' ' << 255;  // the stream's own base is as it was
  return std::move(out).str();
}

Endpoint v6(std::array<std::uint16_t, 8> groups) {
  Endpoint endpoint{.address = {}, .port = 7746};
  for (std::size_t i = 0; i < groups.size(); ++i) {
    endpoint.address[2 * i] = static_cast<std::uint8_t>(groups[i] >> 8U);
    endpoint.address[2 * i + 1] = static_cast<std::uint8_t>(groups[i]);
  }
  return endpoint;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_ipv4_address_is_written_with_dots) {
  BOOST_TEST(text_of(Endpoint::v4(0x0A000007, 7746)) == "10.0.0.7:7746 255");
}

BOOST_AUTO_TEST_CASE(an_ipv6_address_is_written_in_brackets_as_rfc_5952_wants_it) {
  BOOST_TEST(text_of(v6({0xFE80, 0, 0, 0, 0, 0, 0, 1})) == "[fe80::1]:7746 255");
  BOOST_TEST(text_of(v6({0, 0, 0, 0, 0, 0, 0, 1})) == "[::1]:7746 255");
  BOOST_TEST(text_of(v6({0, 0, 0, 0, 0, 0, 0, 0})) == "[::]:7746 255");
  BOOST_TEST(text_of(v6({0x2001, 0xDB8, 0, 0, 1, 0, 0, 0})) == "[2001:db8:0:0:1::]:7746 255");
  BOOST_TEST(text_of(v6({0x2001, 0xDB8, 0, 0, 1, 0, 0, 1})) == "[2001:db8::1:0:0:1]:7746 255");
  BOOST_TEST(text_of(v6({0x2001, 0xDB8, 0, 1, 1, 1, 1, 1})) == "[2001:db8:0:1:1:1:1:1]:7746 255");
}

BOOST_AUTO_TEST_CASE(an_endpoint_of_one_host_is_told_from_one_of_nobody_or_of_many) {
  for (const std::uint32_t address :
       {0x0A000007U, 0x7F000001U, 0x01000000U, 0xDFFFFFFFU, 0xF0000001U})
    BOOST_TEST(Endpoint::v4(address, 1).is_of_one_host());
  for (const std::uint32_t address : {0U, 0x00FFFFFFU, 0xE0000000U, 0xEFFFFFFFU, 0xFFFFFFFFU})
    BOOST_TEST(!Endpoint::v4(address, 1).is_of_one_host());
  BOOST_TEST(!Endpoint::v4(0x0A000007, 0).is_of_one_host());
  BOOST_TEST(v6({0, 0, 0, 0, 0, 0, 0, 1}).is_of_one_host());
  BOOST_TEST(v6({0xFE80, 0, 0, 0, 0, 0, 0, 1}).is_of_one_host());
  BOOST_TEST(!v6({0, 0, 0, 0, 0, 0, 0, 0}).is_of_one_host());
  BOOST_TEST(!v6({0xFF02, 0, 0, 0, 0, 0, 0, 1}).is_of_one_host());
}

BOOST_AUTO_TEST_CASE(endpoints_that_differ_in_address_or_port_are_told_apart) {
  const std::unordered_set<Endpoint> set = {Endpoint::v4(1, 1), Endpoint::v4(1, 2),
                                            Endpoint::v4(2, 1), Endpoint::v4(1, 1)};
  BOOST_TEST(set.size() == 3u);
}

BOOST_AUTO_TEST_SUITE_END()

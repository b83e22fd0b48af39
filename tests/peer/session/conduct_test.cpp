// Who breaks the protocol, and for how long nobody listens.
#include "peer/session/conduct.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(conduct)

namespace {

TimePoint at(Duration since_start) {
  return {since_start};
}

wire::Endpoint host(std::uint32_t number, std::uint16_t port = 7746) {
  return wire::Endpoint::v4(0x0A000000U + number, port);
}

void offend(Conduct& conduct, const wire::Endpoint& from, std::uint32_t count, TimePoint now) {
  for (std::uint32_t i = 0; i < count; ++i) conduct.offence(from, now);
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_few_offences_are_counted_and_forgiven) {
  Conduct conduct;
  offend(conduct, host(1), Conduct::offences_max - 1, at(0s));
  BOOST_TEST(!conduct.ignored(host(1), at(0s)));
  offend(conduct, host(1), Conduct::offences_max - 1, at(Conduct::memory));
  BOOST_TEST(!conduct.ignored(host(1), at(Conduct::memory)));
  BOOST_TEST(conduct.offence_count() == 2 * (Conduct::offences_max - 1));
}

BOOST_AUTO_TEST_CASE(repeated_offences_silence_an_address_for_a_while_whatever_its_port) {
  Conduct conduct;
  offend(conduct, host(1, 1000), Conduct::offences_max - 1, at(0s));
  BOOST_TEST(conduct.offence(host(1, 2000), at(1s)));
  BOOST_TEST(conduct.ignored(host(1, 3000), at(1s)));
  BOOST_TEST(!conduct.ignored(host(2), at(1s)));
  BOOST_TEST(conduct.ignored(host(1), at(1s + Conduct::ignored_for - 1ns)));
  BOOST_TEST(!conduct.ignored(host(1), at(1s + Conduct::ignored_for)));
}

BOOST_AUTO_TEST_CASE(the_sentence_is_said_once) {
  Conduct conduct;
  offend(conduct, host(1), Conduct::offences_max, at(0s));
  BOOST_TEST(!conduct.offence(host(1), at(1s)));
}

BOOST_AUTO_TEST_CASE(after_the_sentence_one_begins_anew) {
  Conduct conduct;
  offend(conduct, host(1), Conduct::offences_max, at(0s));
  BOOST_TEST(!conduct.offence(host(1), at(Conduct::ignored_for)));
  BOOST_TEST(!conduct.ignored(host(1), at(Conduct::ignored_for)));
}

BOOST_AUTO_TEST_CASE(ever_new_addresses_take_no_more_memory_than_stated) {
  Conduct conduct;
  offend(conduct, host(0), Conduct::offences_max, at(0s));
  for (std::uint32_t i = 1; i <= Conduct::addresses_max; ++i)
    conduct.offence(host(i), at(std::chrono::milliseconds(i)));
  // The first made room: what matters is that the newest count.
  BOOST_TEST(!conduct.ignored(host(0), at(2s)));
  offend(conduct, host(Conduct::addresses_max), Conduct::offences_max - 1, at(2s));
  BOOST_TEST(conduct.ignored(host(Conduct::addresses_max), at(2s)));
}

BOOST_AUTO_TEST_SUITE_END()

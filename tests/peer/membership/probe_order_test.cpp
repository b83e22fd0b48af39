// Everybody's turn comes once a round.
#include "peer/membership/probe_order.hpp"

#include <boost/test/unit_test.hpp>
#include <set>
#include <vector>

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(probe_order)

namespace {

std::vector<std::uint32_t> round_of(ProbeOrder& order, std::uint32_t count, RandomStream& random) {
  std::vector<std::uint32_t> places;
  for (std::uint32_t i = 0; i < count; ++i) places.push_back(order.next(count, random));
  return places;
}

}  // namespace

BOOST_AUTO_TEST_CASE(each_place_comes_once_a_round_and_the_rounds_differ) {
  RandomStream random(stream_key(1, "order", 0));
  for (const std::uint32_t count : {1U, 2U, 3U, 8U, 9U, 100U, 1000U}) {
    ProbeOrder order;
    std::set<std::vector<std::uint32_t>> rounds;
    for (int round = 0; round < 5; ++round) {
      const auto places = round_of(order, count, random);
      BOOST_REQUIRE_EQUAL(std::set<std::uint32_t>(places.begin(), places.end()).size(), count);
      rounds.insert(places);
    }
    if (count >= 100) BOOST_TEST(rounds.size() == 5u);
  }
}

BOOST_AUTO_TEST_CASE(a_view_that_grows_and_shrinks_is_walked_all_the_same) {
  RandomStream random(stream_key(1, "order", 1));
  ProbeOrder order;
  for (int step = 0; step < 10'000; ++step) {
    const std::uint32_t count = 1 + random.below(40);
    BOOST_REQUIRE_LT(order.next(count, random), count);
  }
  const auto places = round_of(order, 2 * 40, random);
  BOOST_TEST(std::set<std::uint32_t>(places.begin(), places.end()).size() >= 40u);
}

BOOST_AUTO_TEST_CASE(any_peer_is_probed_by_somebody_within_two_intervals_or_so) {
  // 50 peers, one dead; how many intervals until somebody's turn comes to it (SWIM: 1.58 mean).
  constexpr std::uint32_t count = 50;
  double intervals = 0;
  for (std::uint64_t trial = 0; trial < 200; ++trial) {
    std::vector<ProbeOrder> orders(count - 1);
    RandomStream random(stream_key(trial, "order", 2));
    for (auto& order : orders)
      for (std::uint32_t skip = random.below(count); skip > 0; --skip) order.next(count, random);
    for (bool found = false; !found; ++intervals)
      for (auto& order : orders) found |= order.next(count, random) == 7;
  }
  BOOST_TEST(intervals / 200 > 1.4);
  BOOST_TEST(intervals / 200 < 1.8);
}

BOOST_AUTO_TEST_SUITE_END()

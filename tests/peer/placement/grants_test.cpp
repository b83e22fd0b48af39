// What is yielded: stretches that shrink, expire, are taken back, and are few.
#include "peer/placement/grants.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(grants)

namespace {

constexpr Grid grid = {.epoch = {.epoch = 0, .rows = 10, .columns = 10}, .stride = 10};
using Positions = std::vector<std::uint32_t>;

TimePoint at(int seconds) {
  return {std::chrono::seconds(seconds)};
}

Grant grant(std::uint32_t first, std::uint32_t count, std::uint64_t to, int deadline = 60) {
  return {.first = first, .count = count, .to = peer_id(to), .deadline = at(deadline)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stretch_shrinks_from_its_front_as_it_is_taken) {
  Grants grants;
  grants.add(grant(5, 3, 2));
  BOOST_TEST(grants.remove(5).empty());
  BOOST_TEST(!grants.contains(5));
  BOOST_TEST(grants.contains(6));
  const auto yields = grants.encode(grid);
  BOOST_TEST_REQUIRE(yields.size() == 1U);
  BOOST_TEST((yields[0] == wire::CellYield{.first = 6, .count = 2, .to = peer_id(2)}));
  grants.remove(6);
  grants.remove(7);
  BOOST_TEST(grants.empty());
}

BOOST_AUTO_TEST_CASE(there_are_as_many_as_a_record_has_room_for) {
  Grants grants;
  for (std::uint32_t i = 0; i < wire::yields_max; ++i) {
    BOOST_TEST(!grants.full());
    grants.add(grant(90 - i * 10, 2, i));
  }
  BOOST_TEST(grants.full());
  const auto yields = grants.encode(grid);
  BOOST_TEST_REQUIRE(yields.size() == wire::yields_max);
  for (std::size_t i = 1; i < yields.size(); ++i) BOOST_TEST(yields[i - 1].first < yields[i].first);
}

BOOST_AUTO_TEST_CASE(a_stretch_that_is_cut_in_two_loses_its_rear_when_there_is_no_room) {
  Grants grants;
  grants.add(grant(0, 5, 1));
  BOOST_TEST(grants.remove(1).empty());  // 0, and 2 to 4
  grants.add(grant(10, 5, 2));
  grants.add(grant(20, 5, 3));
  BOOST_TEST(grants.full());
  BOOST_TEST((grants.remove(22) == Positions{23, 24}));
  BOOST_TEST(grants.contains(21));
  BOOST_TEST(!grants.contains(23));
}

BOOST_AUTO_TEST_CASE(a_grant_expires_unless_its_taker_makes_progress) {
  Grants grants;
  grants.add(grant(0, 2, 1, 60));
  grants.add(grant(10, 2, 2, 60));
  grants.extend(peer_id(1), at(90));
  BOOST_TEST((grants.next_deadline() == at(60)));
  BOOST_TEST(grants.take_back_expired(at(59)).empty());
  BOOST_TEST((grants.take_back_expired(at(60)) == Positions{10, 11}));
  BOOST_TEST((grants.next_deadline() == at(90)));
  BOOST_TEST((grants.take_back_expired(at(90)) == Positions{0, 1}));
  BOOST_TEST((grants.next_deadline() == TimePoint{Duration::max()}));
}

BOOST_AUTO_TEST_CASE(what_the_dead_were_granted_is_taken_back) {
  Grants grants;
  grants.add(grant(0, 2, 1));
  grants.add(grant(10, 1, 2));
  BOOST_TEST((grants.take_back_from(peer_id(1)) == Positions{0, 1}));
  BOOST_TEST(grants.contains(10));
}

BOOST_AUTO_TEST_CASE(the_front_of_what_is_taken_back_was_declined) {
  Grants grants;
  grants.add(grant(0, 3, 1));
  grants.add(grant(10, 1, 2));
  grants.remove(0);
  grants.take_back_from(peer_id(1));
  BOOST_TEST(grants.declined(peer_id(1), 1));
  BOOST_TEST(!grants.declined(peer_id(1), 0));
  BOOST_TEST(!grants.declined(peer_id(1), 2));
  BOOST_TEST(!grants.declined(peer_id(2), 1));
  grants.take_back_expired(at(60));
  BOOST_TEST(grants.declined(peer_id(2), 10));
  grants.forget_declined(peer_id(1));
  BOOST_TEST(!grants.declined(peer_id(1), 1));
  grants.take_back_all();  // since the grid grew
  BOOST_TEST(!grants.declined(peer_id(2), 10));
}

BOOST_AUTO_TEST_SUITE_END()

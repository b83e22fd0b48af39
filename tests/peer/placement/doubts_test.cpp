// For how long a donor is doubted, and what that costs.
#include "peer/placement/doubts.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(doubts_of_donors)

namespace {

using std::chrono::minutes;
constexpr TimePoint start{std::chrono::seconds(1000)};

}  // namespace

BOOST_AUTO_TEST_CASE(a_doubt_takes_room_for_one_cell_until_it_ends) {
  Doubts doubts;
  BOOST_TEST(!doubts.due());
  BOOST_TEST((doubts.add(peer_id(2), start) == start + Doubts::shortest));
  BOOST_TEST(doubts.contains(peer_id(2)));
  BOOST_TEST(!doubts.contains(peer_id(3)));
  BOOST_TEST(doubts.room_taken() == 1U);
  BOOST_TEST((doubts.due() == start + Doubts::shortest));
  BOOST_TEST(!doubts.end(start + (Doubts::shortest - Duration(1))));
  BOOST_TEST(doubts.room_taken() == 1U);
  BOOST_TEST(doubts.end(start + Doubts::shortest));
  BOOST_TEST(doubts.room_taken() == 0U);
  BOOST_TEST(!doubts.contains(peer_id(2)));
  BOOST_TEST(!doubts.due());
}

BOOST_AUTO_TEST_CASE(each_lasts_twice_as_long_as_the_one_before_up_to_an_hour) {
  Doubts doubts;
  for (const auto length : {minutes(1), minutes(2), minutes(4), minutes(8), minutes(16),
                            minutes(32), minutes(60), minutes(60)})
    BOOST_TEST((doubts.add(peer_id(2), start) == start + length));
  BOOST_TEST(doubts.room_taken() == 8U);
  BOOST_TEST(doubts.end(start + minutes(8)));
  BOOST_TEST(doubts.room_taken() == 4U);
  BOOST_TEST((doubts.due() == start + minutes(16)));
}

BOOST_AUTO_TEST_CASE(what_starts_gives_the_room_back_and_leaves_the_donors_doubted) {
  Doubts doubts;
  BOOST_TEST(!doubts.give_back_room());
  doubts.add(peer_id(2), start);
  doubts.add(peer_id(3), start);
  BOOST_TEST(doubts.give_back_room());
  BOOST_TEST(doubts.room_taken() == 0U);
  BOOST_TEST(!doubts.give_back_room());
  BOOST_TEST(doubts.contains(peer_id(2)));
  doubts.add(peer_id(4), start);  // for four minutes
  BOOST_TEST(doubts.room_taken() == 1U);
  BOOST_TEST(!doubts.end(start + minutes(2)));  // no room was taken by those
  BOOST_TEST(!doubts.contains(peer_id(3)));
  BOOST_TEST(doubts.end(start + minutes(4)));
}

BOOST_AUTO_TEST_SUITE_END()

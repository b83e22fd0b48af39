// Who yields to this peer, what is being fetched of each, and what may be tried again when.
#include "peer/placement/offers.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>
#include <map>

#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(offers_of_others)

namespace {

constexpr Duration tick{1};
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

TimePoint at(int seconds) {
  return {std::chrono::seconds(seconds)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_giver_keeps_the_stamp_that_it_was_met_with) {
  Offers offers;
  BOOST_TEST(offers.find(peer_id(1)) == nullptr);
  offers.meet(peer_id(1), 5).fetching = 3;
  const Giver& again = offers.meet(peer_id(1), most);
  BOOST_TEST(again.stamp == 5U);
  BOOST_TEST((again.fetching == 3U));
  BOOST_TEST(offers.find(peer_id(1)) == &again);
  BOOST_TEST(offers.givers().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_giver_that_was_forgotten_is_met_anew) {
  Offers offers;
  Giver& giver = offers.meet(peer_id(1), 5);
  giver.fetching = 3;
  giver.failed[4] = at(10);
  offers.forget(peer_id(1));
  offers.forget(peer_id(1));  // of which nothing is known
  BOOST_TEST(offers.find(peer_id(1)) == nullptr);
  BOOST_TEST(offers.fetching_count() == 0U);
  BOOST_TEST(!offers.retry_due());
  BOOST_TEST(offers.meet(peer_id(1), most).stamp == most);
  BOOST_TEST(!offers.find(peer_id(1))->fetching);
}

BOOST_AUTO_TEST_CASE(one_cell_of_each_giver_is_fetched) {
  Offers offers;
  BOOST_TEST(!offers.giver_of(0));
  offers.meet(peer_id(1), 1).fetching = 0;
  offers.meet(peer_id(2), 2);
  offers.meet(peer_id(3), 3).fetching = 7;
  BOOST_TEST(offers.fetching_count() == 2U);
  BOOST_TEST((offers.giver_of(0) == peer_id(1)));
  BOOST_TEST((offers.giver_of(7) == peer_id(3)));
  BOOST_TEST(!offers.giver_of(1));
  offers.find(peer_id(1))->fetching.reset();
  BOOST_TEST(!offers.giver_of(0));
  BOOST_TEST(offers.fetching_count() == 1U);
}

BOOST_AUTO_TEST_CASE(what_failed_is_not_being_fetched) {
  Offers offers;
  offers.meet(peer_id(1), 1).failed[4] = at(10);
  BOOST_TEST(!offers.giver_of(4));
  BOOST_TEST(offers.fetching_count() == 0U);
}

BOOST_AUTO_TEST_CASE(failures_are_forgotten_when_they_are_due_to_the_tick) {
  Offers offers;
  BOOST_TEST(!offers.retry_due());
  offers.meet(peer_id(1), 1).failed = {{0, at(12)}, {1, at(10)}};
  offers.meet(peer_id(2), 2).failed = {{8, at(11)}, {9, TimePoint::never()}};
  BOOST_TEST((offers.retry_due() == at(10)));
  offers.forget_failures(at(10) + -tick);
  BOOST_TEST((offers.retry_due() == at(10)));
  offers.forget_failures(at(10));
  BOOST_TEST((offers.retry_due() == at(11)));
  offers.forget_failures(at(12));  // two at once
  BOOST_TEST((offers.retry_due() == TimePoint::never()));
  BOOST_TEST(offers.find(peer_id(1))->failed.empty());
  BOOST_TEST(offers.find(peer_id(1))->stamp == 1U);
  offers.forget_failures(TimePoint::never());
  BOOST_TEST(!offers.retry_due());
  BOOST_TEST(offers.givers().size() == 2U);
}

// Columns move every position but those of the first row.
BOOST_AUTO_TEST_CASE(a_grid_that_grows_leaves_every_cell_what_it_was) {
  const Grid narrow{.epoch = {.epoch = 0, .rows = 3, .columns = 2}, .stride = 4};
  const Grid wide{.epoch = {.epoch = 2, .rows = 3, .columns = 4}, .stride = 4};
  Offers offers;
  Giver& one = offers.meet(peer_id(1), 1);
  one.fetching = 2;                                      // cell 4
  one.failed = {{1, at(10)}, {3, at(11)}, {5, at(12)}};  // cells 1, 5 and 9
  offers.meet(peer_id(2), 2);
  offers.renumber(narrow, wide);
  BOOST_TEST((offers.giver_of(4) == peer_id(1)));
  BOOST_TEST(!offers.giver_of(2));
  BOOST_TEST(
      (one.failed == std::map<std::uint32_t, TimePoint>{{1, at(10)}, {5, at(11)}, {9, at(12)}}));
  BOOST_TEST(!offers.find(peer_id(2))->fetching);
  BOOST_TEST(offers.fetching_count() == 1U);
}

// Rows are added at the end: 0 to 5 stay where they are.
BOOST_AUTO_TEST_CASE(a_grid_that_grows_by_rows_moves_no_position) {
  const Grid low{.epoch = {.epoch = 0, .rows = 3, .columns = 2}, .stride = 2};
  const Grid high{.epoch = {.epoch = 1, .rows = 4, .columns = 2}, .stride = 2};
  Offers offers;
  offers.meet(peer_id(1), 1).fetching = 5;
  offers.find(peer_id(1))->failed = {{0, at(10)}};
  offers.renumber(low, high);
  BOOST_TEST((offers.giver_of(5) == peer_id(1)));
  BOOST_TEST(offers.find(peer_id(1))->failed.contains(0));
}

BOOST_AUTO_TEST_SUITE_END()

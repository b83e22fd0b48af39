// What a peer holds, event by event: claims that win or are dropped, offers, and what others cannot
// do to it.
#include "peer/placement/holdings.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>

#include "peer/placement/hand.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(holdings)

namespace {

constexpr TimePoint now = Hand::now;
constexpr std::uint64_t self = Hand::self;

}  // namespace

BOOST_AUTO_TEST_CASE(a_claim_is_made_under_a_stamp_later_than_all_that_were_seen) {
  Hand hand;
  hand.hear(Record(1).claims(8, 2, 41));
  BOOST_TEST(hand.claim(0, 2) == Words({"gained 0", "gained 1", "changed"}));
  BOOST_TEST(hand.stamp() == 42U);
  BOOST_TEST(hand.holdings.claims().runs().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_loser_drops_its_cell_with_the_record_that_shows_the_winner) {
  Hand hand;
  hand.hear(Record(1).claims(15, 1, 5));
  hand.claim(0, 2);
  BOOST_TEST(hand.hear(Record(2).claims(1, 1, 3)) == Words({"dropped 1 to 2", "changed"}));
  BOOST_TEST(hand.holdings.claims().count() == 1U);
}

BOOST_AUTO_TEST_CASE(an_incumbent_keeps_its_cell_against_a_younger_claim) {
  Hand hand;
  hand.claim(0, 2);
  BOOST_TEST(hand.hear(Record(2).claims(0, 2, 9)) == Words{});
  BOOST_TEST(hand.holdings.claims().count() == 2U);
}

BOOST_AUTO_TEST_CASE(it_holds_no_more_than_its_capacity) {
  Hand hand(3);
  BOOST_TEST(hand.claim(0, 9) == Words({"gained 0", "gained 1", "gained 2", "changed"}));
  BOOST_TEST(!hand.holdings.has_room());
}

BOOST_AUTO_TEST_CASE(what_is_yielded_is_dropped_when_its_target_claims_it) {
  Hand hand;
  hand.claim(0, 4);
  hand.hear(Record(2));
  BOOST_TEST(hand.give(0, 2, 2) == Words({"yielding 0 to 2", "yielding 1 to 2", "changed"}));
  BOOST_TEST(hand.hear(Record(2).claims(0, 1, 7)) == Words({"dropped 0 to 2", "changed"}));
  const auto yields = hand.holdings.grants().encode(hand.holdings.owners().grid());
  BOOST_TEST_REQUIRE(yields.size() == 1U);
  BOOST_TEST(yields[0].first == 1U);
}

BOOST_AUTO_TEST_CASE(a_yield_returns_when_its_target_is_gone_or_leaves) {
  Hand hand;
  hand.claim(0, 4);
  hand.hear(Record(2));
  hand.hear(Record(3));
  hand.give(0, 1, 2);
  hand.give(1, 1, 3);
  BOOST_TEST(hand.gone(2) == Words({"returned 0", "changed"}));
  BOOST_TEST(hand.hear(Record(3).leaving()) == Words({"returned 1", "changed"}));
  BOOST_TEST(hand.holdings.grants().empty());
}

BOOST_AUTO_TEST_CASE(each_cell_that_is_taken_gives_the_others_the_whole_time_again) {
  Hand hand;
  hand.claim(0, 4);
  hand.hear(Record(2));
  hand.give(0, 3, 2);
  PlacementOutput out;
  const TimePoint later = now + std::chrono::seconds(50);
  hand.holdings.hear(peer_id(2), Record(2).claims(0, 1, 7), later, out);
  hand.holdings.take_back_expired(later + std::chrono::seconds(59), out);
  BOOST_TEST(hand.holdings.grants().contains(1));
  hand.holdings.take_back_expired(later + std::chrono::seconds(60), out);
  BOOST_TEST(hand.holdings.grants().empty());
}

BOOST_AUTO_TEST_CASE(a_yield_lets_a_claim_win_that_lost_until_then) {
  Hand hand;
  hand.claim(0, 1);
  hand.hear(Record(2).claims(0, 1, 9));
  hand.hear(Record(3));
  // Peer 2 is not meant, but its claim does not yield.
  BOOST_TEST(hand.give(0, 1, 3) == Words({"yielding 0 to 3", "dropped 0 to 2", "changed"}));
}

BOOST_AUTO_TEST_CASE(offered_cells_are_fetched_one_after_the_other_and_claimed_under_one_stamp) {
  Hand hand;
  BOOST_TEST(hand.hear(Record(2).claims(0, 8, 1).yields(3, 3, self)) == Words({"offered 3 by 2"}));
  BOOST_TEST(hand.acquired(3) == Words({"offered 4 by 2", "changed"}));
  hand.claim(12, 1);  // under a later stamp
  BOOST_TEST(hand.acquired(4) == Words({"offered 5 by 2", "changed"}));
  BOOST_TEST(hand.acquired(5) == Words({"changed"}));
  BOOST_TEST(hand.holdings.claims().runs().size() == 2U);
  BOOST_TEST(hand.holdings.claims().count() == 4U);
}

BOOST_AUTO_TEST_CASE(two_givers_are_fetched_from_at_once) {
  Hand hand;
  BOOST_TEST(hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self)) == Words({"offered 0 by 2"}));
  BOOST_TEST(hand.hear(Record(3).claims(4, 4, 1).yields(4, 2, self)) == Words({"offered 4 by 3"}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_could_not_be_had_is_asked_for_again_after_a_while) {
  Hand hand;
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  BOOST_TEST(hand.acquire_failed(0) == Words({"offered 1 by 2"}));
  BOOST_TEST(hand.acquire_failed(1) == Words{});
  BOOST_TEST(hand.hear(Record(2).claims(0, 5, 1).yields(0, 2, self)) == Words{});
  BOOST_TEST((hand.holdings.retry_due() == now + Holdings::acquire_retry));
  BOOST_TEST(hand.retry(now + std::chrono::seconds(9)) == Words{});
  BOOST_TEST(hand.retry(now + Holdings::acquire_retry) == Words({"offered 0 by 2"}));
  BOOST_TEST(!hand.holdings.retry_due());
}

// By the capacity its owner learns that the cell was declined; it is the same again later.
BOOST_AUTO_TEST_CASE(a_state_that_is_none_costs_room_for_a_cell_for_a_while) {
  Hand hand(2);
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 3, self));
  BOOST_TEST(hand.decline(0) == Words({"offered 1 by 2", "changed"}));
  BOOST_TEST(hand.holdings.capacity() == 1U);
  BOOST_TEST(hand.decline(1) == Words({"changed"}));  // there is no room for the third
  BOOST_TEST(hand.holdings.capacity() == 0U);
  BOOST_TEST(hand.decline(1) == Words{});  // it is not fetched
  BOOST_TEST(hand.holdings.doubts().contains(peer_id(2)));
  const TimePoint end = now + Doubts::shortest;
  BOOST_TEST((hand.holdings.retry_due() == end));
  BOOST_TEST(hand.retry(now + (Doubts::shortest - Duration(1))) == Words{});
  BOOST_TEST(hand.retry(end) == Words({"offered 0 by 2", "changed"}));
  BOOST_TEST(hand.holdings.capacity() == 1U);
}

BOOST_AUTO_TEST_CASE(a_state_that_starts_gives_back_what_one_that_was_none_cost) {
  Hand hand(2);
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 1, self));
  hand.decline(0);
  BOOST_TEST(hand.hear(Record(3).claims(4, 4, 1).yields(4, 1, self)) == Words({"offered 4 by 3"}));
  hand.acquired(4);
  BOOST_TEST(hand.holdings.capacity() == 2U);
  BOOST_TEST(hand.holdings.doubts().contains(peer_id(2)));
  BOOST_TEST(hand.retry(now + Doubts::shortest) == Words({"offered 0 by 2"}));
}

BOOST_AUTO_TEST_CASE(who_heard_nobody_claims_under_a_stamp_that_loses) {
  Hand hand;
  hand.holdings.count_from(1'764'000'000'000);
  hand.claim(0, 1);
  BOOST_TEST(hand.stamp() == 1'764'000'000'001U);
  BOOST_TEST(hand.hear(Record(2).claims(0, 1, 99)) == Words({"dropped 0 to 2", "changed"}));
  hand.holdings.count_from(~std::uint64_t{0});
  hand.claim(1, 1);
  BOOST_TEST(hand.stamp() == Holdings::believable_stamp_max + 1);
  hand.holdings.count_from(5);  // never back
  hand.claim(2, 1);
  BOOST_TEST(hand.stamp() > Holdings::believable_stamp_max);
}

// Else a thousand of them would be asked for within one input.
BOOST_AUTO_TEST_CASE(a_giver_of_whom_four_cells_could_not_be_had_rests) {
  Hand hand;
  hand.hear(Record(2).claims(0, 12, 1).yields(0, 10, self));
  for (std::uint32_t cell = 0; cell < 3; ++cell) BOOST_TEST(hand.acquire_failed(cell).size() == 1U);
  BOOST_TEST(hand.acquire_failed(3) == Words{});
  BOOST_TEST(hand.hear(Record(3).claims(12, 4, 1).yields(12, 2, self)) ==
             Words({"offered 12 by 3"}));
  BOOST_TEST(hand.retry(now + Holdings::acquire_retry) == Words({"offered 0 by 2"}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_could_not_be_had_is_asked_for_at_once_when_it_is_offered_anew) {
  Hand hand;
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  hand.acquire_failed(0);
  hand.acquire_failed(1);
  hand.hear(Record(2).claims(0, 4, 1));
  BOOST_TEST(!hand.holdings.retry_due());
  BOOST_TEST(hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self)) == Words({"offered 0 by 2"}));
}

BOOST_AUTO_TEST_CASE(an_offer_that_is_withdrawn_is_not_fetched_any_more) {
  Hand hand;
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  BOOST_TEST(hand.hear(Record(2).claims(0, 4, 1)) == Words({"dropped 0 to 2"}));
  BOOST_TEST(hand.acquired(0) == Words{});
  BOOST_TEST(hand.holdings.claims().count() == 0U);
}

BOOST_AUTO_TEST_CASE(an_offer_ends_with_its_giver_or_when_somebody_else_has_the_cell) {
  Hand hand;
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 1, self));
  BOOST_TEST(hand.gone(2) == Words({"dropped 0"}));
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  BOOST_TEST(hand.hear(Record(3).claims(0, 1, 9)) == Words({"dropped 0 to 3", "offered 1 by 2"}));
}

BOOST_AUTO_TEST_CASE(an_offer_of_what_the_giver_does_not_own_is_none) {
  Hand hand;
  hand.hear(Record(3).claims(0, 2, 1));
  BOOST_TEST(hand.hear(Record(2).claims(0, 2, 9).yields(0, 2, self)) == Words{});
  // Until it does own it.
  BOOST_TEST(hand.gone(3) == Words({"offered 0 by 2"}));
}

BOOST_AUTO_TEST_CASE(offers_beyond_the_capacity_wait_for_room) {
  Hand hand(1);
  hand.claim(15, 1);
  BOOST_TEST(hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self)) == Words{});
  BOOST_TEST(hand.hear(Record(3).claims(15, 1, 0)) ==
             Words({"dropped 15 to 3", "offered 0 by 2", "changed"}));
  BOOST_TEST(hand.acquired(0) == Words({"changed"}));  // and 1 waits
}

BOOST_AUTO_TEST_CASE(who_leaves_takes_no_offer) {
  Hand hand;
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  BOOST_TEST(hand.leave() == Words({"dropped 0 to 2", "changed"}));
  BOOST_TEST(hand.hear(Record(2).claims(0, 5, 1).yields(0, 2, self)) == Words{});
}

BOOST_AUTO_TEST_CASE(before_the_gate_opens_offers_wait) {
  Holdings holdings({.self = peer_id(self), .capacity = 4, .yield_deadline = {}}, Hand::fixed());
  holdings.start(now);
  PlacementOutput out;
  holdings.hear(peer_id(2), Record(2).claims(0, 4, 1).yields(0, 2, self), now, out);
  holdings.commit(now, out);
  BOOST_TEST(words_of(out) == Words{});
  holdings.open(out);
  BOOST_TEST(words_of(out) == Words({"offered 0 by 2"}));
}

BOOST_AUTO_TEST_CASE(a_stamp_near_the_end_of_numbers_is_not_counted_on_from) {
  Hand hand;
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  hand.hear(Record(1).claims(8, 1, 5));
  hand.hear(Record(2).claims(9, 1, most).claims(10, 1, most - 1));
  hand.claim(0, 1);
  BOOST_TEST(hand.stamp() == 6U);
  hand.hear(Record(2).claims(9, 1, Holdings::believable_stamp_max));
  hand.claim(2, 1);
  hand.claim(4, 1);
  BOOST_TEST(hand.stamp() == Holdings::believable_stamp_max + 1);
}

BOOST_AUTO_TEST_CASE(a_hostile_record_changes_nothing_but_its_authors_standing) {
  Hand hand;
  hand.hear(Record(2).claims(4, 4, 1));
  hand.claim(0, 4);
  const std::uint64_t hash = hand.holdings.owners().hash();
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  constexpr std::uint64_t latest = std::numeric_limits<std::uint64_t>::max();
  const Record hostile = Record(9, most)
                             .claims(0, 8, latest)
                             .claims(most, most, 0)
                             .yields(0, most, 9)
                             .grid({.epoch = most, .rows = 65535, .columns = 65535});
  BOOST_TEST(hand.hear(hostile) == Words{});
  BOOST_TEST(hand.holdings.owners().hash() == hash);
  BOOST_TEST(hand.holdings.owners().grid().cell_count() == 16U);
  // It yields cells that are not its own, to this peer and to nobody.
  BOOST_TEST(hand.hear(Record(9).claims(0, 8, latest).yields(0, 4, self).yields(4, 4, 77)) ==
             Words{});
  BOOST_TEST(hand.gone(9) == Words{});
  BOOST_TEST(hand.holdings.owners().hash() == hash);
}

BOOST_AUTO_TEST_CASE(a_grid_that_grows_takes_yields_back_and_is_repeated) {
  GrowthRule rule = Hand::fixed();
  rule.genesis.stride = 6;
  rule.growth = Growth::Columns;
  rule.largest = {.epoch = {.epoch = 2, .rows = 4, .columns = 6}, .stride = 6};
  Hand hand(64, rule);
  hand.hear(Record(2));
  hand.claim(2, 4);  // cells 2, 3, 6 and 7
  hand.give(2, 2, 2);
  const Record told = Record(3).grid({.epoch = 1, .rows = 4, .columns = 5});
  BOOST_TEST(hand.hear(told) == Words({"returned 2", "returned 3", "grown to 4 x 5", "changed"}));
  BOOST_TEST(hand.holdings.owners().vacant_count() == 16U);
  const auto runs = hand.holdings.claims().encode(hand.holdings.owners().grid());
  BOOST_TEST(runs.size() == 2U);
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_being_fetched_is_still_so_when_its_position_changes) {
  GrowthRule rule = Hand::fixed();
  rule.genesis.stride = 5;
  rule.growth = Growth::Columns;
  rule.largest = {.epoch = {.epoch = 1, .rows = 4, .columns = 5}, .stride = 5};
  Hand hand(64, rule);
  BOOST_TEST(hand.hear(Record(2).claims(6, 2, 1).yields(6, 2, self)) == Words({"offered 6 by 2"}));
  hand.acquire_failed(6);
  hand.hear(Record(3).grid({.epoch = 1, .rows = 4, .columns = 5}));
  BOOST_TEST(hand.acquired(7) == Words({"changed"}));  // and 6 is not offered again
  BOOST_TEST(hand.holdings.claims().contains(7));
}

BOOST_AUTO_TEST_CASE(where_columns_break_runs_beyond_the_limit_the_rest_is_given_up) {
  const Grid tall{.epoch = {.epoch = 0, .rows = 40, .columns = 2}, .stride = 3};
  const GrowthRule rule{.genesis = tall,
                        .growth = Growth::Columns,
                        .largest = {.epoch = {.epoch = 1, .rows = 40, .columns = 3}, .stride = 3}};
  Hand hand(120, rule);
  hand.claim(0, 80);
  const Words words = hand.hear(Record(2).grid({.epoch = 1, .rows = 40, .columns = 3}));
  BOOST_TEST(std::ranges::count_if(words, [](const std::string& word) {
               return word.starts_with("dropped");
             }) == 80 - 2 * static_cast<int>(wire::claim_runs_max));  // a run of two in each row
  BOOST_TEST(hand.holdings.claims().count() == 2 * wire::claim_runs_max);
  BOOST_TEST(hand.holdings.claims().runs().size() == wire::claim_runs_max);
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_given_up_is_vacant_and_yielded_no_more) {
  Hand hand;
  hand.hear(Record(1));
  hand.claim(0, 3);
  hand.give(1, 2, 1);
  BOOST_TEST(hand.give_up(1) == Words({"dropped 1", "changed"}));
  BOOST_TEST(hand.holdings.owners().owner(1) == no_peer);
  BOOST_TEST(hand.holdings.claims().count() == 2U);
  BOOST_TEST(hand.holdings.capacity() == 15U);
  BOOST_TEST(hand.give_up(1) == Words{});
  BOOST_TEST(hand.give_up(1000) == Words{});
}

BOOST_AUTO_TEST_CASE(an_offered_cell_that_does_not_start_costs_room_and_is_not_fetched_again) {
  Hand hand(3);
  hand.hear(Record(2).claims(0, 4, 1).yields(0, 2, self));
  BOOST_TEST(hand.give_up(0) == Words({"dropped 0 to 2", "offered 1 by 2", "changed"}));
  BOOST_TEST(hand.holdings.capacity() == 2U);
  BOOST_TEST(hand.acquired(1) == Words({"changed"}));
  BOOST_TEST(!hand.holdings.retry_due());
  hand.hear(Record(2).claims(0, 1, 1));
  BOOST_TEST(hand.hear(Record(2).claims(0, 1, 1).yields(0, 1, self)) == Words{});
  BOOST_TEST(hand.holdings.has_room());
}

BOOST_AUTO_TEST_CASE(a_cell_that_was_given_up_is_not_fetched_from_who_has_it_now) {
  Hand hand;
  hand.claim(0, 1);
  hand.give_up(0);
  BOOST_TEST(hand.hear(Record(2).claims(0, 4, 9).yields(0, 2, self)) == Words({"offered 1 by 2"}));
}

BOOST_AUTO_TEST_CASE(a_yield_returns_when_its_target_has_less_room_than_before) {
  Hand hand;
  hand.claim(0, 4);
  hand.hear(Record(2, 8));
  hand.give(0, 2, 2);
  BOOST_TEST(hand.hear(Record(2, 9)) == Words{});
  BOOST_TEST(hand.hear(Record(2, 8)) == Words({"returned 0", "returned 1", "changed"}));
}

BOOST_AUTO_TEST_SUITE_END()

// To whom a peer that leaves yields its cells, in which order, and when it may go.
#include "peer/placement/departure.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <limits>
#include <map>

#include "peer/placement/hand.hpp"
#include "support/signal_of.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(departures)

namespace {

constexpr Duration tick{1};
constexpr Duration deadline = std::chrono::seconds(30);

using Given = std::map<std::uint32_t, std::uint64_t>;  // position, to whom

// Peer 100 on its way out; the news is noted, as Placement does it.
struct Leaver {
  Words hear(const Record& record) {
    departure.note();
    return hand.hear(record);
  }
  Words gone(std::uint64_t number) {
    departure.note();
    return hand.gone(number);
  }
  Words act(TimePoint now = Hand::now) {
    return hand.after([&](PlacementOutput& out) { departure.act(hand.holdings, now, out); });
  }
  Words expire(TimePoint now) {
    departure.note();
    return hand.after([&](PlacementOutput& out) { hand.holdings.take_back_expired(now, out); });
  }
  bool is_done() const { return departure.is_done(hand.holdings); }
  Given given() const {
    Given given;
    for (const auto& yield : hand.holdings.grants().encode(hand.holdings.owners().grid()))
      for (std::uint32_t i = 0; i < yield.count; ++i) given[yield.first + i] = yield.to.low;
    return given;
  }
  std::size_t given_to(std::uint64_t number) const {
    const Given all = given();
    return static_cast<std::size_t>(
        std::ranges::count(all, number, [](const auto& each) { return each.second; }));
  }

  Hand hand;
  Departure departure{deadline};
};

}  // namespace

BOOST_AUTO_TEST_CASE(all_goes_to_the_only_one_that_can_take_it) {
  Leaver leaver;
  leaver.hand.claim(4, 3);
  leaver.hear(Record(2));
  leaver.hand.leave();
  BOOST_TEST(leaver.act() ==
             Words({"yielding 4 to 2", "yielding 5 to 2", "yielding 6 to 2", "changed"}));
  BOOST_TEST(!leaver.is_done());
  leaver.hear(Record(2).claims(4, 2, 9));
  leaver.act();
  BOOST_TEST(!leaver.is_done());
  leaver.hear(Record(2).claims(4, 3, 9));
  BOOST_TEST(leaver.is_done());
}

BOOST_AUTO_TEST_CASE(what_it_yields_expires_its_own_deadline_later_to_the_tick) {
  Leaver leaver;
  leaver.hand.claim(0, 2);
  leaver.hear(Record(2));
  leaver.hand.leave();
  const TimePoint acted = Hand::now + std::chrono::seconds(7);
  leaver.act(acted);
  BOOST_TEST((leaver.hand.holdings.grants().next_deadline() == acted + deadline));
  BOOST_TEST(leaver.expire(acted + deadline + -tick) == Words{});
  BOOST_TEST(leaver.expire(acted + deadline) == Words({"returned 0", "returned 1", "changed"}));
}

BOOST_AUTO_TEST_CASE(a_view_is_planned_for_once) {
  Leaver leaver;
  leaver.hand.claim(0, 1);
  leaver.hand.leave();
  BOOST_TEST(leaver.act() == Words{});
  leaver.hand.hear(Record(2));  // and not noted
  BOOST_TEST(leaver.act() == Words{});
  leaver.departure.note();
  BOOST_TEST(leaver.act() == Words({"yielding 0 to 2", "changed"}));
}

BOOST_AUTO_TEST_CASE(who_stays_has_no_departure) {
  Leaver leaver;
  BOOST_TEST(!leaver.is_done());  // though it has nothing
  leaver.hand.claim(0, 1);
  BOOST_TEST(!leaver.is_done());
  BOOST_TEST(quadrille::test::signal_of([&] { leaver.act(); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(who_has_nothing_may_go_at_once) {
  Leaver leaver;
  leaver.hear(Record(2));
  leaver.hand.leave();
  BOOST_TEST(leaver.is_done());
}

BOOST_AUTO_TEST_CASE(where_nobody_can_take_a_cell_it_is_done_once_that_was_looked_into) {
  Record crowded(2);
  for (std::uint32_t run = 0; run < wire::claim_runs_max; ++run)
    crowded.claims(100 + 2 * run, 1, 1);
  for (const Record& other :
       {Record(2).leaving(), Record(2, 0), Record(2, 2).claims(8, 2, 1), crowded}) {
    Leaver leaver;
    leaver.hand.claim(0, 3);
    leaver.hear(other);
    leaver.hand.leave();
    BOOST_TEST(!leaver.is_done());
    BOOST_TEST(leaver.act() == Words{});
    BOOST_TEST(leaver.is_done());
    leaver.departure.note();
    BOOST_TEST(!leaver.is_done());
  }
}

BOOST_AUTO_TEST_CASE(more_than_the_others_hold_is_kept_when_they_are_full) {
  Leaver leaver;
  leaver.hand.claim(0, 6);
  leaver.hear(Record(2, 4));
  leaver.hand.leave();
  leaver.act();
  BOOST_TEST((leaver.given() == Given{{0, 2}, {1, 2}, {2, 2}, {3, 2}}));
  leaver.hear(Record(2, 4).claims(0, 4, 9));
  BOOST_TEST(leaver.act() == Words{});
  BOOST_TEST(leaver.is_done());
  BOOST_TEST(leaver.hand.holdings.claims().count() == 2U);
}

BOOST_AUTO_TEST_CASE(stretches_beyond_what_a_record_yields_go_in_turn) {
  Leaver leaver;
  for (std::uint32_t i = 0; i < wire::yields_max + 2; ++i) leaver.hand.claim(2 * i, 1);
  leaver.hear(Record(2));
  leaver.hand.leave();
  leaver.act();
  BOOST_TEST((leaver.given() == Given{{0, 2}, {2, 2}, {4, 2}, {6, 2}}));
  leaver.departure.note();
  BOOST_TEST(leaver.act() == Words{});  // no room
  leaver.hear(Record(2).claims(4, 1, 50));
  BOOST_TEST(leaver.act() == Words({"yielding 8 to 2", "changed"}));
  leaver.hear(Record(2).claims(0, 1, 50).claims(4, 1, 50));
  BOOST_TEST(leaver.act() == Words({"yielding 10 to 2", "changed"}));
}

// A grant lies within one run: see Grants::add().
BOOST_AUTO_TEST_CASE(neighbouring_runs_are_yielded_apart) {
  Leaver leaver;
  leaver.hand.claim(0, 2);
  leaver.hear(Record(2).claims(15, 1, 9));
  leaver.hand.claim(2, 2);
  BOOST_TEST_REQUIRE(leaver.hand.holdings.claims().runs().size() == 2U);
  leaver.hand.leave();
  leaver.act();
  const auto yields = leaver.hand.holdings.grants().encode(leaver.hand.holdings.owners().grid());
  BOOST_TEST_REQUIRE(yields.size() == 2U);
  BOOST_TEST((yields[0] == wire::CellYield{.first = 0, .count = 2, .to = peer_id(2)}));
  BOOST_TEST((yields[1] == wire::CellYield{.first = 2, .count = 2, .to = peer_id(2)}));
}

BOOST_AUTO_TEST_CASE(what_was_yielded_before_is_left_as_it_is) {
  Leaver leaver;
  leaver.hand.claim(0, 6);
  leaver.hear(Record(2));
  leaver.hand.give(2, 2, 2);
  leaver.hand.leave();
  BOOST_TEST(leaver.act() == Words({"yielding 0 to 2", "yielding 1 to 2", "yielding 4 to 2",
                                    "yielding 5 to 2", "changed"}));
}

BOOST_AUTO_TEST_CASE(what_one_declines_goes_to_another_and_in_the_end_to_nobody) {
  Leaver leaver;
  leaver.hand.claim(0, 2);
  leaver.hear(Record(2));
  leaver.hear(Record(3));
  leaver.hand.leave();
  leaver.act();
  const Given first = leaver.given();
  BOOST_TEST_REQUIRE(first.size() == 2U);
  BOOST_TEST(first.at(0) != first.at(1));
  TimePoint now = Hand::now + deadline;
  leaver.expire(now);
  leaver.act(now);
  BOOST_TEST((leaver.given() == Given{{0, first.at(1)}, {1, first.at(0)}}));
  now = now + deadline;
  leaver.expire(now);
  BOOST_TEST(leaver.act(now) == Words{});
  BOOST_TEST(leaver.is_done());
}

BOOST_AUTO_TEST_CASE(what_is_declined_goes_to_the_emptiest_with_room_that_did_not) {
  Leaver leaver;
  leaver.hand.claim(0, 1);
  leaver.hear(Record(2).claims(1, 5, 1));
  leaver.hear(Record(3).claims(6, 1, 1));
  leaver.hear(Record(4));
  leaver.hear(Record(5, 1).claims(7, 1, 1));  // is full
  leaver.hand.leave();
  TimePoint now = Hand::now;
  for (const std::uint64_t to : {4U, 3U, 2U}) {
    leaver.act(now);
    BOOST_TEST((leaver.given() == Given{{0, to}}));
    now = now + deadline;
    leaver.expire(now);
  }
  BOOST_TEST(leaver.act(now) == Words{});
  BOOST_TEST(leaver.is_done());
}

// Else the second waits for a whole deadline at a peer that is full.
BOOST_AUTO_TEST_CASE(nobody_is_yielded_more_than_it_has_room_for) {
  Leaver leaver;
  leaver.hand.claim(0, 1);
  leaver.hand.claim(2, 1);
  leaver.hear(Record(2));
  leaver.hand.leave();
  leaver.act();
  const TimePoint later = Hand::now + deadline;
  leaver.expire(later);  // declined both
  leaver.hear(Record(3, 1));
  leaver.hear(Record(4).claims(8, 5, 1));
  leaver.act(later);
  BOOST_TEST(leaver.given_to(3) == 1U);
  BOOST_TEST(leaver.given_to(4) == 1U);
}

BOOST_AUTO_TEST_CASE(what_was_meant_for_the_dead_goes_to_who_comes_next) {
  Leaver leaver;
  leaver.hand.claim(0, 2);
  leaver.hear(Record(2));
  leaver.hand.leave();
  leaver.act();
  BOOST_TEST(leaver.gone(2) == Words({"returned 0", "returned 1", "changed"}));
  BOOST_TEST(leaver.act() == Words{});
  BOOST_TEST(leaver.is_done());
  leaver.hear(Record(3));
  BOOST_TEST(!leaver.is_done());
  leaver.act();
  BOOST_TEST((leaver.given() == Given{{0, 3}, {1, 3}}));
}

BOOST_AUTO_TEST_CASE(who_says_that_it_has_room_for_everything_gets_its_share) {
  Leaver leaver;
  leaver.hand.claim(0, 8);
  leaver.hear(Record(2, std::numeric_limits<std::uint32_t>::max()));
  leaver.hear(Record(3, 64));
  leaver.hand.leave();
  leaver.act();
  BOOST_TEST(leaver.given_to(2) == 4U);
  BOOST_TEST(leaver.given_to(3) == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

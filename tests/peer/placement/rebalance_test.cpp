// Who asks whom for cells, and what a donor grants.
#include "peer/placement/rebalance.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "peer/placement/cluster.hpp"
#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(rebalances)

namespace {

constexpr TimePoint start{Seconds(1000)};
constexpr Rebalance::Options options = {.members_quiet = Seconds(3),
                                        .patience = Seconds(15),
                                        .interval = Seconds(1),
                                        .interval_max = Seconds(4),
                                        .yield_deadline = Seconds(60)};

// One peer of a grid of 4 x 5, whose others are records.
struct Scale {
  explicit Scale(std::uint32_t capacity = 20)
      : holdings({.self = peer_id(100), .capacity = capacity, .yield_deadline = Seconds(60)},
                 rule()),
        rebalance(options, RandomStream(stream_key(1, "rebalance", 0))) {
    holdings.start(start);
    rebalance.note(OwnerMap::Shift::Members, start);
  }
  static GrowthRule rule() {
    const Grid grid{.epoch = {.epoch = 0, .rows = 4, .columns = 5}, .stride = 5};
    return {.genesis = grid, .growth = Growth::Fixed, .largest = grid};
  }

  void hear(const Record& record, TimePoint now = start) {
    PlacementOutput out;
    rebalance.note(holdings.hear((*record).id, record, now, out), now);
  }
  void claim(std::uint32_t first, std::uint32_t count) {
    PlacementOutput out;
    for (std::uint32_t position = first; position < first + count; ++position)
      holdings.claim(position, out);
    rebalance.note(holdings.commit(start, out), start);
  }
  // Whom it asks then.
  std::optional<std::uint64_t> asks(TimePoint now) {
    PlacementOutput out;
    rebalance.act(holdings, now, out);
    if (out.messages.empty()) return std::nullopt;
    request = std::get<wire::YieldRequest>(out.messages[0].message);
    return out.messages[0].to.low;
  }
  // How many cells it yields to somebody who asks.
  std::uint32_t grants(std::uint64_t from, std::uint32_t cells_held = 0) {
    PlacementOutput out;
    rebalance.on_request(peer_id(from), {.sequence = 7, .cells_held = cells_held}, holdings, start,
                         out);
    BOOST_TEST_REQUIRE(out.messages.size() == 1U);
    const auto reply = std::get<wire::YieldReply>(out.messages[0].message);
    BOOST_TEST(reply.sequence == 7U);
    BOOST_TEST(reply.granted == !out.actions.empty());
    const auto granted = static_cast<std::uint32_t>(out.actions.size());
    holdings.commit(start, out);
    return granted;
  }

  Holdings holdings;
  Rebalance rebalance;
  wire::YieldRequest request;
};

}  // namespace

BOOST_AUTO_TEST_CASE(who_has_two_fewer_asks_once_nobody_came_or_went_for_a_while) {
  Scale scale;
  scale.hear(Record(1).claims(0, 20, 1), start + Seconds(1));
  BOOST_TEST((scale.rebalance.due(scale.holdings) == start + Seconds(4)));
  BOOST_TEST(!scale.asks(start + Milliseconds(3999)));
  BOOST_TEST((scale.asks(start + Seconds(4)) == 1U));
  BOOST_TEST(scale.request.cells_held == 0U);
}

BOOST_AUTO_TEST_CASE(claims_that_move_do_not_make_it_wait) {
  Scale scale;
  scale.hear(Record(1).claims(0, 20, 1));
  scale.hear(Record(1).claims(0, 20, 2), start + Seconds(2));
  BOOST_TEST((scale.asks(start + Seconds(3)) == 1U));
}

BOOST_AUTO_TEST_CASE(where_peers_come_and_go_for_ever_it_asks_all_the_same) {
  Scale scale;
  scale.hear(Record(1).claims(0, 20, 1));
  std::optional<Duration> asked;
  for (int second = 1; second < 20 && !asked; ++second) {
    const TimePoint now = start + Seconds(second);
    scale.hear(Record(2, static_cast<std::uint32_t>(second)), now);
    if (scale.asks(now)) asked = now - start;
  }
  BOOST_TEST_REQUIRE(asked.has_value());
  BOOST_TEST((*asked == Seconds(15)));
}

BOOST_AUTO_TEST_CASE(a_donor_whose_state_was_none_is_not_asked_before_the_doubt_ends) {
  Scale scale;
  scale.hear(Record(1).claims(0, 20, 1).yields(0, 1, 100));
  PlacementOutput out;
  scale.holdings.open(out);
  scale.holdings.decline({0}, start);
  scale.rebalance.note(scale.holdings.commit(start, out), start);
  scale.hear(Record(1).claims(0, 20, 1).version(2));
  BOOST_TEST(!scale.asks(start + Seconds(59)));
  scale.holdings.retry(start + Seconds(60));
  scale.rebalance.note(scale.holdings.commit(start + Seconds(60), out), start + Seconds(60));
  BOOST_TEST((scale.asks(start + Seconds(63)) == 1U));
}

BOOST_AUTO_TEST_CASE(vacant_cells_are_waited_for_first) {
  Scale scale;
  scale.hear(Record(1).claims(0, 18, 1));
  BOOST_TEST((scale.rebalance.due(scale.holdings) == start + Seconds(15)));
}

BOOST_AUTO_TEST_CASE(balanced_loads_leave_nothing_to_wait_for) {
  Scale scale;
  scale.hear(Record(1).claims(0, 10, 1));
  scale.claim(10, 10);
  BOOST_TEST(!scale.asks(start + Seconds(3)));
  BOOST_TEST(!scale.rebalance.due(scale.holdings));
  scale.hear(Record(1).claims(0, 10, 1).version(2), start + Seconds(9));
  BOOST_TEST(!scale.rebalance.due(scale.holdings));
}

BOOST_AUTO_TEST_CASE(all_who_have_too_many_are_asked_by_turns) {
  Scale scale;
  scale.hear(Record(1).claims(0, 9, 1));
  scale.hear(Record(2).claims(9, 8, 1));
  scale.hear(Record(3).claims(17, 3, 1));
  scale.hear(Record(4, 1).leaving());
  std::set<std::uint64_t> asked;
  TimePoint now = start + Seconds(3);
  for (int i = 0; i < 30; ++i, now = now + Seconds(4)) asked.insert(scale.asks(now).value_or(0));
  BOOST_TEST((asked == std::set<std::uint64_t>{1, 2}));  // five are a fair share
}

BOOST_AUTO_TEST_CASE(refusals_and_silence_make_it_ask_less_often) {
  Scale scale;
  scale.hear(Record(1).claims(0, 20, 1));
  TimePoint now = start + Seconds(3);
  const auto wait = [&] {
    BOOST_TEST(scale.asks(now).has_value());
    const TimePoint due = *scale.rebalance.due(scale.holdings);
    const Duration waited = due - now;
    now = due;
    return waited;
  };
  BOOST_TEST((wait() == Seconds(1)));
  BOOST_TEST((wait() == Seconds(2)));  // no answer
  scale.rebalance.on_reply(peer_id(1), {.sequence = scale.request.sequence, .granted = false});
  BOOST_TEST((wait() == Seconds(4)));
  BOOST_TEST((wait() == Seconds(4)));
  scale.rebalance.on_reply(peer_id(9), {.sequence = scale.request.sequence, .granted = true});
  BOOST_TEST((wait() == Seconds(4)));  // that was nobody's answer
  scale.rebalance.on_reply(peer_id(1), {.sequence = scale.request.sequence, .granted = true});
  BOOST_TEST((wait() == Seconds(1)));
}

BOOST_AUTO_TEST_CASE(a_donor_gives_half_the_difference_but_no_more_than_the_share) {
  Scale scale;
  scale.claim(0, 20);
  scale.hear(Record(1));
  BOOST_TEST(scale.grants(1) == 10U);
  BOOST_TEST(scale.grants(1) == 0U);  // what it yields counts already
}

BOOST_AUTO_TEST_CASE(a_donor_keeps_its_own_share) {
  Scale scale;
  scale.claim(0, 7);
  scale.hear(Record(1).claims(7, 7, 1));
  scale.hear(Record(2).claims(14, 6, 1));
  scale.hear(Record(3));
  BOOST_TEST(scale.grants(3) == 2U);  // half the difference is three, and five are a fair share
}

BOOST_AUTO_TEST_CASE(a_donor_gives_no_more_than_the_asker_can_hold) {
  Scale scale;
  scale.claim(0, 20);
  scale.hear(Record(1, 3));
  BOOST_TEST(scale.grants(1) == 3U);
}

BOOST_AUTO_TEST_CASE(a_donor_believes_an_asker_that_says_it_has_more) {
  Scale scale;
  scale.claim(0, 20);
  scale.hear(Record(1));
  BOOST_TEST(scale.grants(1, 9) == 1U);
  BOOST_TEST(scale.grants(1, 10) == 0U);
}

BOOST_AUTO_TEST_CASE(a_donor_has_no_more_on_its_way_than_a_record_holds) {
  Scale scale;
  scale.claim(0, 20);
  for (std::uint64_t asker = 1; asker <= 9; ++asker) scale.hear(Record(asker));
  for (std::uint64_t asker = 1; asker <= wire::yields_max; ++asker)
    BOOST_TEST(scale.grants(asker) == 2U);
  BOOST_TEST(scale.grants(9) == 0U);
}

BOOST_AUTO_TEST_CASE(a_stranger_or_one_that_leaves_is_given_nothing) {
  Scale scale;
  scale.claim(0, 20);
  scale.hear(Record(1).leaving());
  scale.hear(Record(2, 0));
  BOOST_TEST(scale.grants(1) == 0U);
  BOOST_TEST(scale.grants(2) == 0U);
  BOOST_TEST(scale.grants(77) == 0U);
  BOOST_TEST(scale.grants(100) == 0U);
}

BOOST_AUTO_TEST_CASE(the_youngest_run_goes_first_from_its_front) {
  Scale scale;
  scale.claim(0, 10);
  scale.claim(15, 5);
  scale.claim(10, 5);  // the youngest
  scale.hear(Record(1).claims(0, 0, 1));
  BOOST_TEST(scale.grants(1) == 5U);  // of ten, as many as the run has
  BOOST_TEST(scale.holdings.grants().contains(10));
  BOOST_TEST(scale.holdings.grants().contains(14));
  BOOST_TEST(scale.grants(1) == 5U);
  BOOST_TEST(scale.holdings.grants().contains(15));
}

BOOST_AUTO_TEST_CASE(what_an_asker_declined_it_is_offered_again_only_after_all_else) {
  Scale scale;
  scale.claim(0, 2);
  scale.claim(2, 1);
  scale.hear(Record(2).claims(3, 17, 1));
  for (const std::uint64_t other : {1, 3, 4, 5, 6, 7, 8}) scale.hear(Record(other));
  std::vector<std::uint32_t> offered;
  for (int i = 0; i < 5; ++i) {
    PlacementOutput out;
    if (scale.grants(1) == 0) offered.push_back(99);
    for (std::uint32_t position = 0; position < 3; ++position)
      if (scale.holdings.grants().contains(position)) offered.push_back(position);
    scale.holdings.take_back_expired(start + Seconds(60), out);
    scale.holdings.commit(start, out);
  }
  BOOST_TEST((offered == std::vector<std::uint32_t>{2, 0, 1, 99, 2}));
}

// Each would be offered, and wait for its deadline, again and again.
BOOST_AUTO_TEST_CASE(who_has_only_what_failed_here_is_not_asked) {
  Scale scale;
  scale.claim(9, 2);
  PlacementOutput out;
  for (const std::uint32_t cell : {9U, 10U}) scale.holdings.give_up({cell}, start, out);
  scale.rebalance.note(scale.holdings.commit(start, out), start);
  scale.hear(Record(1).claims(9, 2, 5));
  const TimePoint patient = start + Seconds(15);
  BOOST_TEST(!scale.asks(patient));
  scale.hear(Record(1).claims(9, 3, 5).version(1), patient);
  BOOST_TEST((scale.asks(patient + Seconds(15)) == 1U));
}

// It would be the youngest of what there is, and wait for the deadline in vain.
BOOST_AUTO_TEST_CASE(a_cell_is_not_offered_first_to_whom_it_failed_with) {
  Scale scale;
  scale.hear(Record(1, 8).claims(9, 1, 5));
  scale.claim(0, 9);
  scale.claim(10, 10);
  scale.hear(Record(1, 7).version(1));
  scale.claim(9, 1);
  BOOST_TEST(scale.grants(1) > 0U);
  BOOST_TEST(!scale.holdings.grants().contains(9));
}

BOOST_AUTO_TEST_SUITE_END()

// When vacant cells are claimed, and which.
#include "peer/placement/vacancies.hpp"

#include <boost/test/unit_test.hpp>

#include "peer/placement/actions.hpp"
#include "peer/placement/cluster.hpp"
#include "peer/placement/records.hpp"
#include "peer/placement/takers.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(vacancies)

namespace {

constexpr TimePoint start{Seconds(1000)};

// One peer of a grid of two rows, whose others are records.
struct Watch {
  explicit Watch(std::vector<CellIndex> stored = {}, std::uint32_t capacity = 8,
                 std::uint16_t columns = 4)
      : holdings({.self = peer_id(100), .capacity = capacity, .yield_deadline = Seconds(60)},
                 rule(columns)),
        vacancies(
            {.plan_quiet = Seconds(3), .vacancy_max = Seconds(15), .stored = std::move(stored)},
            RandomStream(stream_key(1, "vacancies", 0))) {
    holdings.start(start);
    vacancies.note(OwnerMap::Shift::Members, start);
  }
  static GrowthRule rule(std::uint16_t columns) {
    const Grid grid{.epoch = {.epoch = 0, .rows = 2, .columns = columns}, .stride = columns};
    return {.genesis = grid, .growth = Growth::Fixed, .largest = grid};
  }

  void hear(const Record& record, TimePoint now) {
    PlacementOutput out;
    vacancies.note(holdings.hear((*record).id, record, now, out), now);
  }
  // How many cells it claims then.
  std::size_t act(TimePoint now) {
    PlacementOutput out;
    vacancies.act(holdings, now, out);
    const std::size_t claimed = out.actions.size();
    vacancies.note(holdings.commit(now, out), now);
    return claimed;
  }

  Holdings holdings;
  Vacancies vacancies;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_plan_is_followed_once_the_view_was_quiet) {
  Watch watch;
  watch.hear(Record(1), start + Seconds(2));
  BOOST_TEST((watch.vacancies.due(watch.holdings) == start + Seconds(5)));
  BOOST_TEST(watch.act(start + Milliseconds(4999)) == 0U);
  BOOST_TEST(watch.act(start + Seconds(5)) == 4U);  // the other one's are its own affair
}

BOOST_AUTO_TEST_CASE(a_view_that_is_never_quiet_is_planned_for_all_the_same) {
  Watch watch;
  std::optional<Duration> planned;
  for (int second = 1; second < 20 && !planned; ++second) {
    const TimePoint now = start + Seconds(second);
    watch.hear(Record(1, static_cast<std::uint32_t>(second)), now);
    if (watch.act(now) > 0) planned = now - start;
  }
  BOOST_TEST_REQUIRE(planned.has_value());
  BOOST_TEST((*planned == Seconds(15)));
}

BOOST_AUTO_TEST_CASE(it_is_planned_for_now_and_then_and_not_at_every_change) {
  Watch watch;
  TimePoint now = start;
  std::vector<TimePoint> plans;
  for (std::uint32_t i = 0; i < 200; ++i, now = now + Milliseconds(100)) {
    watch.hear(Record(1, 8 + i), now);
    const auto due = watch.vacancies.due(watch.holdings);
    if (due && *due <= now && now < start + Seconds(30)) plans.push_back(now);
    watch.act(now);
  }
  BOOST_TEST_REQUIRE(plans.size() == 2U);
  BOOST_TEST((plans[0] == start + Seconds(15)));
  BOOST_TEST((plans[1] == start + Seconds(18)));
}

BOOST_AUTO_TEST_CASE(in_a_hurry_the_plan_is_followed_at_once) {
  Watch watch;
  watch.vacancies.hurry();
  BOOST_TEST(watch.act(start + Milliseconds(1)) == 8U);
}

// It may be on its way from one peer to another.
BOOST_AUTO_TEST_CASE(what_falls_vacant_after_the_hurry_waits_as_ever) {
  Watch watch;
  watch.vacancies.hurry();
  watch.hear(Record(1), start + Seconds(1));
  BOOST_TEST(watch.act(start + Seconds(1) + Milliseconds(1)) == 0U);
  BOOST_TEST(watch.act(start + Seconds(4)) > 0U);
}

BOOST_AUTO_TEST_CASE(cells_whose_state_lies_here_come_first_up_to_the_share) {
  Watch watch({{7}, {2}, {5}, {900}});
  watch.hear(Record(1), start);
  watch.hear(Record(2), start);
  watch.hear(Record(3), start);
  BOOST_TEST(watch.act(start + Seconds(3)) == 2U);
  BOOST_TEST(watch.holdings.claims().contains(7));
  BOOST_TEST(watch.holdings.claims().contains(2));
}

BOOST_AUTO_TEST_CASE(a_plan_is_followed_once_for_a_view) {
  Watch watch;
  watch.hear(Record(1), start);
  BOOST_TEST(watch.act(start + Seconds(3)) == 4U);
  // What it claimed is a change; after that there is nothing new, and nothing more for it.
  BOOST_TEST(watch.act(start + Seconds(6)) == 0U);
  BOOST_TEST((watch.vacancies.due(watch.holdings) == start + Seconds(30)));
}

BOOST_AUTO_TEST_CASE(what_nobody_took_for_long_is_drawn_for) {
  Watch watch;
  watch.hear(Record(1), start);  // takes nothing, ever
  for (int second = 1; second < 30; ++second) watch.act(start + Seconds(second));
  BOOST_TEST(watch.holdings.claims().count() == 4U);
  int draws = 0;
  for (; watch.holdings.owners().vacant_count() > 0 && draws < 100; ++draws)
    watch.act(start + Seconds(30 + draws));
  BOOST_TEST(watch.holdings.owners().vacant_count() == 0U);
  BOOST_TEST(draws > 1);
}

// The plan gives nothing to a peer whose record is full of runs; this one joins two of them.
BOOST_AUTO_TEST_CASE(the_last_vacant_cell_is_taken_by_one_whose_record_is_full_of_runs) {
  Watch watch({}, 64, 40);
  PlacementOutput out;
  for (std::uint32_t i = 0; i < wire::claim_runs_max; ++i)
    BOOST_TEST_REQUIRE(watch.holdings.claim(2 * i, out));
  watch.vacancies.note(watch.holdings.commit(start, out), start);
  Record other(1, 0);
  for (std::uint32_t i = 3; i < 2 * wire::claim_runs_max; i += 2) other.claims(i, 1, 1);
  watch.hear(other.claims(2 * wire::claim_runs_max, 80 - 2 * wire::claim_runs_max, 1), start);
  BOOST_TEST_REQUIRE(watch.holdings.owners().vacant_count() == 1U);
  BOOST_TEST(watch.act(start + Seconds(3)) == 0U);
  BOOST_TEST(watch.act(start + Seconds(30)) == 1U);
  BOOST_TEST(watch.holdings.claims().contains(1));
}

BOOST_AUTO_TEST_CASE(who_is_full_has_nothing_to_wait_for) {
  Watch watch({}, 3);
  BOOST_TEST(watch.act(start + Seconds(3)) == 3U);
  BOOST_TEST(watch.holdings.owners().vacant_count() == 5U);
  BOOST_TEST(!watch.vacancies.due(watch.holdings));
}

BOOST_AUTO_TEST_CASE(where_nothing_is_vacant_there_is_nothing_to_wait_for) {
  Watch watch;
  watch.hear(Record(1).claims(0, 8, 1), start);
  BOOST_TEST(!watch.vacancies.due(watch.holdings));
  BOOST_TEST(watch.act(start + Seconds(100)) == 0U);
}

BOOST_AUTO_TEST_CASE(a_peer_whose_record_is_full_of_runs_is_given_no_more) {
  const Grid grid{.epoch = {.epoch = 0, .rows = 10, .columns = 10}, .stride = 10};
  OwnerMap owners({.genesis = grid, .growth = Growth::Fixed, .largest = grid});
  Record crowded(1);
  for (std::uint32_t i = 0; i < wire::claim_runs_max; ++i) crowded.claims(i * 2, 1, i);
  owners.set(peer_id(1), crowded, start);
  owners.set(peer_id(2), Record(2), start);
  owners.set(peer_id(3), Record(3).leaving(), start);
  owners.set(peer_id(4), Record(4, 0), start);
  const auto takers = takers_of(owners);
  BOOST_TEST_REQUIRE(takers.size() == 1U);
  BOOST_TEST((takers[0].peer == peer_id(2)));
}

// Who gave it up has least, and would be the plan's choice again.
BOOST_AUTO_TEST_CASE(a_cell_that_failed_with_another_is_taken_when_the_view_was_quiet) {
  Watch watch;
  PlacementOutput out;
  watch.hear(Record(1, 8).claims(0, 1, 1), start);
  watch.hear(Record(2, 8).claims(2, 6, 1), start);
  BOOST_TEST(watch.holdings.claim(1, out));
  watch.vacancies.note(watch.holdings.commit(start, out), start);
  watch.hear(Record(1, 7).version(1), start);
  BOOST_TEST(watch.act(start + Seconds(3)) == 1U);
  BOOST_TEST(watch.holdings.claims().contains(0));
}

// More than it plans around: it plans for the rest as if they had failed with nobody.
BOOST_AUTO_TEST_CASE(cells_that_failed_with_many_others_are_all_taken_at_once) {
  constexpr std::uint16_t others = 20;
  Watch watch({}, 2 * others, others / 2);
  for (std::uint32_t i = 0; i < others; ++i) watch.hear(Record(1 + i, 1).claims(i, 1, 1), start);
  BOOST_TEST(watch.holdings.owners().vacant_count() == 0U);
  for (std::uint32_t i = 0; i < others; ++i) watch.hear(Record(1 + i, 0).version(1), start);
  BOOST_TEST(watch.act(start + Seconds(3)) == others);
}

BOOST_AUTO_TEST_CASE(a_cell_that_failed_here_is_left_to_others) {
  Watch watch({}, 9);  // it has room for all of them still
  PlacementOutput out;
  BOOST_TEST(watch.holdings.claim(2, out));
  watch.holdings.give_up({2}, start, out);
  watch.vacancies.note(watch.holdings.commit(start, out), start);
  BOOST_TEST(watch.act(start + Seconds(3)) == 7U);
  BOOST_TEST(!watch.holdings.claims().contains(2));
  BOOST_TEST(watch.holdings.has_room());
  BOOST_TEST(!watch.vacancies.due(watch.holdings));  // nor by lot
}

BOOST_AUTO_TEST_SUITE_END()

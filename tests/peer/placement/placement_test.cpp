// One placement through its public face: deadlines, the brake, neighbours, understudies.
#include "peer/placement/placement.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "peer/placement/actions.hpp"
#include "peer/placement/cluster.hpp"
#include "peer/placement/records.hpp"
#include "peer/placement/rendezvous.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(placements)

namespace {

constexpr TimePoint start{Seconds(1000)};
constexpr TimePoint never{Duration::max()};

// One peer, whose others are records, driven by its own deadlines.
struct Lone {
  explicit Lone(const PlacementOptions& options, Gate::Sync sync = Gate::Sync::None)
      : placement(options, {.id = peer_id(100), .sync = sync, .stored = {}},
                  RandomStream(stream_key(1, "lone", 0))) {
    placement.start(start);
  }
  Words hear(const Record& record) {
    PlacementOutput out;
    placement.on_member_changed({.id = (*record).id, .before = {}, .after = record}, now, out);
    return words_of(out);
  }
  Words gone(std::uint64_t number) {
    PlacementOutput out;
    placement.on_member_changed({.id = peer_id(number), .before = Record(number), .after = {}}, now,
                                out);
    return words_of(out);
  }
  void run_until(TimePoint end) {
    int steps = 0;
    while (placement.wake_at() <= end) {
      BOOST_TEST_REQUIRE(++steps < 10'000);
      now = std::max(now, placement.wake_at());
      PlacementOutput out;
      placement.on_time(now, out);
    }
    now = end;
  }

  Placement placement;
  TimePoint now = start;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_fleet_at_rest_sleeps) {
  Cluster cluster(options_of(4, 4), 1);
  cluster.join_all(5, Seconds(3));
  cluster.run_for(Seconds(60));
  BOOST_TEST_REQUIRE(cluster.is_at_rest());
  for (const std::size_t peer : cluster.live())
    BOOST_TEST((cluster.placement(peer).wake_at() == never));
}

BOOST_AUTO_TEST_CASE(time_that_comes_early_or_often_does_no_harm) {
  Lone lone(options_of(2, 2));
  for (int i = 0; i < 100; ++i) {
    PlacementOutput out;
    lone.placement.on_time(start + Milliseconds(9 * i), out);
    BOOST_TEST(words_of(out) == Words{});
  }
  PlacementOutput out;
  lone.placement.on_time(start + Seconds(1), out);
  BOOST_TEST(words_of(out) == Words({"gained 0", "gained 1", "gained 2", "gained 3", "changed"}));
}

BOOST_AUTO_TEST_CASE(a_peer_with_other_seeds_claims_nothing_before_it_has_joined) {
  Lone lone(options_of(2, 2), Gate::Sync::Needed);
  lone.run_until(start + Seconds(300));
  BOOST_TEST(lone.placement.own_cells().empty());
  lone.placement.on_joined();
  lone.run_until(start + Seconds(301));
  BOOST_TEST(lone.placement.own_cells().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_peer_that_only_looks_on_claims_nothing_and_sleeps) {
  Lone lone(options_of(2, 2, 0));
  lone.run_until(start + Seconds(300));
  BOOST_TEST(lone.placement.own_cells().empty());
  BOOST_TEST((lone.placement.wake_at() == never));
}

BOOST_AUTO_TEST_CASE(what_its_own_record_says_is_no_news) {
  Lone lone(options_of(2, 2));
  lone.run_until(start + Seconds(2));
  BOOST_TEST(lone.hear(Record(100)) == Words{});
  BOOST_TEST(lone.placement.own_cells().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_minority_claims_nothing_until_the_brake_is_released) {
  PlacementOptions options = options_of(2, 4);
  options.minority_brake = true;
  Lone lone(options);
  for (std::uint64_t peer = 1; peer <= 4; ++peer)
    lone.hear(Record(peer).claims(static_cast<std::uint32_t>(peer - 1) * 2, 2, 1));
  lone.run_until(start + Seconds(60));
  for (std::uint64_t peer = 1; peer <= 3; ++peer) lone.gone(peer);
  lone.run_until(start + Seconds(60 + 299));
  PlacementOutput out;
  lone.placement.on_time(lone.now, out);  // whoever else wanted to be woken
  BOOST_TEST(words_of(out) == Words{});
  BOOST_TEST(lone.placement.vacant_count() == 6U);
  lone.run_until(start + Seconds(60 + 301));
  BOOST_TEST(lone.placement.vacant_count() < 6U);
}

BOOST_AUTO_TEST_CASE(a_yield_that_nobody_takes_up_returns_after_its_deadline) {
  Lone lone(options_of(2, 2));
  lone.run_until(start + Seconds(2));
  lone.hear(Record(1));
  PlacementOutput out;
  lone.placement.on_yield_request(peer_id(1), {.sequence = 1, .cells_held = 0}, lone.now, out);
  BOOST_TEST(lone.placement.yields().size() == 1U);
  lone.run_until(start + Seconds(2 + 59));
  BOOST_TEST(lone.placement.yields().size() == 1U);
  lone.run_until(start + Seconds(2 + 60));
  BOOST_TEST(lone.placement.yields().empty());
  BOOST_TEST(lone.placement.own_cells().size() == 4U);
}

BOOST_AUTO_TEST_CASE(a_neighbour_is_the_next_owned_cell_that_way) {
  Lone lone(options_of(3, 5, 0));
  // . . o . o
  // . . . . .
  // . . o . .
  lone.hear(Record(1).claims(2, 1, 1).claims(4, 1, 1).claims(12, 1, 1));
  const Placement& placement = lone.placement;
  BOOST_TEST(placement.neighbour({2}, Direction::East) == CellIndex{4});
  BOOST_TEST(placement.neighbour({2}, Direction::West) == CellIndex{4});
  BOOST_TEST(placement.neighbour({2}, Direction::South) == CellIndex{12});
  BOOST_TEST(placement.neighbour({2}, Direction::North) == CellIndex{12});
  BOOST_TEST(placement.neighbour({12}, Direction::East) == CellIndex{12});  // nobody else there
  BOOST_TEST(placement.neighbour({4}, Direction::South) == CellIndex{4});
}

BOOST_AUTO_TEST_CASE(the_understudy_of_a_cell_is_the_first_spare_by_rendezvous) {
  Lone lone(options_of(2, 2, 0));
  BOOST_TEST(!lone.placement.understudy({0}));
  lone.hear(Record(1).claims(0, 4, 1));
  for (std::uint64_t spare = 2; spare <= 6; ++spare) lone.hear(Record(spare));
  lone.hear(Record(7).leaving());
  lone.hear(Record(8, 0));
  for (std::uint32_t cell = 0; cell < 4; ++cell) {
    std::uint64_t best = 2;
    for (std::uint64_t spare = 3; spare <= 6; ++spare)
      if (rendezvous_weight({cell}, peer_id(spare)) > rendezvous_weight({cell}, peer_id(best)))
        best = spare;
    BOOST_TEST((lone.placement.understudy({cell}) == peer_id(best)));
  }
}

BOOST_AUTO_TEST_CASE(a_spare_knows_whose_understudy_it_is) {
  Lone lone(options_of(8, 8));
  lone.hear(Record(1).claims(0, 64, 1));
  for (std::uint64_t spare = 2; spare <= 4; ++spare) lone.hear(Record(spare));
  lone.hear(Record(100));  // its own
  std::vector<CellIndex> expected;
  for (std::uint32_t cell = 0; cell < 64; ++cell)
    if (lone.placement.understudy({cell}) == peer_id(100)) expected.push_back({cell});
  BOOST_TEST(expected.size() > 4U);
  BOOST_TEST((lone.placement.understudied() == expected));
}

BOOST_AUTO_TEST_CASE(an_understudy_that_takes_a_cell_is_none_any_more) {
  Lone lone(options_of(2, 2, 0));
  lone.hear(Record(1).claims(0, 3, 1));
  lone.hear(Record(2));
  BOOST_TEST((lone.placement.understudy({0}) == peer_id(2)));
  lone.hear(Record(2).claims(3, 1, 2));
  BOOST_TEST(!lone.placement.understudy({0}));
}

BOOST_AUTO_TEST_CASE(a_cell_outside_the_grid_has_no_owner) {
  Lone lone(options_of(2, 2));
  lone.run_until(start + Seconds(2));
  BOOST_TEST((lone.placement.owner({3}) == peer_id(100)));
  BOOST_TEST(!lone.placement.owner({4}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_was_never_offered_is_not_acquired) {
  Lone lone(options_of(2, 2));
  lone.hear(Record(1).claims(0, 4, 1));
  PlacementOutput out;
  lone.placement.on_acquired({2}, lone.now, out);
  lone.placement.on_acquired({99}, lone.now, out);
  lone.placement.on_acquire_failed({99}, lone.now, out);
  BOOST_TEST(words_of(out) == Words{});
}

BOOST_AUTO_TEST_CASE(who_leaves_says_so_once_and_claims_nothing_more) {
  Lone lone(options_of(2, 2));
  lone.run_until(start + Seconds(2));
  lone.hear(Record(1, 2));
  PlacementOutput out;
  lone.placement.leave(lone.now, out);
  BOOST_TEST(words_of(out) ==
             Words({"yielding 0 to 1", "yielding 1 to 1", "changed"}));  // as many as 1 can hold
  BOOST_TEST(!lone.placement.drained());
  lone.hear(Record(1, 2).claims(0, 2, 9));
  BOOST_TEST(lone.placement.drained());  // nobody takes the others
  BOOST_TEST(lone.placement.own_cells().size() == 2U);
  lone.gone(1);
  lone.run_until(start + Seconds(300));
  BOOST_TEST(lone.placement.own_cells().size() == 2U);
}

BOOST_AUTO_TEST_SUITE_END()

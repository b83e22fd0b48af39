// Which grids a run may grow to, and when that is proposed.
#include "peer/placement/growth.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "peer/placement/cluster.hpp"
#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(growth)

namespace {

TimePoint at(int seconds) {
  return {Seconds(seconds)};
}

GrowthRule rows() {
  return {.genesis = {.epoch = {.epoch = 0, .rows = 2, .columns = 3}, .stride = 3},
          .growth = Growth::Rows,
          .largest = {.epoch = {.epoch = 2, .rows = 4, .columns = 3}, .stride = 3}};
}

PlacementOptions growing(Growth growth) {
  PlacementOptions options = options_of(2, 2);
  options.genesis.stride = 4;
  options.capacity = 16;
  options.growth = growth;
  options.largest = {.epoch = {.epoch = 0, .rows = 3, .columns = 3}, .stride = 4};
  return options;
}

}  // namespace

BOOST_AUTO_TEST_CASE(there_is_one_grid_for_each_epoch) {
  const GrowthRule rule = rows();
  BOOST_TEST(rule.admits({.epoch = 0, .rows = 2, .columns = 3}));
  BOOST_TEST(rule.admits({.epoch = 2, .rows = 4, .columns = 3}));
  BOOST_TEST(!rule.admits({.epoch = 1, .rows = 4, .columns = 3}));
  BOOST_TEST(!rule.admits({.epoch = 1, .rows = 2, .columns = 4}));
  BOOST_TEST(!rule.admits({.epoch = 3, .rows = 5, .columns = 3}));  // larger than the largest
}

BOOST_AUTO_TEST_CASE(a_grid_grows_a_row_at_a_time_up_to_the_largest) {
  const GrowthRule rule = rows();
  const auto third = rule.next(*rule.next(rule.genesis));
  BOOST_TEST_REQUIRE(third.has_value());
  BOOST_TEST((third->epoch == wire::GridEpoch{.epoch = 2, .rows = 4, .columns = 3}));
  BOOST_TEST(!rule.next(*third));
}

BOOST_AUTO_TEST_CASE(columns_grow_within_the_stride) {
  GrowthRule rule = rows();
  rule.growth = Growth::Columns;
  rule.largest.epoch.columns = 9;
  BOOST_TEST(!rule.next(rule.genesis));
  rule.genesis.stride = 4;
  BOOST_TEST(rule.next(rule.genesis)->epoch.columns == 4U);
}

BOOST_AUTO_TEST_CASE(a_fixed_grid_admits_no_other) {
  GrowthRule rule = rows();
  rule.growth = Growth::Fixed;
  BOOST_TEST(!rule.admits({.epoch = 1, .rows = 3, .columns = 3}));
  BOOST_TEST(!rule.next(rule.genesis));
  BOOST_TEST(
      (rule.grid_of(*Record(1).grid({.epoch = 9, .rows = 900, .columns = 900})) == rule.genesis));
}

BOOST_AUTO_TEST_CASE(patience_starts_again_when_peers_are_too_few_or_the_grid_grew) {
  GrowthPatience patience(std::chrono::minutes(10));
  const Grid first = rows().genesis;
  patience.note(first, true, at(0));
  patience.note(first, true, at(300));
  BOOST_TEST((patience.due() == at(600)));
  patience.note(first, false, at(400));
  BOOST_TEST(!patience.due());
  patience.note(first, true, at(500));
  BOOST_TEST((patience.due() == at(1100)));
  patience.note(*rows().next(first), true, at(600));
  BOOST_TEST((patience.due() == at(1200)));
}

BOOST_AUTO_TEST_CASE(who_ranks_behind_waits_longer) {
  GrowthPatience patience(std::chrono::minutes(10));
  patience.note(rows().genesis, true, at(0));
  patience.rank(3);
  BOOST_TEST((patience.due() == at(600) + 3 * GrowthPatience::stagger));
}

BOOST_AUTO_TEST_CASE(a_fleet_with_spares_grows_row_by_row_and_moves_nothing) {
  for (const Growth growth : {Growth::Rows, Growth::Columns}) {
    Cluster cluster(growing(growth), 1);
    cluster.join_all(6, Seconds(5));
    cluster.run_for(std::chrono::minutes(9));
    BOOST_TEST(cluster.is_at_rest());
    const auto before = cluster.owners();
    BOOST_TEST(before.size() == 4U);
    cluster.run_for(std::chrono::minutes(3));
    BOOST_TEST(cluster.is_at_rest());
    const auto after = cluster.owners();
    BOOST_TEST(after.size() == 6U);
    for (const auto& [cell, owner] : before) BOOST_TEST(after.at(cell) == owner);
    BOOST_TEST(after.contains({growth == Growth::Rows ? 9U : 6U}));
    // There are too few peers for the next step.
    cluster.run_for(std::chrono::minutes(30));
    BOOST_TEST(cluster.owners().size() == 6U);
  }
}

BOOST_AUTO_TEST_CASE(who_comes_later_learns_the_grid_from_any_record) {
  Cluster cluster(growing(Growth::Rows), 2);
  cluster.join_all(6, Seconds(5));
  cluster.run_for(std::chrono::minutes(12));
  const std::size_t newcomer = cluster.join({});
  cluster.run_for(Seconds(30));
  BOOST_TEST(cluster.placement(newcomer).grid().epoch.rows == 3U);
  BOOST_TEST(cluster.is_at_rest());
}

BOOST_AUTO_TEST_CASE(a_fleet_without_spares_does_not_grow) {
  Cluster cluster(growing(Growth::Rows), 3);
  cluster.join_all(5, Seconds(5));
  cluster.run_for(std::chrono::minutes(30));
  BOOST_TEST(cluster.owners().size() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

// Random worlds with random faults: fixed seeds, and those of every bug that was found this way.
#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(seeds)

namespace {

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t seeds_end = 21;
const Scenario& random_scenario = *find_scenario("random");

std::uint32_t hosts_of(std::uint64_t seed) {
  return 4 + static_cast<std::uint32_t>(seed % 9);
}

WorldOptions world_of(std::uint64_t seed, std::uint32_t hosts) {
  WorldOptions options = options_of(random_scenario, seed, hosts);
  options.capacity = default_capacity(options);
  return options;
}

Report run_seed(std::uint64_t seed, std::uint32_t hosts) {
  World world(world_of(seed, hosts));
  return run_scenario(random_scenario, world, {});
}

}  // namespace

// Small fleets: a second or two each. tools/seeds runs thousands of all sizes.
BOOST_DATA_TEST_CASE(a_random_world_breaks_nothing_and_comes_to_rest,
                     boost::unit_test::data::xrange(first_seed, seeds_end)) {
  const WorldOptions options = world_of(sample, hosts_of(sample));
  World world(options);
  const Report report = run_scenario(random_scenario, world, {});
  for (const std::string& reason : report.reasons()) BOOST_TEST_MESSAGE(reason);
  BOOST_TEST((report.outcome() == Outcome::Ok));
  // Who was lost for good is gone when all else has come to rest, and its cells are somebody's.
  for (const NodeIndex node : draw_faults(options).lost) BOOST_TEST(!world.host(node).is_up());
  BOOST_TEST(duplicate_claims(world) == 0U);
  BOOST_TEST(owners(world).size() == options.grid.cell_count());
}

BOOST_AUTO_TEST_CASE(some_of_these_worlds_mix_two_versions_and_change_them) {
  std::uint32_t mixed = 0;
  std::uint32_t upgraded = 0;
  std::uint32_t downgraded = 0;
  for (std::uint64_t seed = first_seed; seed < seeds_end; ++seed) {
    const std::uint32_t hosts = hosts_of(seed);
    const DrawnFaults drawn = draw_faults(world_of(seed, hosts));
    mixed += !drawn.next_version.empty() && drawn.next_version.size() < hosts;
    upgraded += std::ranges::count(drawn.plan, FaultKind::Upgrade, &Fault::kind) > 0;
    downgraded += std::ranges::count(drawn.plan, FaultKind::Downgrade, &Fault::kind) > 0;
  }
  BOOST_TEST(mixed >= 5U);
  BOOST_TEST(upgraded >= 2U);
  BOOST_TEST(downgraded >= 1U);
}

BOOST_AUTO_TEST_CASE(in_some_of_these_worlds_cells_fail) {
  std::uint32_t failing = 0;
  for (std::uint64_t seed = first_seed; seed < seeds_end; ++seed) {
    const ToyOptions toy = world_of(seed, hosts_of(seed)).toy;
    BOOST_TEST((toy.failing_rounds > 0) == (toy.failing_places > 0));
    failing += toy.failing_rounds > 0;
  }
  BOOST_TEST(failing >= 3U);
}

BOOST_AUTO_TEST_CASE(some_of_these_worlds_lose_hosts_for_good) {
  std::uint32_t losing = 0;
  for (std::uint64_t seed = first_seed; seed < seeds_end; ++seed)
    losing += !draw_faults(world_of(seed, hosts_of(seed))).lost.empty();
  BOOST_TEST(losing >= 2U);
}

// The only host with more than its share had nothing but what had failed with the one that asked.
BOOST_AUTO_TEST_CASE(seed_203_leaves_alone_what_cannot_be_evened_out) {
  BOOST_TEST((run_seed(203, 0).outcome() == Outcome::Ok));
}

// Most of what happens there is that cells fail.
BOOST_AUTO_TEST_CASE(seeds_23_and_50_come_to_rest_after_many_cells_have_failed) {
  for (const std::uint64_t seed : {23, 50})
    BOOST_TEST((run_seed(seed, 12).outcome() == Outcome::Ok));
}

// A cell was on its way to another host when all else was at rest: that is no rest.
BOOST_AUTO_TEST_CASE(seed_365_waits_for_the_cell_that_is_being_handed_over) {
  // As it was found: in a world of one version.
  BOOST_TEST(draw_faults(world_of(365, 0)).next_version.empty());
  BOOST_TEST((run_seed(365, 0).outcome() == Outcome::Ok));
}

// A host had stored a cell before it lost it, took it back by hand-over at an earlier round, and
// gave it on: its checkpoint was of a life that had ended.
BOOST_AUTO_TEST_CASE(seed_39_keeps_no_checkpoint_of_a_former_life) {
  BOOST_TEST((run_seed(39, 5).outcome() == Outcome::Ok));
}

// The same, after a pause.
BOOST_AUTO_TEST_CASE(seed_95_hands_on_an_older_state_than_was_once_stored) {
  BOOST_TEST((run_seed(95, 0).outcome() == Outcome::Ok));
}

// Pauses, partitions, bad links, wrong clocks and faulty workers included.
BOOST_DATA_TEST_CASE(a_random_world_twice_is_one_history,
                     boost::unit_test::data::make<std::uint64_t>({2, 5, 9})) {
  const auto history = [&] {
    World world(world_of(sample, 5));
    run_scenario(random_scenario, world, {});
    return world.history_hash();
  };
  BOOST_TEST(history() == history());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

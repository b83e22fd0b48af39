// Every scenario at a small size, with the bounds that it has at any size. Times are virtual.
#include "sim/scenario.hpp"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(scenario)

namespace {

struct Case {
  const char* scenario;
  std::uint32_t hosts;
  std::uint32_t crashes = 3;
  Duration length{};  // 0: the scenario's own
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.scenario << " with " << one.hosts;
}

constexpr Case cases[] = {
    {"boot", 4},
    {"boot", 25},
    {"mass-join", 12},
    {"crash", 10},
    {"mass-crash", 12},
    {"crash-seeds", 9},
    {"half-split", 12},
    {"isolation", 9},
    {"churn", 12},
    {"drain", 12},
    {"growth", 12},
    {"growth-columns", 12},
    {"upgrade", 6},
    {"pause", 9, 3, std::chrono::seconds(100)},
    {"slow-edge", 9, 3, std::chrono::seconds(300)},
    {"steady", 12},
};

}  // namespace

BOOST_DATA_TEST_CASE(a_scenario_keeps_its_bounds, boost::unit_test::data::make(cases)) {
  const Scenario& scenario = *find_scenario(sample.scenario);
  WorldOptions options = options_of(scenario, 1, sample.hosts);
  options.capacity = default_capacity(options);
  World world(options);
  ScenarioOptions asked{.crashes = sample.crashes};
  if (sample.length > Duration{}) asked.length = sample.length;
  const Report report = run_scenario(scenario, world, asked);
  for (const std::string& reason : report.reasons()) BOOST_TEST_MESSAGE(reason);
  BOOST_TEST((report.outcome() == Outcome::Ok));
}

// Who asks before the other is there asks again after five seconds, which is four peers' bound.
BOOST_AUTO_TEST_CASE(two_that_start_at_once_find_each_other_at_the_second_try) {
  const Scenario& scenario = *find_scenario("boot");
  double longest = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    WorldOptions options = options_of(scenario, seed, 2);
    options.capacity = default_capacity(options);
    World world(options);
    const Report report = run_scenario(scenario, world, {});
    BOOST_REQUIRE((report.outcome() == Outcome::Ok));
    longest = std::max(longest, report.find("full_grid_seconds")->value);
  }
  BOOST_TEST(longest > 5);
}

// Worlds beyond 128 hosts are looked at here and there only.
BOOST_AUTO_TEST_CASE(a_large_world_boots_and_is_watched) {
  const Scenario& scenario = *find_scenario("boot");
  WorldOptions options = options_of(scenario, 1, Invariants::small_world_hosts + 2);
  options.capacity = default_capacity(options);
  World world(options);
  const Report report = run_scenario(scenario, world, {});
  BOOST_TEST((report.outcome() == Outcome::Ok));
}

// Nobody has room for what the leavers have: it is vacant as soon as they say that they have left.
BOOST_AUTO_TEST_CASE(who_leaves_lets_go_of_what_nobody_takes) {
  const Scenario& scenario = *find_scenario("drain");
  WorldOptions options = options_of(scenario, 1, 12);
  options.capacity = 1;
  World world(options);
  const Report report = run_scenario(scenario, world, {});
  for (const std::string& reason : report.reasons()) BOOST_TEST_MESSAGE(reason);
  BOOST_TEST((report.outcome() == Outcome::Ok));
}

// A hundredth of so little is less than a byte a second, and none would be as fast as it goes.
BOOST_AUTO_TEST_CASE(a_slow_edge_is_slow_however_small_its_payloads_are) {
  const Scenario& scenario = *find_scenario("slow-edge");
  WorldOptions options = options_of(scenario, 1, 4);
  options.capacity = default_capacity(options);
  options.toy.payload_bytes = 50;
  World world(options);
  const Report report = run_scenario(scenario, world, {.length = std::chrono::seconds(300)});
  BOOST_TEST((report.outcome() == Outcome::Unsettled));
  BOOST_TEST(report.find("slow_edge_applied")->value <= 1);
}

BOOST_AUTO_TEST_CASE(the_default_scenario_is_random) {
  BOOST_TEST(scenarios().front().name == "random");
  BOOST_TEST((find_scenario("flood") == nullptr));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

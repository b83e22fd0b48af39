// Whole worlds of real learners.
#include <boost/test/unit_test.hpp>

#include "sim/scenario.hpp"
#include "swarm/lipizzaner_fleet.hpp"

namespace quadrille::swarm {

BOOST_AUTO_TEST_SUITE(world)

namespace {

struct Outcome {
  sim::Report report;
  std::uint64_t history;
};

Outcome run(const char* name, std::uint64_t seed) {
  const sim::Scenario& scenario = *sim::find_scenario(name);
  sim::WorldOptions options = sim::options_of(scenario, seed, 4);
  options.capacity = sim::default_capacity(options);
  auto fleet = LipizzanerFleet::make(options);
  BOOST_REQUIRE(fleet.has_value());
  options.make_worker = (*fleet)->factory();
  sim::World world(options);
  sim::Report report = sim::run_scenario(scenario, world, {.crashes = 1});
  (*fleet)->add_figures(world, report);
  for (const std::string& reason : report.reasons()) BOOST_TEST_MESSAGE(reason);
  return {std::move(report), world.history_hash()};
}

}  // namespace

BOOST_AUTO_TEST_CASE(real_learners_survive_a_crash_and_train_on) {
  const Outcome outcome = run("crash", 1);
  BOOST_TEST((outcome.report.outcome() == sim::Outcome::Ok));
  BOOST_TEST(outcome.report.find("generations")->value > 5);
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_handed_over_loses_no_round) {
  const Outcome outcome = run("drain", 1);
  BOOST_TEST((outcome.report.outcome() == sim::Outcome::Ok));
  BOOST_TEST(outcome.report.find("rounds_lost")->value == 0);
}

// Payloads are compressed floats, and their sizes are in the history.
BOOST_AUTO_TEST_CASE(one_seed_gives_one_history_to_the_last_float) {
  const std::uint64_t history = run("crash", 1).history;
  BOOST_TEST(run("crash", 1).history == history);
  BOOST_TEST(run("crash", 2).history != history);
}

BOOST_AUTO_TEST_CASE(a_growing_grid_is_refused) {
  const sim::WorldOptions options = sim::options_of(*sim::find_scenario("growth"), 1, 9);
  BOOST_TEST((LipizzanerFleet::make(options).error().code == ErrorCode::Usage));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::swarm

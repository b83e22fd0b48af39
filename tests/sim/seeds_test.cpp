// Random worlds with random faults: fixed seeds, and those of every bug that was found this way.
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <string>

#include "sim/scenario.hpp"

namespace quadrille::sim {
namespace {

Report run_seed(std::uint64_t seed, std::uint32_t hosts) {
  const Scenario& scenario = *find_scenario("random");
  WorldOptions options = options_of(scenario, seed, hosts);
  options.capacity = default_capacity(options);
  World world(options);
  return run_scenario(scenario, world, {});
}

}  // namespace

BOOST_AUTO_TEST_SUITE(seeds)

// Small fleets: a second or two each. tools/seeds runs thousands of all sizes.
BOOST_DATA_TEST_CASE(a_random_world_breaks_nothing_and_comes_to_rest,
                     boost::unit_test::data::xrange<std::uint64_t>(1, 21)) {
  const Report report = run_seed(sample, 4 + static_cast<std::uint32_t>(sample % 9));
  for (const std::string& reason : report.reasons()) BOOST_TEST_MESSAGE(reason);
  BOOST_TEST((report.outcome() == Outcome::Ok));
}

// A cell was on its way to another host when all else was at rest: that is no rest.
BOOST_AUTO_TEST_CASE(seed_365_waits_for_the_cell_that_is_being_handed_over) {
  BOOST_TEST((run_seed(365, 0).outcome() == Outcome::Ok));
}

// A host had stored a cell before it lost it, took it back by hand-over at an earlier round, and
// gave it on: its checkpoint was of a life that had ended.
BOOST_AUTO_TEST_CASE(seed_39_keeps_no_checkpoint_of_a_former_life) {
  BOOST_TEST((run_seed(39, 5).outcome() == Outcome::Ok));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

// What keeps a world from rest is found, and so is a worker that is not what its peer thinks.
#include "sim/settlement.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "sim/faulty_worker.hpp"
#include "sim/scenario.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(settlement)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WorldOptions six_hosts() {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
  options.capacity = 4;
  return options;
}

std::string violated_by(FaultyWorker::Fault fault) {
  WorldOptions options = six_hosts();
  options.make_worker = all_with(fault);
  World world(options);
  schedule_starts(world, 6, seconds(1));
  world.run_for(seconds(20));
  return world.violation() ? world.violation()->invariant : unrest(world).value_or("");
}

struct Booted {
  Booted() : world(six_hosts()) {
    Report report;
    BOOST_TEST_REQUIRE(boot(world, 6, milliseconds(100), report));
  }
  // Until the first thing that is not as it should be begins so.
  bool comes(const std::string& beginning) {
    return world
        .run_until_true([&] { return unrest(world).value_or("").starts_with(beginning); },
                        seconds(60), milliseconds(1))
        .has_value();
  }
  World world;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_view_with_somebody_who_is_gone_is_no_rest) {
  Booted f;
  BOOST_TEST(!unrest(f.world));
  f.world.lose_machine(4);
  BOOST_TEST(unrest(f.world).value_or("").starts_with("L1"));
}

BOOST_AUTO_TEST_CASE(neither_is_a_cell_that_nobody_owns_or_trains_nor_a_load_that_is_uneven) {
  Booted f;
  f.world.lose_machine(4);
  BOOST_TEST(f.comes("L2"));
  BOOST_TEST(run_until_rest(f.world, seconds(60)).has_value());
  f.world.start(4);
  BOOST_TEST(f.comes("L3"));
  BOOST_TEST(run_until_rest(f.world, seconds(60)).has_value());
}

BOOST_AUTO_TEST_CASE(a_worker_without_the_cells_that_its_peer_trains_is_found) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::LosesCells).starts_with("L2: the worker"));
}

BOOST_AUTO_TEST_CASE(a_cell_that_begins_behind_its_owners_checkpoint_breaks_i7) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::StartsFromOldStates) == "I7");
}

BOOST_AUTO_TEST_CASE(a_worker_that_complains_ends_the_run) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::Complains) == "worker");
}

BOOST_AUTO_TEST_CASE(a_neighbour_without_a_record_or_at_a_wrong_address_is_no_rest) {
  constexpr PeerId owner{.high = 1, .low = 1};
  constexpr PeerId other{.high = 2, .low = 1};
  const auto found = [](const NeighbourAddress& neighbour) {
    return address_fault(3, neighbour).value_or("");
  };
  BOOST_TEST(found({.owner = owner, .has_record = true, .listening = owner}) == "");
  BOOST_TEST(found({.owner = owner, .has_record = true, .listening = other}).starts_with("L4"));
  BOOST_TEST(found({.owner = owner, .has_record = true}).starts_with("L4"));
  BOOST_TEST(found({.owner = owner, .listening = owner}).starts_with("L4"));
}

BOOST_AUTO_TEST_CASE(an_edge_without_a_later_round_is_stuck) {
  constexpr peer::EdgeId a{.source = {1}, .reader = {2}};
  constexpr peer::EdgeId b{.source = {2}, .reader = {1}};
  const EdgeRounds before{{a, {.index = 5}}, {b, {.index = 5}}};
  const auto stuck = [&](const EdgeRounds& now) { return stuck_edge(before, now); };
  BOOST_TEST(!stuck({{a, {.index = 6}}, {b, {.index = 9}}}));
  BOOST_TEST((stuck({{a, {.index = 6}}, {b, {.index = 5}}}) == b));
  BOOST_TEST((stuck({{a, {.index = 4}}, {b, {.index = 6}}}) == a));
  BOOST_TEST((stuck({{b, {.index = 6}}}) == a));
}

BOOST_AUTO_TEST_CASE(an_edge_that_nobody_reads_counts_as_one_that_brings_nothing) {
  Booted f;
  // 2 x 3: three neighbours each, whatever has been read so far.
  BOOST_TEST(edge_rounds(f.world).size() == 18U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

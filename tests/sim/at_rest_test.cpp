// What stirs at rest is found: a cell that moves, an edge that brings nothing.
#include "sim/at_rest.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>

#include "sim/faulty_worker.hpp"
#include "sim/scenario.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(at_rest)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Booted {
  explicit Booted(const WorkerFactory& make_worker = {}) : world(options(make_worker)) {
    Report booting;
    BOOST_TEST_REQUIRE(boot(world, 6, milliseconds(100), booting));
  }
  static WorldOptions options(const WorkerFactory& make_worker) {
    WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
    options.capacity = 4;
    options.make_worker = make_worker;
    return options;
  }
  void lose_a_machine_in(Duration time) {
    world.schedule({{.at = world.now() + time, .kind = FaultKind::LoseMachine, .node = 5}});
  }
  World world;
  Report report;
};

}  // namespace

BOOST_AUTO_TEST_CASE(where_nothing_moves_and_every_edge_brings_rounds_there_is_rest) {
  Booted f;
  const TimePoint begin = f.world.now();
  check_rest(f.world, seconds(30), f.report);
  BOOST_TEST((f.report.outcome() == Outcome::Ok));
  // 2 x 3: three neighbours each.
  BOOST_TEST(f.report.find("edges")->value == 18);
  BOOST_TEST(f.report.find("cells_moved_at_rest")->value == 0);
  BOOST_TEST((f.world.now() == begin + seconds(30)));
}

BOOST_AUTO_TEST_CASE(a_cell_that_moves_at_rest_breaks_it) {
  Booted f;
  f.lose_a_machine_in(seconds(5));
  check_rest(f.world, seconds(60), f.report);
  BOOST_TEST((f.report.outcome() == Outcome::Broken));
  BOOST_TEST(f.report.find("cells_moved_at_rest")->value >= 1);
}

BOOST_AUTO_TEST_CASE(edges_that_bring_nothing_are_told) {
  Booted f(all_with(FaultyWorker::Fault::NeverPublishes));
  check_rest(f.world, seconds(30), f.report);
  BOOST_TEST((f.report.outcome() == Outcome::Unsettled));
  BOOST_TEST_REQUIRE(f.report.reasons().size() == 1U);
  BOOST_TEST(f.report.reasons().front().starts_with("the edge from cell "));
  BOOST_TEST(f.report.reasons().front().ends_with(", brings nothing"));
}

BOOST_AUTO_TEST_CASE(what_a_fleet_at_rest_sends_is_measured) {
  Booted f;
  measure_at_rest(f.world, {}, {.length = seconds(60)}, f.report);
  BOOST_TEST((f.report.outcome() == Outcome::Ok));
  BOOST_TEST(f.report.find("cells_moved")->value == 0);
  // A ping a second and its answer, and gossip; 28 bytes of each are IP and UDP.
  const double datagrams = f.report.find("datagrams_per_second_mean")->value;
  BOOST_TEST(datagrams > 2);
  BOOST_TEST(f.report.find("datagrams_per_second_most")->value >= datagrams);
  BOOST_TEST(f.report.find("datagram_bytes_per_second_mean")->value > 28 * datagrams);
  BOOST_TEST(f.report.find("stream_bytes_per_second_mean")->value > 0);
}

// After the quiet that the measurement waits for, which takes two windows of 20 s at least.
BOOST_AUTO_TEST_CASE(a_cell_that_moves_while_it_is_measured_breaks_it) {
  Booted f;
  f.lose_a_machine_in(seconds(300));
  measure_at_rest(f.world, {}, {.length = seconds(400)}, f.report);
  BOOST_TEST((f.report.outcome() == Outcome::Broken));
  BOOST_TEST(f.report.find("cells_moved")->value >= 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

// A machine: its clocks, its disk, its processes, and what of them is measured.
#include "sim/host.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "sim/scenario.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(host)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

WorldOptions six_hosts() {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
  options.capacity = 4;
  return options;
}

struct Booted {
  explicit Booted(const WorldOptions& options = six_hosts()) : world(options) {
    Report report;
    BOOST_TEST_REQUIRE(boot(world, 6, milliseconds(100), report));
  }
  const Host& host(NodeIndex node) const { return world.host(node); }
  World world;
};

}  // namespace

BOOST_AUTO_TEST_CASE(clocks_are_right_or_off_by_as_much_as_they_may_drift) {
  const TimePoint hour{seconds(3600)};
  World exact(six_hosts());
  WorldOptions options = six_hosts();
  options.drift_ppm = 200;
  World drifting(options);
  std::size_t off = 0;
  for (NodeIndex node = 0; node < 6; ++node) {
    BOOST_TEST((exact.host(node).local_time(hour) == hour));
    const Duration error = drifting.host(node).local_time(hour) - hour;
    BOOST_TEST((error <= milliseconds(720) && error >= milliseconds(-720)));
    off += error > milliseconds(1) || error < milliseconds(-1);
  }
  BOOST_TEST(off >= 5U);
}

BOOST_AUTO_TEST_CASE(the_only_seed_is_given_none_and_all_others_are) {
  WorldOptions options = six_hosts();
  options.seed_hosts = 1;
  World alone(options);
  BOOST_TEST(!alone.host(0).is_given_seeds());
  BOOST_TEST(alone.host(1).is_given_seeds());
  options.seed_hosts = 2;
  World both(options);
  BOOST_TEST(both.host(0).is_given_seeds());
}

BOOST_AUTO_TEST_CASE(what_it_sends_and_has_open_is_measured) {
  Booted f;
  BOOST_TEST(f.host(0).largest_datagram() > 0U);
  BOOST_TEST(f.host(0).largest_frame() > 0U);
  BOOST_TEST(f.host(0).stream_load().streams > 0U);
  f.world.kill_process(0);
  BOOST_TEST(f.host(0).stream_load().streams == 0U);
}

BOOST_AUTO_TEST_CASE(a_disk_outlives_its_processes_and_is_lost_only_while_none_runs) {
  Booted f;
  f.world.run_for(seconds(20));
  BOOST_TEST(!f.host(3).disk().checkpoints.empty());
  const Fault loss{.kind = FaultKind::LoseDisk, .node = 3};
  f.world.carry_out(loss);
  BOOST_TEST(!f.host(3).disk().checkpoints.empty());
  f.world.kill_process(3);
  BOOST_TEST(!f.host(3).disk().checkpoints.empty());
  f.world.carry_out(loss);
  BOOST_TEST(f.host(3).disk().checkpoints.empty());
  BOOST_TEST(f.host(3).disk().known_peers.empty());
}

BOOST_AUTO_TEST_CASE(what_failed_with_one_process_the_next_one_may_try) {
  WorldOptions options = six_hosts();
  options.toy.failing_places = 0.5;
  World world(options);
  schedule_starts(world, 6, milliseconds(100));
  world.run_for(seconds(60));
  NodeIndex node = 0;
  while (node < 6 && world.host(node).failed_cells().empty()) ++node;
  BOOST_TEST_REQUIRE(node < 6U);
  BOOST_TEST(world.host(node).process() == 1U);
  world.kill_process(node);
  world.start(node);
  BOOST_TEST(world.host(node).process() == 2U);
  BOOST_TEST(world.host(node).failed_cells().empty());
}

BOOST_AUTO_TEST_CASE(a_paused_host_takes_nothing_until_it_goes_on) {
  Booted f;
  f.world.pause(1);
  const std::uint64_t before = f.world.network().sent_by(1).datagrams;
  f.world.run_for(seconds(3));
  BOOST_TEST(f.world.network().sent_by(1).datagrams == before);
  f.world.resume(1);
  BOOST_TEST(f.world.network().sent_by(1).datagrams > before);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

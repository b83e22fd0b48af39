// What is checked after every event is seen to fail in worlds where a peer is made to break it.
#include "sim/invariants.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <functional>
#include <string>

#include "sim/host_rules.hpp"
#include "sim/scenario.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(invariants)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Six hosts that have room for a cell each, of which so many start.
std::string violated_by(std::uint32_t started, std::function<void(peer::PeerOptions&)> change) {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
  options.capacity = 1;
  options.set_up_peer = [&](NodeIndex node, peer::PeerOptions& peer) {
    if (node == 2 && change) change(peer);
  };
  World world(options);
  schedule_starts(world, started, milliseconds(100));
  world.run_for(seconds(30));
  return world.violation() ? world.violation()->invariant + ": " + world.violation()->text : "";
}

constexpr const char* too_early = "I4: it claims cells before its gate can have opened";

}  // namespace

// Three have no room for the grid: only time opens the gate.
BOOST_AUTO_TEST_CASE(a_gate_that_opens_before_its_time_breaks_i4) {
  const auto opens_at = [](Duration time) {
    return [time](peer::PeerOptions& peer) { peer.placement.gate = time; };
  };
  BOOST_TEST(violated_by(3, opens_at(seconds(12))) == "");
  BOOST_TEST(violated_by(3, opens_at(seconds(8))) == too_early);
}

BOOST_AUTO_TEST_CASE(a_gate_that_does_not_wait_for_quiet_breaks_i4) {
  const auto waits_for = [](Duration time) {
    return [time](peer::PeerOptions& peer) { peer.placement.early_gate_quiet = time; };
  };
  BOOST_TEST(violated_by(6, waits_for(seconds(1))) == "");
  BOOST_TEST(violated_by(6, waits_for({})) == too_early);
}

BOOST_AUTO_TEST_CASE(a_peer_that_claims_more_than_fits_breaks_i4) {
  BOOST_TEST(violated_by(3, [](peer::PeerOptions& peer) {
               peer.placement.capacity = 2;
             }).starts_with("I4: it claims 2 cells and can hold 1"));
}

// Of a payload that is larger than what its reader gives credit for, no more is on its way.
BOOST_AUTO_TEST_CASE(a_slow_stream_is_filled_as_far_as_credit_goes_and_no_further) {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 2);
  options.capacity = 1;
  options.toy.payload_bytes = std::size_t{12} << 20;
  World world(options);
  Report report;
  BOOST_TEST_REQUIRE(boot(world, 2, milliseconds(100), report));
  world.carry_out({.kind = FaultKind::Slow, .node = 0, .other = 1, .amount = 200'000});
  world.run_for(seconds(20));
  BOOST_TEST(world.is_ok());
  const std::size_t backlog = world.host(0).stream_load().largest_backlog;
  BOOST_TEST(backlog > peer::IncomingLink::credit_window_bytes * 9 / 10);
  BOOST_TEST(backlog < HostSizes::backlog_bytes_max);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

// What peers tell, as a person reads it.
#include "swarm/event_line.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::swarm {
namespace {

using wire::EventKind;

struct ThreeHosts {
  ThreeHosts() : world({.hosts = 3, .grid = {1, 3}, .capacity = 2}) {
    for (sim::NodeIndex node = 0; node < 3; ++node) {
      world.start(node);
      ids.push_back(world.host(node).peer().id());
    }
  }
  // As host 0 tells it.
  std::string line(EventKind kind, PeerId peer, std::optional<CellIndex> cell,
                   const char* text) const {
    return event_line(world, 0,
                      {.sequence = 1, .kind = kind, .peer = peer, .cell = cell, .text = text});
  }

  sim::World world;
  std::vector<PeerId> ids;
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(event_lines, ThreeHosts)

BOOST_AUTO_TEST_CASE(a_cell_is_told_where_the_event_is_about_one) {
  BOOST_TEST(line(EventKind::CellGained, ids[0], CellIndex{0}, "claimed") ==
             "0.000 s host-0 cell gained cell 0: claimed");
  BOOST_TEST(line(EventKind::CellLost, ids[1], CellIndex{2}, "it won") ==
             "0.000 s host-0 cell lost host-1 cell 2: it won");
  BOOST_TEST(line(EventKind::Died, ids[2], {}, "silent") == "0.000 s host-0 died host-2: silent");
  BOOST_TEST(line(EventKind::GridGrew, {}, {}, "the grid has grown") ==
             "0.000 s host-0 grid grew: the grid has grown");
}

BOOST_AUTO_TEST_CASE(a_notice_may_be_about_a_cell_another_peer_or_neither) {
  BOOST_TEST(line(EventKind::Notice, ids[0], CellIndex{0}, "it failed") ==
             "0.000 s host-0 notice cell 0: it failed");
  BOOST_TEST(line(EventKind::Notice, ids[1], {}, "is UDP let through?") ==
             "0.000 s host-0 notice host-1: is UDP let through?");
  BOOST_TEST(line(EventKind::Notice, {}, {}, "refused") == "0.000 s host-0 notice: refused");
}

BOOST_AUTO_TEST_CASE(a_name_is_not_said_twice) {
  BOOST_TEST(line(EventKind::Joined, ids[1], {}, "host-1") == "0.000 s host-0 joined host-1");
}

// A death is told after its process has gone, and its host may run another by then.
BOOST_AUTO_TEST_CASE(who_has_gone_still_has_a_name) {
  world.lose_machine(1);
  BOOST_TEST(line(EventKind::Died, ids[1], {}, "") == "0.000 s host-0 died host-1");
  world.start(1);
  BOOST_TEST(line(EventKind::Died, ids[1], {}, "") == "0.000 s host-0 died host-1");
}

BOOST_AUTO_TEST_CASE(whom_no_host_ran_is_told_by_eight_digits) {
  BOOST_TEST(line(EventKind::Joined, {.high = 0x0123'4567'89AB'CDEF, .low = 1}, {}, "") ==
             "0.000 s host-0 joined peer 01234567");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::swarm

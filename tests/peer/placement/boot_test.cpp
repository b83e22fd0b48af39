// How long a fleet takes from its first peer's start until every cell has an owner in every view,
// when the others come within ten seconds. The network is that of gossip among so many.
#include <boost/test/data/monomorphic.hpp>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "peer/placement/cluster.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(boots)

namespace {

constexpr Cluster::Network quick = {.record = {Milliseconds(50), Milliseconds(600)}};

std::optional<Duration> boot(const Fleet& fleet, const Cluster::Network& network, Duration within) {
  Cluster cluster(fleet.options(), fleet.seed, network);
  cluster.join_all(fleet.peers, within);
  return cluster.run_until(
      [&] { return cluster.live().size() == fleet.peers && cluster.grid_is_full(); }, Seconds(200));
}

const Fleet fours[] = {
    {.peers = 4, .rows = 2, .columns = 2, .seed = 1},
    {.peers = 4, .rows = 2, .columns = 2, .capacity = 1, .seed = 2},
    {.peers = 4, .rows = 10, .columns = 10, .seed = 3},
    {.peers = 4, .rows = 10, .columns = 10, .capacity = 25, .seed = 4},
};
const Fleet hundreds[] = {
    {.peers = 100, .rows = 10, .columns = 10, .seed = 1},
    {.peers = 100, .rows = 10, .columns = 10, .capacity = 1, .seed = 2},
    {.peers = 100, .rows = 20, .columns = 20, .seed = 3},
    {.peers = 100, .rows = 20, .columns = 20, .capacity = 4, .seed = 4},
    {.peers = 120, .rows = 10, .columns = 10, .seed = 5},
};

}  // namespace

BOOST_DATA_TEST_CASE(four_peers_fill_the_grid_within_5_s, fours, fleet) {
  const auto time = boot(fleet, quick, Seconds(1));
  BOOST_TEST_REQUIRE(time.has_value());
  BOOST_TEST((*time <= Seconds(5)), time->count());
}

BOOST_DATA_TEST_CASE(a_hundred_peers_fill_the_grid_within_45_s, hundreds, fleet) {
  const auto time = boot(fleet, {}, Seconds(10));
  BOOST_TEST_REQUIRE(time.has_value());
  BOOST_TEST((*time <= Seconds(45)), time->count());
}

BOOST_AUTO_TEST_SUITE_END()

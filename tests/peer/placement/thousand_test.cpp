// A thousand peers, which takes a while to simulate: they fill a grid of 1,024 cells within 75 s.
#include <boost/test/unit_test.hpp>

#include "peer/placement/cluster.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_CASE(a_thousand_peers_fill_the_grid_within_75_s) {
  Cluster cluster(options_of(32, 32, 2), 1, {.record = {Milliseconds(200), Milliseconds(3000)}});
  cluster.join_all(1000, Seconds(10));
  const auto time = cluster.run_until(
      [&] { return cluster.live().size() == 1000 && cluster.grid_is_full(); }, Seconds(75));
  BOOST_TEST(time.has_value());
}

// Fleets: what all peers together come to, through boots, deaths, splits, departures and churn.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "peer/placement/cluster.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(fleets)

namespace {

constexpr std::uint64_t seeds[] = {1, 2, 3};

// The cells that changed hands between two moments.
[[maybe_unused]] std::size_t differing(const std::map<CellIndex, std::size_t>& before,
                                       const std::map<CellIndex, std::size_t>& after) {
  std::size_t count = 0;
  for (const auto& [cell, owner] : after) {
    const auto found = before.find(cell);
    count += found == before.end() || found->second != owner ? 1 : 0;
  }
  return count;
}

// Everything that holds once nothing happens any more: the same owners in all views, one for each
// cell, and as many cells for each as for the others.
void require_rest(const Cluster& cluster) {
  BOOST_TEST_REQUIRE(cluster.views_agree());
  BOOST_TEST_REQUIRE(cluster.each_cell_has_one_owner());
  BOOST_TEST_REQUIRE(cluster.load_spread() <= 1);
}

bool at_rest(const Cluster& cluster) {
  return cluster.views_agree() && cluster.grid_is_full() && cluster.each_cell_has_one_owner() &&
         cluster.load_spread() <= 1;
}

// Joins them, and waits until nothing happens any more.
[[maybe_unused]] void settle(Cluster& cluster, std::size_t peers) {
  cluster.join_all(peers, Seconds(10));
  cluster.run_for(Seconds(15));
  const auto settled = cluster.run_until([&] { return at_rest(cluster); }, Seconds(200));
  BOOST_TEST_REQUIRE(settled.has_value());
  cluster.run_for(Seconds(10));
  require_rest(cluster);
}

}  // namespace

BOOST_AUTO_TEST_CASE(explore) {
  struct Case {
    std::size_t peers;
    std::uint16_t rows, columns;
    std::optional<std::uint32_t> capacity;
  };
  for (const Case& c :
       {Case{4, 2, 2, {}}, Case{4, 2, 2, 1}, Case{4, 10, 10, {}}, Case{4, 10, 10, 25},
        Case{25, 5, 5, {}}, Case{25, 5, 5, 1}, Case{100, 10, 10, {}}, Case{100, 10, 10, 1},
        Case{100, 20, 20, {}}, Case{100, 20, 20, 4}, Case{120, 10, 10, {}}, Case{120, 10, 10, 1},
        Case{100, 20, 20, 8}}) {
    for (const std::uint64_t seed : seeds) {
      Cluster cluster(options_of(c.rows, c.columns, c.capacity), seed);
      cluster.join_all(c.peers, c.peers <= 4 ? Duration(Seconds(1)) : Seconds(10));
      const auto full = cluster.run_until(
          [&] { return cluster.live().size() == c.peers && cluster.grid_is_full(); }, Seconds(200));
      const auto rest = cluster.run_until([&] { return at_rest(cluster); }, Seconds(200));
      auto s = [](std::optional<Duration> d) { return d ? double(d->count()) / 1e9 : -1; };
      std::printf("%zu x %d cap %d: full %.1f rest +%.1f moves %lu runs %zu spread %u\n", c.peers,
                  c.rows * c.columns, c.capacity ? int(*c.capacity) : -1, s(full), s(rest),
                  cluster.moves(), cluster.runs_max(), cluster.load_spread());
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

// A network that splits and heals: the halves bury each other, find each other again, and in doing
// so bury nobody of their own.
#include <boost/test/unit_test.hpp>

#include "base/time.hpp"
#include "peer/membership/cluster.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(split)

namespace {

// Deaths that a peer recorded of one on its own side.
std::size_t deaths_on_one_side(const Cluster& cluster, std::size_t peers) {
  std::size_t count = 0;
  for (const auto& [dead, observer] : cluster.deaths())
    for (Cluster::Index peer = 0; peer < peers; ++peer)
      if (cluster.id(peer) == dead && peer % 2 == observer % 2) ++count;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(halves_of_a_split_heal_within_ten_seconds) {
  const struct {
    std::size_t peers;
    std::uint64_t seed;
    double loss;
    int split_seconds;
  } rows[] = {{2, 1, 0, 90},     {4, 2, 0, 90},  {10, 3, 0.05, 90}, {10, 4, 0, 600},
              {60, 5, 0.05, 90}, {60, 6, 0, 20}, {60, 7, 0, 12}};
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.peers << " peers, " << row.split_seconds << " s") {
      Cluster cluster({.seed = row.seed, .loss = row.loss});
      cluster.add_many(row.peers);
      cluster.run_for(seconds(20));
      BOOST_REQUIRE(cluster.converged());
      cluster.split([](Cluster::Index peer) { return peer % 2 == 0; });
      cluster.run_for(seconds(row.split_seconds));
      if (row.split_seconds >= 90)
        BOOST_TEST(cluster[0].view().live_count() <= row.peers / 2 + row.peers / 20);
      cluster.heal();
      const TimePoint healed = cluster.now();
      BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(10)));
      BOOST_TEST_MESSAGE(row.peers << " peers level after " << in_seconds(cluster.now() - healed)
                                   << " s");
      cluster.run_for(seconds(60));
      BOOST_TEST(cluster.converged());
      BOOST_TEST(deaths_on_one_side(cluster, row.peers) == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(one_peer_that_was_cut_off_returns_and_buries_nobody_on_the_way) {
  Cluster cluster({.seed = 8});
  cluster.add_many(50);
  cluster.run_for(seconds(20));
  cluster.split([](Cluster::Index peer) { return peer == 9; });
  cluster.run_for(seconds(120));
  BOOST_TEST(cluster.all_see_gone(9));
  cluster.heal();
  BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(30)));
  for (const auto& [dead, observer] : cluster.deaths())
    BOOST_TEST((dead == cluster.id(9) || observer == 9u));
}

BOOST_AUTO_TEST_CASE(all_together_call_the_dead_three_times_a_second_however_many_they_are) {
  for (const std::size_t peers : {10U, 60U}) {
    Cluster cluster({.seed = 10});
    cluster.add_many(peers);
    cluster.run_for(seconds(10));
    cluster.crash(3);
    cluster.crash(4);
    cluster.run_for(seconds(110));  // 60 s after its death, nobody takes it for slow any more
    const std::uint64_t calls = cluster.calls_to_the_dead();
    cluster.run_for(seconds(100));
    BOOST_TEST(cluster.calls_to_the_dead() - calls > 240u);
    BOOST_TEST(cluster.calls_to_the_dead() - calls < 360u);
  }
}

BOOST_AUTO_TEST_CASE(the_seeds_alone_join_halves_whose_tombstones_are_gone) {
  MembershipOptions options;
  options.tombstone_life = seconds(60);
  Cluster cluster({.seed = 9}, options);
  cluster.add_many(10, 2);  // seeds 0 and 1: one on each side
  cluster.run_for(seconds(20));
  cluster.split([](Cluster::Index peer) { return peer % 2 == 0; });
  cluster.run_for(seconds(400));
  BOOST_TEST(cluster[0].view().members().size() == 5u);
  cluster.heal();
  BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(30)));
}

BOOST_AUTO_TEST_SUITE_END()

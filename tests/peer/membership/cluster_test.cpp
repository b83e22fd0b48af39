// Many peers find each other, and it costs each of them the same however many they are.
#include "peer/membership/cluster.hpp"

#include <boost/test/unit_test.hpp>

#include "base/hash.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(cluster_of_peers)

BOOST_AUTO_TEST_CASE(peers_that_know_one_seed_find_each_other) {
  for (const std::size_t peers : {1U, 2U, 3U, 10U, 50U}) {
    Cluster cluster({.seed = 1});
    cluster.add_many(peers, 1);
    BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(10)));
    for (Cluster::Index peer = 0; peer < peers; ++peer) BOOST_TEST(cluster[peer].joined());
  }
}

BOOST_AUTO_TEST_CASE(two_hundred_that_start_at_once_are_level_within_seconds) {
  Cluster cluster({.seed = 2, .loss = 0.05});
  cluster.add_many(200);
  BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(15)));
  BOOST_TEST(cluster.death_count() == 0u);
}

BOOST_AUTO_TEST_CASE(a_newcomer_whose_seeds_are_down_joins_when_they_are_back) {
  Cluster cluster({.seed = 3});
  cluster.add_many(5);
  cluster.run_for(seconds(5));
  cluster.split([](Cluster::Index peer) { return peer < 5; });
  const Cluster::Index late = cluster.add({0, 1});
  cluster.run_for(seconds(60));
  BOOST_TEST(!cluster[late].joined());
  cluster.heal();
  cluster.run_for(seconds(32));
  BOOST_TEST(cluster[late].joined());
  BOOST_TEST(cluster.converged());
}

BOOST_AUTO_TEST_CASE(two_groups_that_know_each_other_by_seeds_only_become_one) {
  Cluster cluster({.seed = 4});
  cluster.add({});
  cluster.add({0});
  cluster.add({0});
  const Cluster::Index other = cluster.add({});
  cluster.add({other});
  cluster.run_for(seconds(5));
  cluster.add({0, other});  // it joins one of them; the other one stays its seed
  cluster.run_for(seconds(60));
  BOOST_TEST(cluster.converged());
}

BOOST_AUTO_TEST_CASE(what_a_peer_sends_when_nothing_happens_does_not_grow_with_their_number) {
  std::vector<double> rates;
  for (const std::size_t peers : {10U, 120U}) {
    Cluster cluster({.seed = 5});
    cluster.add_many(peers);
    cluster.run_for(seconds(100));
    BOOST_REQUIRE(cluster.converged());
    const std::uint64_t datagrams = cluster.datagram_count();
    const std::uint64_t updates = cluster.update_count();
    const std::uint64_t syncs = cluster.sync_count();
    cluster.run_for(seconds(50));
    BOOST_TEST(cluster.update_count() == updates);
    BOOST_TEST(cluster.sync_count() == syncs);
    rates.push_back(static_cast<double>(cluster.datagram_count() - datagrams) / 50 /
                    static_cast<double>(peers));
  }
  for (const double rate : rates) {
    BOOST_TEST(rate > 16.5);
    BOOST_TEST(rate < 17.5);  // 15 of gossip, a ping and an ack, and a fifth for comparisons
  }
}

BOOST_AUTO_TEST_CASE(one_seed_is_one_story) {
  const auto story = [] {
    Cluster cluster({.seed = 6, .loss = 0.1});
    cluster.add_many(30);
    cluster.run_for(seconds(20));
    cluster.crash(7);
    cluster.run_for(seconds(20));
    std::uint64_t hash = chain(cluster.datagram_count(), cluster.update_count());
    for (Cluster::Index peer = 0; peer < 30; ++peer)
      for (const Member& member : cluster[peer].view().members())
        hash = chain(chain(hash, member.id.low), member.incarnation);
    return hash;
  };
  BOOST_TEST(story() == story());
}

BOOST_AUTO_TEST_SUITE_END()

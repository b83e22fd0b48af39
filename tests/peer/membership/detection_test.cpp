// How soon a crash is known to all, and that nobody dies who lives.
#include <algorithm>
#include <boost/test/unit_test.hpp>

#include "base/time.hpp"
#include "peer/membership/cluster.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(detection)

namespace {

// Until the last one knew, for each of `crashes`; every victim is replaced before the next.
std::vector<double> seconds_until_all_know(Cluster& cluster, std::size_t peers, int crashes) {
  std::vector<double> times;
  Cluster::Index victim = 1;
  for (int crash = 0; crash < crashes; ++crash, ++victim) {
    cluster.crash(victim);
    const TimePoint begin = cluster.now();
    BOOST_REQUIRE(cluster.run_until([&] { return cluster.all_see_gone(victim); }, seconds(120),
                                    milliseconds(50)));
    times.push_back(in_seconds(cluster.now() - begin));
    cluster.add({victim + 1});
    cluster.run_for(seconds(15) + milliseconds(137 * crash));
    BOOST_REQUIRE(cluster.converged());
    BOOST_REQUIRE_EQUAL(cluster.running(), peers);
  }
  std::ranges::sort(times);
  return times;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_crash_is_known_to_all_in_time) {
  // Median and maximum of what the design promises.
  const struct {
    std::size_t peers;
    int crashes;
    double loss, median_seconds, seconds_max;
  } rows[] = {{4, 30, 0, 7, 27}, {10, 30, 0, 7, 27}, {10, 30, 0.05, 7, 27}, {100, 11, 0, 12, 51}};
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.peers << " peers, loss " << row.loss) {
      Cluster cluster({.seed = 1, .loss = row.loss});
      cluster.add_many(row.peers);
      cluster.run_for(seconds(20));
      const auto times = seconds_until_all_know(cluster, row.peers, row.crashes);
      const double median = times[times.size() / 2];
      BOOST_TEST_MESSAGE(row.peers << " peers: median " << median << " s, maximum " << times.back()
                                   << " s");
      BOOST_TEST(median <= row.median_seconds);
      BOOST_TEST(times.back() <= row.seconds_max);
      BOOST_TEST(cluster.death_count() == 0u);
    }
  }
}

BOOST_AUTO_TEST_CASE(nobody_dies_of_five_percent_loss_and_pauses_of_three_seconds) {
  for (const std::size_t peers : {4U, 10U, 100U}) {
    Cluster cluster({.seed = 2, .loss = 0.05});
    cluster.add_many(peers);
    cluster.run_for(seconds(20));
    for (Cluster::Index peer = 0; peer < 10; ++peer) {
      cluster.pause(peer % peers, seconds(3));
      cluster.run_for(seconds(20) + milliseconds(73 * peer));
    }
    BOOST_TEST(cluster.death_count() == 0u);
    BOOST_TEST(cluster.converged());
  }
}

BOOST_AUTO_TEST_CASE(a_peer_that_was_buried_alive_comes_back_by_itself) {
  Cluster cluster({.seed = 3});
  cluster.add_many(10);
  cluster.run_for(seconds(10));
  const std::uint64_t incarnation = cluster[4].self()->record.incarnation;
  cluster.pause(4, seconds(30));
  cluster.run_for(seconds(29));
  BOOST_TEST(cluster.all_see_gone(4));
  BOOST_TEST(cluster.run_until([&] { return cluster.converged(); }, seconds(10)));
  BOOST_TEST(cluster[4].self()->record.incarnation > incarnation);
}

BOOST_AUTO_TEST_CASE(a_process_that_restarts_at_its_address_takes_the_place_of_the_former) {
  Cluster cluster({.seed = 4});
  cluster.add_many(20);
  cluster.run_for(seconds(10));
  cluster.crash(5);
  const Cluster::Index again = cluster.add_in_place_of(5, {0});
  cluster.run_for(seconds(2));
  // Everybody suspects the former one at once; so it takes no longer than the shortest suspicion.
  cluster.run_for(seconds(6));
  BOOST_TEST(cluster.all_see_gone(5));
  BOOST_TEST(cluster.converged());
  BOOST_TEST(!cluster.all_see_gone(again));
}

BOOST_AUTO_TEST_CASE(a_leave_is_known_to_all_within_three_seconds_and_kills_nobody) {
  Cluster cluster({.seed = 5, .loss = 0.05});
  cluster.add_many(200);
  cluster.run_for(seconds(20));
  for (Cluster::Index peer = 10; peer < 20; ++peer) {
    cluster.leave(peer);
    BOOST_TEST(cluster.run_until([&] { return cluster.all_see_gone(peer); }, seconds(3)));
    cluster.run_for(seconds(2));
    BOOST_TEST(cluster[peer].has_left(cluster.now()));
    cluster.crash(peer);
  }
  BOOST_TEST(cluster.converged());
  BOOST_TEST(cluster.death_count() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()

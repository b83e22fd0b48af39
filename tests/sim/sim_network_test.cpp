// What becomes of datagrams: loss, duplication, delay, partitions, rates.
#include "sim/sim_network.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <vector>

#include "sim/address.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(sim_network)

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

struct Fixture {
  explicit Fixture(NetworkQuality quality = {}) : network(4, quality, RandomStream(5)) {}

  // Sends so many from 0 to 1; the times at which any arrive.
  std::vector<TimePoint> send(int count, NodeIndex from = 0, NodeIndex to = 1) {
    for (int sent = 0; sent < count; ++sent) network.send(from, to, ByteBuffer(100), {}, events);
    std::vector<TimePoint> arrivals;
    while (!events.empty()) {
      const EventQueue::Entry next = events.pop();
      BOOST_TEST(next.event.node == to);
      BOOST_TEST(network.take(next.event.subject).from == from);
      arrivals.push_back(next.time);
    }
    return arrivals;
  }

  EventQueue events;
  SimNetwork network;
};

}  // namespace

BOOST_AUTO_TEST_CASE(an_address_is_made_of_the_host_and_leads_back_to_it) {
  BOOST_TEST(node_at(endpoint_of(70'000)).value() == 70'000U);
  wire::Endpoint elsewhere = endpoint_of(3);
  elsewhere.port = 80;
  BOOST_TEST(!node_at(elsewhere));
}

BOOST_AUTO_TEST_CASE(a_good_network_delivers_everything_within_its_delay_and_jitter) {
  Fixture f({.delay = microseconds(200), .jitter = microseconds(300)});
  const auto arrivals = f.send(1000);
  BOOST_TEST(arrivals.size() == 1000U);
  BOOST_TEST((arrivals.front() >= TimePoint{microseconds(200)}));
  BOOST_TEST((arrivals.back() < TimePoint{microseconds(502)}));
  BOOST_TEST((arrivals.front() < TimePoint{microseconds(220)}));
  BOOST_TEST(f.network.in_flight() == 0U);
}

BOOST_AUTO_TEST_CASE(loss_and_duplication_have_their_shares) {
  // Six standard deviations of 10,000 draws at these shares are 0.024 and less.
  Fixture lossy({.loss = 0.2});
  BOOST_TEST(std::abs(static_cast<double>(lossy.send(10'000).size()) / 10'000 - 0.8) < 0.024);
  Fixture doubled({.duplication = 0.1});
  BOOST_TEST(std::abs(static_cast<double>(doubled.send(10'000).size()) / 10'000 - 1.1) < 0.024);
}

BOOST_AUTO_TEST_CASE(a_straggler_comes_much_later) {
  Fixture f({.jitter = Duration{}, .straggling = 0.5, .straggle = milliseconds(200)});
  const auto arrivals = f.send(100);
  BOOST_TEST((arrivals.front() < TimePoint{milliseconds(1)}));
  BOOST_TEST((arrivals.back() > TimePoint{milliseconds(200)}));
}

BOOST_AUTO_TEST_CASE(a_partition_lets_nothing_pass_until_it_is_joined) {
  Fixture f;
  f.network.set_group(1, 1);
  BOOST_TEST(f.send(10).empty());
  BOOST_TEST(f.send(10, 0, 2).size() == 10U);
  f.network.join_groups();
  BOOST_TEST(f.send(10).size() == 10U);
}

BOOST_AUTO_TEST_CASE(a_one_way_partition_lets_one_side_be_heard) {
  Fixture f;
  f.network.set_group(1, 1);
  f.network.set_heard(1, 0, true);
  BOOST_TEST(f.send(10, 0, 1).empty());
  BOOST_TEST(f.send(10, 1, 0).size() == 10U);
  BOOST_TEST(!f.network.can_stream(0, 1));
}

BOOST_AUTO_TEST_CASE(a_fault_is_of_one_direction_of_one_pair) {
  Fixture f;
  f.network.set_fault(0, 1, {.blocked = true});
  BOOST_TEST(f.send(10, 0, 1).empty());
  BOOST_TEST(f.send(10, 1, 0).size() == 10U);
  BOOST_TEST(f.send(10, 0, 2).size() == 10U);
  f.network.clear_faults();
  BOOST_TEST(f.send(10, 0, 1).size() == 10U);
}

BOOST_AUTO_TEST_CASE(an_uplink_is_shared_and_a_slow_pair_waits_alone) {
  Fixture f({.bytes_per_second = 1'000'000});
  BOOST_TEST((f.network.transmit(0, 1, 500'000, {}) == TimePoint{milliseconds(500)}));
  BOOST_TEST((f.network.transmit(0, 2, 500'000, {}) == TimePoint{seconds(1)}));
  f.network.set_fault(0, 3, {.bytes_per_second = 1000});
  BOOST_TEST((f.network.transmit(0, 3, 10'000, {}) == TimePoint{seconds(10)}));
  BOOST_TEST((f.network.transmit(0, 1, 500'000, {}) == TimePoint{milliseconds(1500)}));
}

BOOST_AUTO_TEST_CASE(traffic_is_counted_where_it_is_sent_with_its_headers) {
  Fixture f({.loss = 1});
  f.send(10);
  BOOST_TEST(f.network.sent_by(0).datagrams == 10U);
  BOOST_TEST(f.network.sent_by(0).datagram_bytes == 1280U);
  BOOST_TEST(f.network.sent_by(1).datagrams == 0U);
}

BOOST_AUTO_TEST_CASE(one_seed_gives_one_history) {
  const NetworkQuality quality{.loss = 0.1, .duplication = 0.1, .straggling = 0.1};
  Fixture once(quality);
  Fixture again(quality);
  BOOST_TEST((once.send(1000) == again.send(1000)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

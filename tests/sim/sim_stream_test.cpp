// Streams between two small hosts that note what they are told; one of them echoes.
#include "sim/sim_stream.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(sim_stream)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

ByteBuffer numbered(std::size_t count, std::size_t from = 0) {
  ByteBuffer bytes(count);
  for (std::size_t index = 0; index < count; ++index)
    bytes[index] = static_cast<std::byte>((from + index) * 31 >> 3U);
  return bytes;
}

struct Fixture {
  struct Told {
    StreamNews::Kind kind;
    NodeIndex node;
    peer::StreamId stream;
    TimePoint time;
  };

  Fixture() : network(4, {}, RandomStream(7)), streams(network, events, RandomStream(8)) {
    for (NodeIndex node = 0; node < 4; ++node) network.set_presence(node, Presence::Listening);
  }

  void run_until(TimePoint end) {
    while (!events.empty() && events.next().time <= end) {
      const EventQueue::Entry next = events.pop();
      now = next.time;
      const auto news = streams.carry_out(next.event, now);
      if (!news) continue;
      if (news->kind == StreamNews::Kind::Bytes) {
        received[news->node].insert(received[news->node].end(), news->bytes.begin(),
                                    news->bytes.end());
        pieces.push_back(news->bytes.size());
        continue;
      }
      told.push_back({news->kind, news->node, news->stream, now});
    }
    now = end;
  }
  // Opens stream 1 from host 0 to host 1.
  peer::StreamId open() {
    streams.open(0, {1}, 1, now);
    run_until(now + seconds(6));
    const auto accepted = std::ranges::find(told, StreamNews::Kind::Accepted, &Told::kind);
    return accepted == told.end() ? peer::StreamId{} : accepted->stream;
  }
  void send(NodeIndex node, peer::StreamId stream, ByteBuffer bytes) {
    streams.send(node, stream, {.head = std::move(bytes)}, now);
  }
  std::size_t count(StreamNews::Kind kind, NodeIndex node) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        told, [&](const Told& one) { return one.kind == kind && one.node == node; }));
  }
  TimePoint last_told() const { return told.back().time; }

  EventQueue events;
  SimNetwork network;
  SimStreams streams;
  TimePoint now;
  std::vector<Told> told;
  ByteBuffer received[4];
  std::vector<std::size_t> pieces;
};

using Kind = StreamNews::Kind;

}  // namespace

BOOST_AUTO_TEST_CASE(opening_takes_a_round_trip_and_the_other_end_gets_an_even_number) {
  Fixture f;
  const peer::StreamId accepted = f.open();
  BOOST_TEST(accepted.value == 2U);
  BOOST_TEST(f.count(Kind::Accepted, 1) == 1U);
  BOOST_TEST(f.count(Kind::Opened, 0) == 1U);
  BOOST_TEST((f.told.front().kind == Kind::Accepted));
}

BOOST_AUTO_TEST_CASE(a_machine_without_the_process_refuses_at_once) {
  Fixture f;
  f.network.set_presence(1, Presence::Refusing);
  f.open();
  BOOST_TEST(f.count(Kind::OpenFailed, 0) == 1U);
  BOOST_TEST((f.last_told() < TimePoint{milliseconds(2)}));
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_machine_that_is_gone_lets_the_dialler_wait) {
  Fixture f;
  f.network.set_presence(1, Presence::Absent);
  f.open();
  BOOST_TEST(f.count(Kind::OpenFailed, 0) == 1U);
  BOOST_TEST((f.last_told() == TimePoint{SimStreams::connect_patience}));
}

BOOST_AUTO_TEST_CASE(a_dial_that_was_not_answered_is_repeated_while_it_waits) {
  Fixture f;
  f.network.set_group(1, 1);
  f.streams.open(0, {1}, 1, f.now);
  f.run_until(f.now + milliseconds(500));
  f.network.join_groups();
  f.run_until(f.now + seconds(1));
  BOOST_TEST(f.count(Kind::Opened, 0) == 1U);
}

BOOST_AUTO_TEST_CASE(bytes_arrive_in_order_in_pieces_of_all_sizes) {
  Fixture f;
  const peer::StreamId there = f.open();
  for (std::size_t part = 0; part < 10; ++part) f.send(0, {1}, numbered(100'000, part * 100'000));
  const auto tail = std::make_shared<const ByteBuffer>(numbered(50'000, 999'000));
  f.streams.send(0, {1}, {.tail = tail, .tail_offset = 1000, .tail_bytes = 20'000}, f.now);
  f.send(1, there, numbered(5000));
  f.run_until(f.now + seconds(1));
  BOOST_TEST((f.received[1] == numbered(1'020'000)));
  BOOST_TEST((f.received[0] == numbered(5000)));
  BOOST_TEST(std::ranges::max(f.pieces) <= SimStreams::piece_bytes_max);
  BOOST_TEST(std::ranges::min(f.pieces) < 2000U);
}

BOOST_AUTO_TEST_CASE(what_was_sent_before_a_close_arrives_before_it) {
  Fixture f;
  f.open();
  f.send(0, {1}, numbered(300'000));
  f.streams.close(0, {1}, f.now);
  f.run_until(f.now + seconds(1));
  BOOST_TEST(f.received[1].size() == 300'000U);
  BOOST_TEST(f.count(Kind::Closed, 1) == 1U);
  BOOST_TEST(f.count(Kind::Closed, 0) == 0U);
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_close_before_the_connection_is_there_leaves_nothing_behind) {
  Fixture f;
  f.streams.open(0, {1}, 1, f.now);
  f.send(0, {1}, numbered(1000));
  f.streams.close(0, {1}, f.now);
  f.run_until(f.now + seconds(30));
  BOOST_TEST(f.told.empty());
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_process_that_ends_closes_its_streams) {
  Fixture f;
  f.open();
  f.network.set_presence(1, Presence::Refusing);
  f.streams.on_process_ended(1, f.now);
  f.run_until(f.now + milliseconds(100));
  BOOST_TEST(f.count(Kind::Closed, 0) == 1U);
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_machine_that_is_lost_is_missed_after_the_silence) {
  Fixture f;
  f.open();
  const TimePoint lost = f.now;
  f.network.set_presence(1, Presence::Absent);
  f.streams.on_process_ended(1, f.now);
  f.send(0, {1}, numbered(1000));
  f.run_until(f.now + seconds(30));
  BOOST_TEST(f.count(Kind::Closed, 0) == 1U);
  BOOST_TEST((f.last_told() == lost + SimStreams::silence_patience));
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_machine_that_comes_back_knows_nothing_of_a_stream) {
  Fixture f;
  f.open();
  f.network.set_presence(1, Presence::Absent);
  f.streams.on_process_ended(1, f.now);
  f.run_until(f.now + seconds(5));
  f.network.set_presence(1, Presence::Listening);
  f.streams.on_paths_changed(f.now);
  const TimePoint back = f.now;
  f.run_until(f.now + seconds(30));
  BOOST_TEST(f.count(Kind::Closed, 0) == 1U);
  BOOST_TEST((f.last_told() < back + milliseconds(2)));
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_short_partition_only_delays) {
  Fixture f;
  f.open();
  f.network.set_group(1, 1);
  f.streams.on_paths_changed(f.now);
  f.send(0, {1}, numbered(100'000));
  f.run_until(f.now + seconds(19));
  BOOST_TEST(f.received[1].empty());
  f.network.join_groups();
  f.streams.on_paths_changed(f.now);
  f.run_until(f.now + seconds(30));
  BOOST_TEST((f.received[1] == numbered(100'000)));
  BOOST_TEST(f.count(Kind::Closed, 0) == 0U);
}

BOOST_AUTO_TEST_CASE(a_long_partition_breaks_both_ends) {
  Fixture f;
  f.open();
  f.network.set_group(1, 1);
  f.streams.on_paths_changed(f.now);
  f.send(0, {1}, numbered(1000));
  f.run_until(f.now + seconds(21));
  BOOST_TEST(f.count(Kind::Closed, 0) == 1U);
  BOOST_TEST(f.count(Kind::Closed, 1) == 1U);
  BOOST_TEST(f.streams.open_count() == 0U);
}

BOOST_AUTO_TEST_CASE(a_slow_path_takes_as_long_as_its_rate_says) {
  Fixture f;
  f.open();
  f.network.set_fault(0, 1, {.bytes_per_second = 10'000});
  f.send(0, {1}, numbered(50'000));
  f.run_until(f.now + seconds(4));
  BOOST_TEST(f.received[1].size() > 30'000U);
  BOOST_TEST(f.received[1].size() < 45'000U);
  f.run_until(f.now + seconds(2));
  BOOST_TEST(f.received[1].size() == 50'000U);
}

BOOST_AUTO_TEST_CASE(the_largest_backlog_is_known) {
  Fixture f;
  f.open();
  f.send(0, {1}, numbered(70'000));
  f.send(0, {1}, numbered(30'000));
  f.run_until(f.now + seconds(1));
  BOOST_TEST(f.streams.load_of(0).largest_backlog == 100'000U);
  BOOST_TEST(f.streams.load_of(1).largest_backlog == 0U);
}

BOOST_AUTO_TEST_CASE(how_many_streams_a_node_has_is_known_until_it_has_none) {
  Fixture f;
  f.open();
  BOOST_TEST(f.streams.load_of(0).streams == 1U);
  BOOST_TEST(f.streams.load_of(0).accepted == 0U);
  BOOST_TEST(f.streams.load_of(1).streams == 1U);
  BOOST_TEST(f.streams.load_of(1).accepted == 1U);
  f.streams.close(0, {1}, f.now);
  BOOST_TEST(f.streams.load_of(0).streams == 0U);
  f.run_until(f.now + seconds(1));
  BOOST_TEST(f.streams.load_of(1).streams == 0U);
  BOOST_TEST(f.streams.load_of(1).accepted == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

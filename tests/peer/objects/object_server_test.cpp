// How much others can make a peer do that serves objects, and for how long.
#include "peer/objects/object_server.hpp"

#include <set>

#include "peer/objects/object_pair.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(object_server)

namespace {

constexpr PeerId a{1, 1}, b{2, 2}, c{3, 3};
constexpr CellIndex cell{7};
constexpr wire::ObjectRequest state{.kind = wire::ObjectKind::State, .cell = cell};

// Everybody who asks b, on streams of their own.
struct Crowd : ObjectWorld {
  Crowd() {
    own(b, cell, {.index = 12});
    server.worker.is_slow = true;
  }

  StreamId dial(PeerId peer) {
    next.value += 2;
    ObjectsOutput out;
    server.objects.on_accepted(peer, next, now, out);
    closed.insert(out.hang_ups.begin(), out.hang_ups.end());
    settle(b, std::move(out));
    return next;
  }
  void hang_up(StreamId stream) {
    ObjectsOutput out;
    server.objects.on_closed(stream, out);
    settle(b, std::move(out));
  }
  void send(StreamId stream, wire::FrameType type, const ByteBuffer& body) {
    ObjectsOutput out;
    server.objects.on_frame(stream, {.header = {.type = type}, .body = body}, now, out);
    settle(b, std::move(out));
  }
  void request(StreamId stream, const wire::ObjectRequest& what = state) {
    send(stream, wire::FrameType::ObjectRequest, wire::encode(what));
  }
  void pass(Duration time) {
    now = now + time;
    ObjectsOutput out;
    server.objects.on_time(now, out);
    closed.insert(out.hang_ups.begin(), out.hang_ups.end());
    settle(b, std::move(out));
  }
  std::size_t orders() const { return server.worker.held_back.size(); }

  Node& server = add(b);
  StreamId next{200};
  std::set<StreamId> closed;
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_second_stream_of_an_asker_takes_the_place_of_the_first, Crowd) {
  const StreamId first = dial(c);
  const StreamId second = dial(c);
  BOOST_TEST((closed == std::set{first}));
  request(first);
  BOOST_TEST(orders() == 0U);
  request(second);
  BOOST_TEST(orders() == 1U);
}

BOOST_FIXTURE_TEST_CASE(who_dials_again_has_no_more_requests_than_before, Crowd) {
  for (int time = 0; time < 3; ++time) {
    const StreamId stream = dial(c);
    for (std::size_t i = 0; i < wire::object_requests_max; ++i) request(stream);
    hang_up(stream);
  }
  BOOST_TEST(orders() == wire::object_requests_max);
  pass(ObjectServer::worker_patience);
  request(dial(c));
  BOOST_TEST(orders() == wire::object_requests_max + 1);
}

BOOST_FIXTURE_TEST_CASE(requests_of_all_askers_have_a_limit_which_a_handover_has_not, Crowd) {
  for (std::uint64_t peer = 10; peer < 20; ++peer) {
    const StreamId stream = dial({peer, peer});
    for (std::size_t i = 0; i < wire::object_requests_max; ++i) request(stream);
    if (peer % 2 == 0) hang_up(stream);
  }
  BOOST_TEST(orders() == ObjectServer::served_in_all_max);
  BOOST_TEST(server.offences.empty());
  ObjectsOutput out;
  server.objects.allow_handover(cell, c, out);
  request(dial(c), {.kind = wire::ObjectKind::State, .cell = cell, .hand_over = true});
  BOOST_TEST(orders() == ObjectServer::served_in_all_max + 1);
}

BOOST_FIXTURE_TEST_CASE(who_takes_nothing_of_what_it_asked_for_is_hung_up_whatever_it_says, Crowd) {
  server.worker.padding.assign(std::size_t{3} << 14U, 'x');
  const StreamId takes = dial(a);
  const StreamId talks = dial(c);
  for (const StreamId stream : {takes, talks}) request(stream);
  for (const ObjectReady& ready : std::exchange(server.worker.held_back, {})) report(b, ready);
  const auto credit = [&](StreamId stream, std::uint64_t bytes) {
    send(stream, wire::FrameType::Credit, wire::encode(wire::Credit{.bytes = bytes}));
  };
  for (int time = 0; time < 3; ++time) {
    BOOST_TEST(closed.empty() == (time < 2));
    pass(ObjectServer::idle_max / 2);
    credit(takes, OutgoingLink::chunk_bytes);
    credit(talks, 0);
    const wire::ObjectQuery query{.request = 9, .kind = wire::ObjectKind::State, .cell = cell};
    send(talks, wire::FrameType::ObjectQuery, wire::encode(query));
  }
  BOOST_TEST((closed == std::set{talks}));
}

BOOST_FIXTURE_TEST_CASE(who_only_asks_questions_is_hung_up_when_it_asks_no_more, Crowd) {
  const StreamId stream = dial(c);
  for (int time = 0; time < 3; ++time) {
    pass(ObjectServer::idle_max - 1s);
    send(stream, wire::FrameType::ObjectQuery, wire::encode(wire::ObjectQuery{.request = 9}));
  }
  BOOST_TEST(closed.empty());
  pass(ObjectServer::idle_max);
  BOOST_TEST((closed == std::set{stream}));
}

BOOST_AUTO_TEST_SUITE_END()

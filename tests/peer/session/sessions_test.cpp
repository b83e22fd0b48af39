// How streams begin, what they carry, and how they are refused.
#include "peer/session/sessions.hpp"

#include <boost/test/unit_test.hpp>

#include <chrono>
#include <cstdint>
#include <memory>

#include "peer/session/stream_pair.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using namespace std::chrono_literals;
using wire::RefusalReason;
using wire::StreamPurpose;

BOOST_AUTO_TEST_SUITE(sessions)

namespace {

constexpr RunId run_a{.high = 1, .low = 2};
constexpr RunId run_b{.high = 3, .low = 4};
const ByteBuffer record(10, std::byte{7});

struct Pair {
  TimePoint now{1s};
  End dialler{.self = {.run = run_a, .self = {.high = 1, .low = 1}, .record = record},
              .address = wire::Endpoint::v4(1, 1)};
  End listener{.self = {.run = run_a, .self = {.high = 2, .low = 2}, .record = record},
               .address = wire::Endpoint::v4(2, 2)};

  StreamId dial(StreamPurpose purpose, std::optional<PeerId> expected = std::nullopt) {
    const auto stream = dialler.sessions.dial(
        {.to = listener.address, .expected = expected, .purpose = purpose}, now, dialler.effects);
    run(dialler, listener, now);
    return stream.value();
  }
};

OutFrame credit(StreamId stream) {
  return {.stream = stream,
          .type = wire::FrameType::Credit,
          .body = wire::encode(wire::Credit{.bytes = 5})};
}

ByteBuffer hello_of(PeerId sender, StreamPurpose purpose = StreamPurpose::Exchange) {
  const wire::Hello hello{.version_min = wire::protocol_version_min,
                          .version_max = wire::protocol_version_max,
                          .run = run_a,
                          .sender = sender,
                          .purpose = purpose};
  return wire::encode_frame(wire::FrameType::Hello, 0, wire::encode(hello));
}

// A listener whom several call, all with the name of one peer.
struct Callers : Pair {
  static constexpr PeerId name{.high = 5, .low = 5};
  View view;
  std::uint64_t next = 2;
  std::uint32_t sent = 0;  // after the Hello, on the first stream

  Callers() { listener.self.view = &view; }
  // Null if it was refused.
  std::optional<StreamId> call(std::uint32_t address,
                               StreamPurpose purpose = StreamPurpose::Exchange) {
    const StreamId stream{next};
    next += 2;
    const wire::Endpoint from = wire::Endpoint::v4(address, 40'000);
    listener.sessions.on_accepted(stream, from, now, listener.effects);
    give(listener, stream, hello_of(name, purpose), now);
    if (listener.sessions.party(stream) == nullptr) return std::nullopt;
    return stream;
  }
  void say_credit(StreamId stream) {
    const ByteBuffer body = wire::encode(wire::Credit{.bytes = 5});
    give(listener, stream, wire::encode_frame(wire::FrameType::Credit, ++sent, body), now);
  }
  void send_chunk(StreamId stream) {
    listener.sessions.send({.stream = stream,
                            .type = wire::FrameType::Chunk,
                            .body = wire::encode(wire::ChunkHead{.transfer = 1, .offset = 0}),
                            .tail = std::make_shared<const ByteBuffer>(9, std::byte{9}),
                            .tail_offset = 0,
                            .tail_bytes = 9},
                           listener.effects);
  }
  void knows_it_at(std::uint32_t address) {
    StoredRecord stored;
    stored.record.id = name;
    stored.record.endpoints = {wire::Endpoint::v4(address, 7746)};
    view.put({.id = name, .record = RecordRef(std::move(stored))});
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(both_ends_learn_who_the_other_is_and_what_for) {
  Pair pair;
  pair.dial(StreamPurpose::Exchange, pair.listener.self.self);
  const auto here = pair.dialler.last<Sessions::Opened>();
  const auto there = pair.listener.last<Sessions::Opened>();
  BOOST_REQUIRE(here);
  BOOST_REQUIRE(there);
  BOOST_TEST(here->party.peer == pair.listener.self.self);
  BOOST_TEST(here->party.dialled);
  BOOST_TEST(there->party.peer == pair.dialler.self.self);
  BOOST_CHECK(there->party.purpose == StreamPurpose::Exchange);
  BOOST_CHECK(there->record == record);
}

BOOST_AUTO_TEST_CASE(frames_travel_both_ways_with_tails_where_they_lie) {
  Pair pair;
  const StreamId stream = pair.dial(StreamPurpose::Exchange);
  const auto payload = std::make_shared<const ByteBuffer>(100, std::byte{9});
  pair.dialler.sessions.send(credit(stream), pair.dialler.effects);
  pair.listener.sessions.send({.stream = {stream.value + 1},
                               .type = wire::FrameType::Chunk,
                               .body = wire::encode(wire::ChunkHead{.transfer = 1, .offset = 0}),
                               .tail = payload,
                               .tail_offset = 10,
                               .tail_bytes = 20},
                              pair.listener.effects);
  run(pair.dialler, pair.listener, pair.now);
  BOOST_REQUIRE_EQUAL(pair.listener.bodies.size(), 1U);
  BOOST_TEST(wire::decode_credit(pair.listener.bodies[0])->bytes == 5U);
  BOOST_REQUIRE_EQUAL(pair.dialler.bodies.size(), 1U);
  const auto chunk = wire::decode_chunk(pair.dialler.bodies[0]);
  BOOST_REQUIRE(chunk.has_value());
  BOOST_TEST(chunk->bytes.size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_peer_of_another_run_is_refused_with_the_reason) {
  Pair pair;
  pair.dialler.self.run = run_b;
  pair.dial(StreamPurpose::Sync);
  const auto ended = pair.dialler.last<Sessions::Ended>();
  BOOST_REQUIRE(ended);
  BOOST_CHECK(ended->refusal == RefusalReason::OtherRun);
  BOOST_TEST(ended->reason.find("00000000000000010000000000000002") != std::string::npos);
  BOOST_TEST(!ended->was_open);
  BOOST_TEST(!ended->offence);
}

BOOST_AUTO_TEST_CASE(the_run_may_be_unknown_to_ask_for_it_and_to_watch_only) {
  for (const StreamPurpose purpose : {StreamPurpose::RunSpec, StreamPurpose::Watch}) {
    Pair pair;
    pair.dialler.self.run = {};
    pair.dial(purpose);
    BOOST_TEST(pair.dialler.last<Sessions::Opened>().has_value());
  }
  Pair pair;
  pair.dialler.self.run = {};
  pair.dial(StreamPurpose::Exchange);
  BOOST_CHECK(pair.dialler.last<Sessions::Ended>()->refusal == RefusalReason::OtherRun);
}

BOOST_AUTO_TEST_CASE(another_peer_at_the_address_is_not_taken_for_the_expected_one) {
  Pair pair;
  pair.dial(StreamPurpose::Probe, PeerId{.high = 9, .low = 9});
  BOOST_TEST(!pair.dialler.last<Sessions::Opened>().has_value());
  BOOST_TEST(pair.dialler.last<Sessions::Ended>()->party.peer == pair.listener.self.self);
}

BOOST_AUTO_TEST_CASE(a_peer_that_dials_itself_is_told_so) {
  Pair pair;
  pair.dialler.self.self = pair.listener.self.self;
  pair.dial(StreamPurpose::Sync);
  BOOST_CHECK(pair.dialler.last<Sessions::Ended>()->refusal == RefusalReason::OtherPeer);
}

BOOST_AUTO_TEST_CASE(versions_that_do_not_overlap_are_refused) {
  Pair pair;
  const StreamId stream{2};
  pair.listener.sessions.on_accepted(stream, pair.dialler.address, pair.now, pair.listener.effects);
  const wire::Hello hello{.version_min = wire::protocol_version_max + 1,
                          .version_max = wire::protocol_version_max + 2,
                          .run = run_a,
                          .sender = pair.dialler.self.self,
                          .purpose = StreamPurpose::Sync};
  give(pair.listener, stream, wire::encode_frame(wire::FrameType::Hello, 0, wire::encode(hello)),
       pair.now);
  const auto ended = pair.listener.last<Sessions::Ended>();
  BOOST_REQUIRE(ended);
  BOOST_TEST(ended->reason.find("protocol versions") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(garbage_in_place_of_a_hello_ends_the_stream_as_an_offence) {
  Pair pair;
  const StreamId stream{2};
  pair.listener.sessions.on_accepted(stream, pair.dialler.address, pair.now, pair.listener.effects);
  give(pair.listener, stream, ByteBuffer(64, std::byte{0x47}), pair.now);
  BOOST_TEST(pair.listener.last<Sessions::Ended>()->offence);
  BOOST_TEST(pair.listener.sessions.party(stream) == nullptr);
}

BOOST_AUTO_TEST_CASE(who_does_not_introduce_itself_in_time_is_dropped) {
  Pair pair;
  const StreamId stream{2};
  pair.listener.sessions.on_accepted(stream, pair.dialler.address, pair.now, pair.listener.effects);
  const TimePoint due = pair.now + Sessions::greeting_deadline;
  BOOST_TEST((pair.listener.sessions.wake_at() == due));
  BOOST_TEST(!pair.listener.sessions.take_overdue(due + -1ns, pair.listener.effects));
  BOOST_TEST(pair.listener.sessions.take_overdue(due, pair.listener.effects).has_value());
  BOOST_TEST((pair.listener.sessions.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(strangers_from_one_address_and_in_all_are_limited) {
  Pair pair;
  Effects& effects = pair.listener.effects;
  std::uint64_t next = 2;
  const auto accept = [&](std::uint32_t address) {
    effects.clear();
    pair.listener.sessions.on_accepted({next}, wire::Endpoint::v4(address, 1), pair.now, effects);
    next += 2;
    return effects.streams.empty();
  };
  for (std::size_t i = 0; i < Sessions::greeting_per_address_max; ++i) BOOST_TEST(accept(1));
  BOOST_TEST(!accept(1));
  for (std::size_t i = Sessions::greeting_per_address_max; i < Sessions::greeting_max; ++i)
    BOOST_TEST(accept(static_cast<std::uint32_t>(100 + i)));
  BOOST_TEST(!accept(99));
}

BOOST_AUTO_TEST_CASE(open_streams_of_one_address_and_in_all_are_limited_and_leave_room_to_dial) {
  Pair pair;
  Effects& effects = pair.listener.effects;
  std::uint64_t next = 2;
  const auto opens = [&](std::uint32_t address) {
    effects.clear();
    const StreamId stream{next};
    next += 2;
    pair.listener.sessions.on_accepted(stream, wire::Endpoint::v4(address, 1), pair.now, effects);
    give(pair.listener, stream, hello_of({.high = 5, .low = address}), pair.now);
    return pair.listener.sessions.party(stream) != nullptr;
  };
  for (std::size_t i = 0; i < Sessions::accepted_per_address_max; ++i) BOOST_REQUIRE(opens(1));
  BOOST_TEST(!opens(1));
  for (std::size_t i = Sessions::accepted_per_address_max; i < Sessions::accepted_max; ++i)
    BOOST_REQUIRE(opens(static_cast<std::uint32_t>(100 + i)));
  BOOST_TEST(!opens(99));
  const Sessions::Dialling what{.to = pair.dialler.address, .purpose = StreamPurpose::Probe};
  for (std::size_t i = Sessions::accepted_max; i < Sessions::streams_max; ++i)
    BOOST_REQUIRE(pair.listener.sessions.dial(what, pair.now, effects).has_value());
  BOOST_TEST(!pair.listener.sessions.dial(what, pair.now, effects).has_value());
}

// Whoever says the name of a peer whose stream moves something does not end it.
BOOST_FIXTURE_TEST_CASE(a_stranger_does_not_take_the_place_of_a_stream_that_is_in_use, Callers) {
  for (const StreamPurpose purpose : {StreamPurpose::Exchange, StreamPurpose::Object}) {
    const auto first = call(1, purpose);
    BOOST_REQUIRE(first);
    BOOST_TEST(!call(2, purpose));
    const auto refusal = listener.last<Sessions::Ended>();
    BOOST_TEST(refusal->reason.find("another address") != std::string::npos);
    now = now + Sessions::quiet_max + -1ns;
    BOOST_TEST(!call(2, purpose));
    BOOST_TEST(listener.sessions.party(*first) != nullptr);
  }
}

BOOST_FIXTURE_TEST_CASE(what_comes_on_a_stream_keeps_its_place_and_quiet_does_not, Callers) {
  const auto first = call(1);
  now = now + Sessions::quiet_max;
  say_credit(*first);
  now = now + Sessions::quiet_max + -1ns;
  BOOST_TEST(!call(2));
  now = now + 1ns;
  BOOST_TEST(call(2).has_value());
}

BOOST_FIXTURE_TEST_CASE(a_payload_on_its_way_over_a_slow_line_keeps_the_place_longer, Callers) {
  const auto first = call(1);
  send_chunk(*first);
  now = now + Sessions::unanswered_max + -1ns;
  BOOST_TEST(!call(2));
  now = now + 1ns;
  BOOST_TEST(call(2).has_value());
}

BOOST_FIXTURE_TEST_CASE(who_waits_for_an_object_keeps_its_place_while_a_worker_makes_it, Callers) {
  BOOST_REQUIRE(call(1, StreamPurpose::Object));
  now = now + Sessions::object_quiet_max + -1ns;
  BOOST_TEST(!call(2, StreamPurpose::Object));
  now = now + 1ns;
  BOOST_TEST(call(2, StreamPurpose::Object).has_value());
}

BOOST_FIXTURE_TEST_CASE(who_was_heard_since_the_payload_went_out_has_it, Callers) {
  const auto first = call(1);
  send_chunk(*first);
  say_credit(*first);
  now = now + Sessions::quiet_max;
  BOOST_TEST(call(2).has_value());
}

// Its process may have given the first one up, and what says so be on its way yet.
BOOST_FIXTURE_TEST_CASE(from_the_address_of_the_first_a_second_stream_begins_at_once, Callers) {
  BOOST_TEST(call(1).has_value());
  BOOST_TEST(call(1).has_value());
}

BOOST_FIXTURE_TEST_CASE(who_calls_from_where_the_peer_lives_begins_at_once, Callers) {
  knows_it_at(1);
  const auto stranger = call(2);
  BOOST_REQUIRE(stranger);
  BOOST_TEST(!call(3));
  BOOST_TEST(call(1).has_value());
  BOOST_TEST(!call(3));
}

BOOST_FIXTURE_TEST_CASE(streams_of_which_a_peer_may_have_several_keep_no_place, Callers) {
  for (const StreamPurpose purpose :
       {StreamPurpose::Sync, StreamPurpose::Watch, StreamPurpose::Probe}) {
    BOOST_TEST(call(1, purpose).has_value());
    BOOST_TEST(call(2, purpose).has_value());
  }
  BOOST_TEST(call(1, StreamPurpose::Exchange).has_value());
  BOOST_TEST(call(2, StreamPurpose::Object).has_value());
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_over_sends_nothing_and_takes_nothing) {
  Pair pair;
  const StreamId stream = pair.dial(StreamPurpose::Exchange);
  pair.dialler.sessions.close(stream, pair.dialler.effects);
  pair.dialler.effects.clear();
  pair.dialler.sessions.send(credit(stream), pair.dialler.effects);
  BOOST_TEST(pair.dialler.effects.streams.empty());
  Bytes late = record;
  BOOST_TEST(
      !pair.dialler.sessions.take(stream, late, pair.dialler.self, pair.now, pair.dialler.effects));
  BOOST_TEST(late.empty());
}

BOOST_AUTO_TEST_CASE(a_refusal_ends_an_open_stream_with_its_reason) {
  Pair pair;
  const StreamId stream = pair.dial(StreamPurpose::Exchange);
  pair.listener.sessions.refuse({stream.value + 1}, RefusalReason::Malformed, "no such edge", run_a,
                                pair.listener.effects);
  run(pair.dialler, pair.listener, pair.now);
  const auto ended = pair.dialler.last<Sessions::Ended>();
  BOOST_REQUIRE(ended);
  BOOST_TEST(ended->reason == "no such edge");
  BOOST_TEST(ended->was_open);
}

BOOST_AUTO_TEST_SUITE_END()

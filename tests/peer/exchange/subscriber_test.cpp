// The reading half: what own cells read and from whom, what becomes of what arrives, and what is
// late, stale or no owner's to send.
#include "peer/exchange/subscriber.hpp"

#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "peer/exchange/feed.hpp"
#include "peer/exchange/output_words.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::PayloadFault;

BOOST_AUTO_TEST_SUITE(subscribers)

namespace {

using std::chrono::seconds;

constexpr Duration tick{1};
constexpr TimePoint start{seconds(1000)};
constexpr CellIndex own{1};
constexpr EdgeId edge{.source = {0}, .reader = own};
constexpr EdgeId second{.source = {2}, .reader = own};
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
constexpr PeerId self{.high = 9, .low = 1};
constexpr PeerId owner{.high = 9, .low = 2};
constexpr PeerId third{.high = 9, .low = 3};

using Sources = std::vector<EdgeSource>;

wire::PayloadBegin keyframe(std::uint64_t round, std::uint64_t version) {
  return {.edge = edge,
          .transfer = static_cast<std::uint32_t>(round),
          .round = {round},
          .heard = {},
          .version = version,
          .bytes = 10,
          .exact = {}};
}
wire::PayloadBegin difference(std::uint64_t round, std::uint64_t version) {
  wire::PayloadBegin begin = keyframe(round, version);
  begin.base_version = version - 1;
  begin.base_checksum = 100 + version - 1;
  return begin;
}
wire::DirectBegin message(std::uint32_t transfer, std::uint64_t round, std::uint64_t bytes = 10) {
  return {.from = edge.source, .to = own, .transfer = transfer, .round = {round}, .bytes = bytes};
}
Need newest() {
  return {.cell = own, .newest = true, .snapshots = {}, .chunks = {}};
}
Need round_of(CellIndex source, std::uint64_t round, std::optional<Duration> patience = {}) {
  return {.cell = own, .snapshots = {{source, {round}}}, .chunks = {}, .patience = patience};
}

// Cell 1 of this peer, which reads what the test says. Replicas have checksum 100 + version.
struct Desk {
  explicit Desk(ExchangeOptions options = {}) : subscriber(options, self) {}

  Words read(const Sources& sources) {
    subscriber.set_sources(own, sources, now, out);
    return take_words(out);
  }
  Words dialled(std::uint64_t stream, PeerId by = owner) {
    subscriber.on_dialled(by, {stream}, now, out);
    return take_words(out);
  }
  Words close(std::uint64_t stream) {
    subscriber.on_closed({stream}, now);
    return take_words(out);
  }
  template <class Message>
  Words feed(std::uint64_t stream, const Message& message) {
    test::feed(subscriber, {stream}, message, now, out);
    return take_words(out);
  }
  Words chunk(std::uint64_t stream, std::uint64_t transfer, std::size_t bytes = 10,
              std::uint64_t offset = 0) {
    const wire::ChunkHead head{static_cast<std::uint32_t>(transfer), offset};
    feed_bytes(subscriber, {stream}, wire::FrameType::Chunk, chunk_body(head, bytes), now, out);
    return take_words(out);
  }
  Words local(const Begin& begin) {
    subscriber.on_local({.begin = begin, .payload = payload_of(10)}, now, out);
    return take_words(out);
  }
  // The worker's answer to its ApplyPayload.
  Words taken(std::uint64_t round, std::uint64_t version, std::optional<PayloadFault> fault = {}) {
    subscriber.on_taken({.edge = edge,
                         .round = {round},
                         .version = version,
                         .checksum = 100 + version,
                         .fault = fault},
                        now, out);
    return take_words(out);
  }
  // All the way, on stream 1.
  Words apply(const wire::PayloadBegin& begin, std::optional<PayloadFault> fault = {}) {
    BOOST_TEST_REQUIRE(feed(1, begin) == Words{});
    BOOST_TEST_REQUIRE(chunk(1, begin.transfer).size() == 1U);
    return taken(begin.round.index, begin.version, fault);
  }
  Words need(const Need& need) {
    subscriber.on_need(need, now, out);
    return take_words(out);
  }
  Words at(TimePoint time) {
    now = time;
    subscriber.on_time(now, out);
    return take_words(out);
  }
  Words drop() {
    subscriber.drop(own, now, out);
    return take_words(out);
  }
  // Cell 0 is read on stream 1, with nothing held.
  void begin() {
    read({{edge.source, owner}});
    dialled(1);
  }
  EdgeStatistics statistics() const { return subscriber.statistics().at(edge); }

  Subscriber subscriber;
  ExchangeOutput out;
  TimePoint now = start;
};

}  // namespace

// --- What is read, and from whom ---

BOOST_AUTO_TEST_CASE(an_edge_is_opened_its_owner_dialled_and_then_subscribed_to) {
  Desk desk;
  BOOST_TEST(desk.read({{edge.source, owner}, {second.source, owner}}) ==
             Words({"open receiving 0>1", "open receiving 2>1", "dial 2"}));
  BOOST_TEST(desk.dialled(1) == Words({"1: Credit 8388608", "1: Subscribe 0>1 holds v0 degree 2",
                                       "1: Subscribe 2>1 holds v0 degree 2"}));
  BOOST_TEST(desk.read({{edge.source, owner}, {second.source, owner}}) == Words{});
}

BOOST_AUTO_TEST_CASE(a_source_that_is_read_no_more_is_unsubscribed_and_the_last_one_hung_up) {
  Desk desk;
  desk.read({{edge.source, owner}, {second.source, owner}});
  desk.dialled(1);
  BOOST_TEST(desk.read({{second.source, owner}}) ==
             Words({"close receiving 0>1", "1: Unsubscribe 0>1"}));
  BOOST_TEST(desk.subscriber.find(edge) == nullptr);
  BOOST_TEST(desk.read({}) == Words({"close receiving 2>1", "1: Unsubscribe 2>1", "hang up 1"}));
  BOOST_TEST(desk.subscriber.statistics().empty());
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(a_source_whose_owner_changed_keeps_its_replica) {
  Desk desk;
  desk.begin();
  desk.apply(keyframe(1, 1));
  BOOST_TEST(desk.read({{edge.source, third}}) ==
             Words({"1: Unsubscribe 0>1", "dial 3", "hang up 1"}));
  BOOST_TEST(desk.dialled(3, third) ==
             Words({"3: Credit 8388608", "3: Subscribe 0>1 holds v1 degree 1"}));
  BOOST_TEST((desk.subscriber.find(edge)->newest_round() == Round{1}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_dropped_reads_nothing_and_waits_for_nothing) {
  Desk desk;
  desk.begin();
  desk.need(round_of(edge.source, 5, seconds(3)));
  BOOST_TEST(desk.drop() == Words({"close receiving 0>1", "1: Unsubscribe 0>1", "hang up 1"}));
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.drop() == Words{});
}

// It could not be told from what still comes of the first time.
BOOST_AUTO_TEST_CASE(an_edge_that_is_wanted_again_is_subscribed_on_a_new_stream_at_once) {
  Desk desk;
  desk.read({{edge.source, owner}, {second.source, owner}});
  desk.dialled(1);
  desk.read({{second.source, owner}});
  BOOST_TEST(desk.read({{second.source, owner}, {edge.source, owner}}) ==
             Words({"open receiving 0>1", "dial 2", "hang up 1"}));
  BOOST_TEST(desk.dialled(3).size() == 3U);
}

// --- Streams ---

BOOST_AUTO_TEST_CASE(a_stream_that_nobody_wants_when_it_comes_is_hung_up) {
  Desk desk;
  BOOST_TEST(desk.dialled(1) == Words({"hang up 1"}));
  desk.read({{edge.source, owner}});
  desk.read({});
  BOOST_TEST(desk.dialled(3) == Words({"hang up 3"}));
  desk.begin();
  BOOST_TEST(desk.dialled(5) == Words({"hang up 5"}));  // a second one
  BOOST_TEST(desk.apply(keyframe(1, 1)) == Words({"1: PayloadApplied 0>1 v1"}));
}

BOOST_AUTO_TEST_CASE(an_owner_that_could_not_be_reached_is_dialled_again_to_the_tick) {
  Desk desk;
  desk.subscriber.on_dial_failed(owner, start);  // of whom nothing is wanted
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
  desk.read({{edge.source, owner}});
  for (const int wait : {1, 2}) {
    desk.subscriber.on_dial_failed(owner, desk.now);
    const TimePoint again = desk.now + seconds(wait);
    BOOST_TEST((desk.subscriber.wake_at() == again));
    desk.subscriber.on_dial_failed(owner, desk.now);  // there was no second attempt
    BOOST_TEST((desk.subscriber.wake_at() == again));
    BOOST_TEST(desk.at(again + -tick) == Words{});
    BOOST_TEST(desk.at(again) == Words({"dial 2"}));
  }
}

BOOST_AUTO_TEST_CASE(a_broken_stream_loses_what_was_not_whole) {
  Desk desk;
  desk.begin();
  desk.apply(keyframe(1, 1));
  desk.feed(1, difference(2, 2));
  BOOST_TEST(desk.close(1) == Words{});
  BOOST_TEST(desk.chunk(1, 2) == Words{});  // on a stream that is gone
  BOOST_TEST((desk.subscriber.wake_at() == start + OwnerLink::back_off_min));
  BOOST_TEST(desk.at(start + OwnerLink::back_off_min) == Words({"dial 2"}));
  BOOST_TEST(desk.dialled(3) == Words({"3: Credit 8388608", "3: Subscribe 0>1 holds v1 degree 1"}));
}

BOOST_AUTO_TEST_CASE(while_the_worker_applies_what_came_whole_nothing_is_subscribed) {
  Desk desk;
  desk.begin();
  desk.feed(1, keyframe(1, 1));
  BOOST_TEST(desk.chunk(1, 1) == Words({"apply 0>1 round 1.0 v1 bytes 10"}));
  desk.close(1);
  desk.at(start + OwnerLink::back_off_min);
  BOOST_TEST(desk.dialled(3) == Words({"3: Credit 8388608"}));
  BOOST_TEST(desk.taken(1, 1) == Words({"3: Subscribe 0>1 holds v1 degree 1"}));
}

BOOST_AUTO_TEST_CASE(a_stream_on_which_a_payload_stalls_is_given_up_to_the_tick) {
  Desk desk;
  desk.begin();
  desk.feed(1, keyframe(1, 1));
  const TimePoint end = start + IncomingLink::stall_max;
  BOOST_TEST((desk.subscriber.wake_at() == end));
  BOOST_TEST(desk.at(end + -tick) == Words{});
  BOOST_TEST(desk.at(end) == Words({"hang up 1"}));
  BOOST_TEST((desk.subscriber.wake_at() == end + OwnerLink::back_off_min));
}

BOOST_AUTO_TEST_CASE(streams_that_are_not_its_own_change_nothing) {
  Desk desk;
  desk.begin();
  BOOST_TEST(desk.close(77) == Words{});
  BOOST_TEST(desk.feed(77, keyframe(1, 1)) == Words{});
  BOOST_TEST(desk.apply(keyframe(1, 1)) == Words({"1: PayloadApplied 0>1 v1"}));
}

// --- Payloads ---

BOOST_AUTO_TEST_CASE(a_payload_is_applied_when_it_is_whole_and_acknowledged_when_it_is_applied) {
  Desk desk;
  desk.begin();
  BOOST_TEST(desk.feed(1, keyframe(1, 1)) == Words{});
  BOOST_TEST(desk.chunk(1, 1, 4) == Words{});
  BOOST_TEST(desk.chunk(1, 1, 6, 4) == Words({"apply 0>1 round 1.0 v1 bytes 10"}));
  BOOST_TEST(desk.taken(1, 1) == Words({"1: PayloadApplied 0>1 v1"}));
  BOOST_TEST(desk.apply(difference(2, 2)) == Words({"1: PayloadApplied 0>1 v2"}));
  BOOST_TEST(desk.statistics().payloads == 2U);
}

BOOST_AUTO_TEST_CASE(a_difference_from_another_base_is_refused_and_what_comes_of_it_is_dropped) {
  Desk desk;
  desk.begin();
  desk.apply(keyframe(1, 1));
  wire::PayloadBegin other = difference(2, 2);
  other.base_checksum = most;
  BOOST_TEST(desk.feed(1, other) == Words({"1: PayloadRefused 0>1 v2 fault 1"}));
  BOOST_TEST(desk.chunk(1, 2) == Words{});
  BOOST_TEST(desk.apply(keyframe(3, 2)) ==
             Words({"1: PayloadApplied 0>1 v2", "keyframe 0>1 of 2 round 3.0"}));
}

BOOST_AUTO_TEST_CASE(weights_that_are_refused_are_told_with_their_sender_and_damage_is_not) {
  for (const auto& [fault, is_told] :
       {std::pair(PayloadFault::NotFinite, true), std::pair(PayloadFault::OutOfNorm, true),
        std::pair(PayloadFault::Mismatch, false), std::pair(PayloadFault::Corrupt, false)}) {
    Desk desk;
    desk.begin();
    const std::string number = std::to_string(int(fault));
    Words expected{"1: PayloadRefused 0>1 v1 fault " + number};
    if (is_told) expected.push_back("fault 0>1 of 2: " + number);
    BOOST_TEST(desk.apply(keyframe(1, 1), fault) == expected);
    BOOST_TEST(!desk.subscriber.find(edge)->newest_round());
  }
}

BOOST_AUTO_TEST_CASE(only_a_keyframe_in_place_of_something_is_told) {
  Desk desk;
  desk.begin();
  desk.apply(keyframe(1, 1));
  BOOST_TEST(desk.apply(keyframe(2, 5), PayloadFault::Corrupt) ==
             Words({"1: PayloadRefused 0>1 v5 fault 2"}));
  BOOST_TEST(desk.apply(keyframe(3, 5)) ==
             Words({"1: PayloadApplied 0>1 v5", "keyframe 0>1 of 2 round 3.0"}));
}

// Else it would be taken for one of the new beginning.
BOOST_AUTO_TEST_CASE(the_reports_of_edges_that_ended_are_dropped_each_once) {
  Desk desk;
  for (const std::uint64_t stream : {1U, 3U}) {
    desk.read({{edge.source, owner}});
    desk.dialled(stream);
    desk.feed(stream, keyframe(stream, 1));
    BOOST_TEST(desk.chunk(stream, stream).size() == 1U);
    desk.read({});
  }
  desk.read({{edge.source, owner}});
  desk.dialled(5);
  desk.feed(5, keyframe(5, 1));
  desk.chunk(5, 5);
  BOOST_TEST(desk.taken(1, 1) == Words{});
  BOOST_TEST(desk.taken(3, 1, PayloadFault::NotFinite) == Words{});
  BOOST_TEST(desk.statistics().payloads == 0U);
  BOOST_TEST(desk.taken(5, 1) == Words({"5: PayloadApplied 0>1 v1"}));
}

BOOST_AUTO_TEST_CASE(what_still_comes_of_an_edge_that_was_given_up_is_dropped) {
  Desk desk;
  desk.read({{edge.source, owner}, {second.source, owner}});
  desk.dialled(1);
  desk.feed(1, keyframe(1, 1));
  desk.read({{second.source, owner}});
  BOOST_TEST(desk.chunk(1, 1) == Words{});
  BOOST_TEST(desk.feed(1, keyframe(2, 1)) == Words{});
  BOOST_TEST(desk.chunk(1, 2) == Words{});
  BOOST_TEST(desk.feed(1, message(3, 1)) == Words{});
  BOOST_TEST(desk.chunk(1, 3) == Words{});
}

// --- Quarantine ---

BOOST_AUTO_TEST_CASE(the_third_fault_is_answered_after_a_minute_to_the_tick) {
  Desk desk;
  desk.begin();
  BOOST_TEST(desk.apply(keyframe(1, 1), PayloadFault::Corrupt).size() == 1U);
  BOOST_TEST(desk.apply(keyframe(2, 2), PayloadFault::Corrupt).size() == 1U);
  BOOST_TEST(desk.apply(keyframe(3, 3), PayloadFault::Corrupt) == Words{});
  const TimePoint end = start + ReceivingEdgeState::quarantine;
  BOOST_TEST((desk.subscriber.wake_at() == end));
  BOOST_TEST(desk.at(end + -tick) == Words{});
  BOOST_TEST(desk.at(end) == Words({"1: PayloadRefused 0>1 v3 fault 2"}));
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.apply(keyframe(4, 4)) == Words({"1: PayloadApplied 0>1 v4"}));
}

BOOST_AUTO_TEST_CASE(a_sender_that_does_not_wait_for_the_answer_commits_an_offence) {
  Desk desk;
  desk.begin();
  for (const std::uint64_t round : {1U, 2U, 3U})
    desk.apply(keyframe(round, round), PayloadFault::Corrupt);
  BOOST_TEST(desk.feed(1, keyframe(4, 4)) == Words({"hang up 1", "offence on 1"}));
}

BOOST_AUTO_TEST_CASE(a_new_stream_does_not_end_a_quarantine_and_a_new_owner_does) {
  Desk desk;
  desk.begin();
  for (const std::uint64_t round : {1U, 2U, 3U})
    desk.apply(keyframe(round, round), PayloadFault::Corrupt);
  desk.close(1);
  BOOST_TEST(desk.at(start + seconds(1)) == Words({"dial 2"}));
  BOOST_TEST(desk.dialled(3) == Words({"3: Credit 8388608"}));
  BOOST_TEST(desk.at(start + ReceivingEdgeState::quarantine) ==
             Words({"3: Subscribe 0>1 holds v0 degree 1"}));
  for (const std::uint64_t round : {1U, 2U, 3U}) {
    desk.feed(3, keyframe(round, round));
    desk.chunk(3, round);
    desk.taken(round, round, PayloadFault::Corrupt);
  }
  desk.read({{edge.source, third}});
  BOOST_TEST(desk.dialled(5, third) ==
             Words({"5: Credit 8388608", "5: Subscribe 0>1 holds v0 degree 1"}));
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
}

// --- Needs ---

BOOST_AUTO_TEST_CASE(a_need_for_the_newest_is_met_with_what_is_held) {
  Desk desk;
  desk.begin();
  BOOST_TEST(desk.need(newest()) == Words({"advance 1"}));
  desk.apply(keyframe(1, 1));
  BOOST_TEST(desk.need(newest()) == Words({"advance 1 with 0>1 at 1.0"}));
}

BOOST_AUTO_TEST_CASE(a_need_for_a_round_is_met_when_it_was_applied) {
  Desk desk;
  desk.begin();
  BOOST_TEST(desk.need(round_of(edge.source, 2)) == Words{});
  desk.apply(keyframe(1, 1));
  BOOST_TEST(desk.apply(difference(2, 2)) ==
             Words({"advance 1 with 0>1 at 2.0", "1: PayloadApplied 0>1 v2"}));
}

BOOST_AUTO_TEST_CASE(a_patience_ends_to_the_tick) {
  Desk desk;
  desk.begin();
  desk.apply(keyframe(1, 1));
  desk.need(round_of(edge.source, 5, seconds(3)));
  const TimePoint end = start + seconds(3);
  BOOST_TEST((desk.subscriber.wake_at() == end));
  BOOST_TEST(desk.at(end + -tick) == Words{});
  BOOST_TEST(desk.at(end) == Words({"advance 1 too late"}));
  BOOST_TEST((desk.subscriber.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(in_synchronous_mode_a_payload_waits_for_the_round_that_it_would_push_out) {
  for (const bool synchronous : {true, false}) {
    Desk desk({.synchronous = synchronous});
    desk.begin();
    desk.apply(keyframe(1, 1));
    desk.apply(difference(2, 2));
    desk.feed(1, difference(3, 3));
    const Words applies{"apply 0>1 round 3.0 v3 bytes 10"};
    BOOST_TEST(desk.chunk(1, 3) == (synchronous ? Words{} : applies));
    if (!synchronous) continue;
    BOOST_TEST(desk.need(round_of(edge.source, 1)) ==
               Words({"advance 1 with 0>1 at 1.0", "apply 0>1 round 3.0 v3 bytes 10"}));
  }
}

// --- Messages between cells ---

BOOST_AUTO_TEST_CASE(a_message_is_given_to_its_cell_once_though_it_comes_again) {
  Desk desk;
  desk.begin();
  desk.feed(1, message(1, 5));
  BOOST_TEST(desk.chunk(1, 1) == Words{});
  desk.close(1);
  desk.at(start + seconds(1));
  desk.dialled(3);
  desk.feed(3, message(1, 5));
  desk.chunk(3, 1);
  BOOST_TEST(desk.need(newest()) == Words({"advance 1 message of 0 at 5.0"}));
  BOOST_TEST(desk.need(newest()) == Words({"advance 1"}));
}

BOOST_AUTO_TEST_CASE(a_message_may_be_empty_and_meets_a_need_when_it_is_whole) {
  Desk desk;
  desk.begin();
  desk.need({.cell = own, .snapshots = {}, .chunks = {{edge.source, {6}}}});
  BOOST_TEST(desk.feed(1, message(1, 6, 0)) == Words{});
  BOOST_TEST(desk.chunk(1, 1, 0) == Words({"advance 1 message of 0 at 6.0"}));
}

// --- Between own cells ---

BOOST_AUTO_TEST_CASE(an_own_source_is_spoken_to_without_a_stream) {
  Desk desk;
  BOOST_TEST(desk.read({{edge.source, self}}) == Words({"open receiving 0>1"}));
  auto said = desk.subscriber.take_local();
  BOOST_TEST_REQUIRE(said.size() == 1U);
  BOOST_TEST((std::get<wire::Subscribe>(said[0]) == wire::Subscribe{.edge = edge, .degree = 1}));
  BOOST_TEST(desk.local(keyframe(1, 1)) == Words({"apply 0>1 round 1.0 v1 bytes 10"}));
  BOOST_TEST(desk.taken(1, 1) == Words{});
  said = desk.subscriber.take_local();
  BOOST_TEST_REQUIRE(said.size() == 1U);
  BOOST_TEST((std::get<wire::PayloadApplied>(said[0]) == wire::PayloadApplied{edge, 1}));
  BOOST_TEST(desk.local(difference(5, 5)) == Words{});  // from what is not held
  said = desk.subscriber.take_local();
  BOOST_TEST_REQUIRE(said.size() == 1U);
  BOOST_TEST((std::get<wire::PayloadRefused>(said[0]) ==
              wire::PayloadRefused{edge, 5, PayloadFault::Mismatch}));
  BOOST_TEST(desk.local(message(0, 4)) == Words{});
  BOOST_TEST(desk.need(newest()) == Words({"advance 1 with 0>1 at 1.0 message of 0 at 4.0"}));
}

BOOST_AUTO_TEST_CASE(what_comes_too_late_from_an_own_source_is_dropped) {
  Desk desk;
  desk.read({{edge.source, self}});
  desk.read({{edge.source, owner}});
  BOOST_TEST(desk.subscriber.take_local().size() == 2U);  // Subscribe, Unsubscribe
  BOOST_TEST(desk.local(keyframe(1, 1)) == Words{});
  desk.drop();
  BOOST_TEST(desk.local(keyframe(1, 1)) == Words{});
  BOOST_TEST(desk.local(message(0, 4)) == Words{});
}

// --- What no owner sends ---

BOOST_AUTO_TEST_CASE(what_breaks_the_protocol_ends_the_stream_until_it_is_dialled_again) {
  const auto payload = [](const std::function<void(wire::PayloadBegin&)>& change) {
    return [change](Desk& a) {
      wire::PayloadBegin begin = keyframe(2, 2);
      change(begin);
      return a.feed(1, begin);
    };
  };
  const auto along = [](CellIndex from, CellIndex to) {
    return [from, to](Desk& a) {
      wire::DirectBegin begin = message(2, 2);
      begin.from = from;
      begin.to = to;
      return a.feed(1, begin);
    };
  };
  const std::vector<std::function<Words(Desk&)>> offences = {
      payload([](wire::PayloadBegin& begin) { begin.edge = second; }),
      payload([](wire::PayloadBegin& begin) { begin.edge = {.source = own, .reader = own}; }),
      payload([](wire::PayloadBegin& begin) { begin.bytes = 0; }),
      payload([](wire::PayloadBegin& begin) { begin.bytes = 101; }),
      payload([](wire::PayloadBegin& begin) { begin.version = 0; }),
      payload([](wire::PayloadBegin& begin) { begin.base_version = begin.version = most; }),
      along(second.source, own),
      along(edge.source, second.source),
      [](Desk& a) { return a.feed(1, message(2, 2, 101)); },
      [](Desk& a) { return a.chunk(1, 99); },
      [](Desk& a) { return a.feed(1, wire::Subscribe{.edge = edge}); },
      [](Desk& a) { return a.feed(1, wire::Credit{1}); },
      [](Desk& a) {
        a.feed(1, keyframe(2, 2));
        return a.feed(1, keyframe(3, 3));
      },
      [](Desk& a) {
        a.feed(1, message(2, 2));
        return a.feed(1, message(3, 3));
      },
      [](Desk& a) {
        feed_bytes(a.subscriber, {1}, wire::FrameType::PayloadBegin, ByteBuffer(3), a.now, a.out);
        return take_words(a.out);
      },
  };
  for (std::size_t i = 0; i < offences.size(); ++i) {
    BOOST_TEST_CONTEXT("offence " << i) {
      Desk desk({.payload_bytes_max = 100});
      desk.begin();
      desk.apply(keyframe(1, 1));
      BOOST_TEST(offences[i](desk) == Words({"hang up 1", "offence on 1"}));
      BOOST_TEST(desk.feed(1, keyframe(9, 9)) == Words{});
      BOOST_TEST(desk.at(start + OwnerLink::back_off_min) == Words({"dial 2"}));
      BOOST_TEST(desk.dialled(3) ==
                 Words({"3: Credit 8388608", "3: Subscribe 0>1 holds v1 degree 1"}));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_largest_of_what_may_be_sent_is_taken) {
  Desk desk({.payload_bytes_max = 100});
  desk.begin();
  wire::PayloadBegin begin = keyframe(1, most);
  begin.bytes = 100;
  begin.round = {most, std::numeric_limits<std::uint32_t>::max()};
  begin.transfer = std::numeric_limits<std::uint32_t>::max();
  BOOST_TEST(desk.feed(1, begin) == Words{});
  BOOST_TEST(desk.feed(1, message(7, most, 100)) == Words{});
  BOOST_TEST(desk.chunk(1, begin.transfer, 100).size() == 1U);
  BOOST_TEST(desk.taken(most, most) == Words({"1: PayloadApplied 0>1 v18446744073709551615"}));
  BOOST_TEST(desk.chunk(1, 7, 100) == Words{});
  // After it only a keyframe can come, which may begin the count anew.
  BOOST_TEST(desk.apply(keyframe(2, 1)).front() == "1: PayloadApplied 0>1 v1");
}

BOOST_AUTO_TEST_SUITE_END()

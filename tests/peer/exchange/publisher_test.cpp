// The publishing half: who is served along an edge, what they get next, and what is late, stale or
// no reader's to say.
#include "peer/exchange/publisher.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <functional>
#include <limits>

#include "peer/exchange/feed.hpp"
#include "peer/exchange/output_words.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::PayloadFault;

BOOST_AUTO_TEST_SUITE(publishers)

namespace {

using std::chrono::seconds;

constexpr Duration tick{1};
constexpr TimePoint start{seconds(1000)};
constexpr CellIndex own{1};
constexpr EdgeId edge{.source = own, .reader = {0}};
constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();

constexpr PeerId peer_of(std::uint64_t number) {
  return {.high = 9, .low = number};
}

// Cell 1 of this peer, read by cell 0 of others. Replicas have checksum 100 + version.
struct Desk {
  explicit Desk(bool synchronous = false) : publisher({.synchronous = synchronous}) {}

  Words accept(std::uint64_t stream, std::uint64_t reader, std::uint64_t credit = 1 << 20) {
    publisher.on_accepted(peer_of(reader), {stream}, now, out);
    test::feed(publisher, {stream}, wire::Credit{credit}, now, out);
    return take_words(out);
  }
  template <class Message>
  Words feed(std::uint64_t stream, const Message& message) {
    test::feed(publisher, {stream}, message, now, out);
    return take_words(out);
  }
  Words subscribe(std::uint64_t stream, EdgeVersion held = {}, std::uint16_t degree = 0) {
    return feed(stream, wire::Subscribe{edge, held.version, held.checksum, degree});
  }
  Words unsubscribe(std::uint64_t stream) { return feed(stream, wire::Unsubscribe{edge}); }
  Words applied(std::uint64_t stream, std::uint64_t version) {
    return feed(stream, wire::PayloadApplied{edge, version});
  }
  Words refused(std::uint64_t stream, std::uint64_t version, PayloadFault fault) {
    return feed(stream, wire::PayloadRefused{edge, version, fault});
  }
  Words local(const ReaderMessage& message) {
    publisher.on_local(message, now, out);
    return take_words(out);
  }
  Words close(std::uint64_t stream) {
    publisher.on_closed({stream}, now, out);
    return take_words(out);
  }
  Words publish(std::uint64_t round) {
    publisher.on_published({.cell = own, .round = {round}}, out);
    return take_words(out);
  }
  // A report of the worker: the first state or a keyframe, or else a difference.
  Words whole(std::uint64_t round, std::uint64_t version) { return encoded(round, version, 0); }
  Words difference(std::uint64_t round, std::uint64_t version) {
    return encoded(round, version, version - 1);
  }
  Words encoded(std::uint64_t round, std::uint64_t version, std::uint64_t base) {
    publisher.on_encoded({.edge = edge,
                          .round = {round},
                          .base_version = base,
                          .base_checksum = base == 0 ? 0 : 100 + base,
                          .version = version,
                          .checksum = 100 + version,
                          .heard = {},
                          .payload = payload_of(10),
                          .exact = {}},
                         out);
    return take_words(out);
  }
  Words direct(std::uint64_t round) {
    publisher.on_direct(
        {.from = own, .to = edge.reader, .round = {round}, .payload = payload_of(20)}, out);
    return take_words(out);
  }
  Words drop() {
    publisher.drop(own, out);
    return take_words(out);
  }
  Words at(TimePoint time) {
    now = time;
    publisher.on_time(now, out);
    return take_words(out);
  }
  // A reader on stream 2 that was sent round 1 as version 1, and said that it applied it.
  void serve() {
    accept(2, 2);
    subscribe(2);
    publish(1);
    whole(1, 1);
    BOOST_TEST_REQUIRE(applied(2, 1) == Words{});
  }

  Publisher publisher;
  ExchangeOutput out;
  TimePoint now = start;
};

}  // namespace

// --- What a reader gets ---

BOOST_AUTO_TEST_CASE(a_subscription_waits_for_the_first_publication) {
  Desk desk;
  BOOST_TEST(desk.accept(2, 2) == Words{});
  BOOST_TEST(desk.subscribe(2) == Words{});
  desk.publisher.set_degree(own, 4);
  BOOST_TEST(desk.publish(1) == Words({"open sending 1>0", "encode 1>0 keyframe"}));
  BOOST_TEST(desk.whole(1, 1) ==
             Words({"2: PayloadBegin 1>0 transfer 1 round 1.0 v0-v1 bytes 10 degree 4",
                    "2: Chunk 1 at 0 bytes 10"}));
}

BOOST_AUTO_TEST_CASE(one_payload_is_on_its_way_and_the_next_is_encoded_when_it_is_acknowledged) {
  Desk desk;
  desk.serve();
  BOOST_TEST(desk.publish(2) == Words({"encode 1>0"}));
  BOOST_TEST(desk.publish(3) == Words{});
  BOOST_TEST(desk.difference(3, 2) ==
             Words({"2: PayloadBegin 1>0 transfer 2 round 3.0 v1-v2 bytes 10 degree 0",
                    "2: Chunk 2 at 0 bytes 10"}));
  BOOST_TEST(desk.publish(4) == Words{});
  BOOST_TEST(desk.applied(2, 2) == Words({"encode 1>0"}));
}

BOOST_AUTO_TEST_CASE(in_synchronous_mode_who_comes_late_gets_the_last_two_rounds_in_turn) {
  Desk desk(true);
  for (const std::uint64_t round : {1U, 2U, 3U}) BOOST_TEST(desk.publish(round) == Words{});
  desk.accept(2, 2);
  BOOST_TEST(desk.subscribe(2) == Words({"open sending 1>0", "encode 1>0 round 2.0 keyframe"}));
  desk.whole(2, 1);
  BOOST_TEST(desk.applied(2, 1) == Words({"encode 1>0 round 3.0"}));
}

BOOST_AUTO_TEST_CASE(who_holds_the_largest_of_numbers_gets_a_keyframe) {
  Desk desk;
  desk.publish(1);
  desk.accept(2, 2);
  BOOST_TEST(desk.subscribe(2, {most, most}) == Words({"open sending 1>0", "encode 1>0 keyframe"}));
}

BOOST_AUTO_TEST_CASE(the_bytes_of_payloads_and_messages_to_others_are_counted) {
  Desk desk;
  BOOST_TEST(desk.publisher.sent_bytes(own) == 0U);
  desk.serve();
  BOOST_TEST(desk.publisher.sent_bytes(own) == 10U);
  desk.direct(5);
  BOOST_TEST(desk.publisher.sent_bytes(own) == 30U);
  BOOST_TEST(desk.publisher.sent_bytes(edge.reader) == 0U);
  desk.drop();
  BOOST_TEST(desk.publisher.sent_bytes(own) == 0U);
}

BOOST_AUTO_TEST_CASE(a_payload_that_is_refused_or_unsubscribed_is_sent_no_further) {
  for (const bool is_refused : {true, false}) {
    Desk desk;
    desk.accept(2, 2, 0);
    desk.subscribe(2);
    desk.publish(1);
    BOOST_TEST(desk.whole(1, 1).size() == 1U);  // what it begins with
    if (is_refused)
      desk.refused(2, 1, PayloadFault::Corrupt);
    else
      desk.unsubscribe(2);
    BOOST_TEST(desk.feed(2, wire::Credit{1000}) == Words{});
  }
}

// --- A cell that goes away, and what is still to come of it ---

BOOST_AUTO_TEST_CASE(a_subscription_stays_while_the_cell_is_away) {
  Desk desk;
  desk.serve();
  BOOST_TEST(desk.drop() == Words({"close sending 1>0"}));
  BOOST_TEST(desk.drop() == Words{});
  BOOST_TEST(desk.publish(9) == Words({"open sending 1>0", "encode 1>0 keyframe"}));
}

BOOST_AUTO_TEST_CASE(the_reports_of_ends_that_were_closed_are_dropped_each_once) {
  Desk desk;
  desk.accept(2, 2);
  desk.subscribe(2);
  desk.publish(1);
  desk.drop();
  desk.publish(5);
  desk.drop();
  BOOST_TEST(desk.publish(6) == Words({"open sending 1>0", "encode 1>0 keyframe"}));
  BOOST_TEST(desk.whole(1, 1) == Words{});
  BOOST_TEST(desk.whole(5, 1) == Words{});
  BOOST_TEST(desk.whole(6, 1).front() ==
             "2: PayloadBegin 1>0 transfer 1 round 6.0 v0-v1 bytes 10 degree 0");
}

BOOST_AUTO_TEST_CASE(an_answer_that_was_due_when_the_cell_went_is_awaited_when_it_is_back) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.drop();
  BOOST_TEST(desk.publish(7) == Words({"open sending 1>0"}));
  BOOST_TEST(desk.applied(2, 2) == Words({"encode 1>0 keyframe"}));
}

// --- Seats ---

BOOST_AUTO_TEST_CASE(of_two_readers_the_later_is_served_and_the_other_after_it) {
  Desk desk;
  desk.accept(2, 2);
  desk.accept(4, 3);
  desk.subscribe(2, {}, 5);
  desk.subscribe(4, {}, 6);
  BOOST_TEST((desk.publisher.reader_degree(edge) == 6));
  desk.publish(1);
  BOOST_TEST(desk.whole(1, 1).front() ==
             "4: PayloadBegin 1>0 transfer 1 round 1.0 v0-v1 bytes 10 degree 0");
  // A keyframe fits anybody, and the first has nothing yet.
  BOOST_TEST(desk.close(4) ==
             Words({"2: PayloadBegin 1>0 transfer 1 round 1.0 v0-v1 bytes 10 degree 0",
                    "2: Chunk 1 at 0 bytes 10"}));
  BOOST_TEST((desk.publisher.reader_degree(edge) == 5));
}

BOOST_AUTO_TEST_CASE(who_was_served_before_is_believed_later_and_gets_nothing_meanwhile) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.accept(4, 3);
  desk.subscribe(4);
  BOOST_TEST(desk.applied(2, 2) == Words{});
  desk.whole(2, 2);  // the keyframe, for the later one
  desk.applied(4, 2);
  BOOST_TEST(desk.unsubscribe(4) == Words{});
  BOOST_TEST(desk.publish(3) == Words({"encode 1>0"}));  // the first holds version 2 as well
}

BOOST_AUTO_TEST_CASE(an_own_cell_is_served_before_all_others) {
  Desk desk;
  desk.accept(2, 2);
  desk.publish(1);
  BOOST_TEST(desk.local(wire::Subscribe{.edge = edge, .degree = 3}) ==
             Words({"open sending 1>0", "encode 1>0 keyframe"}));
  BOOST_TEST(desk.subscribe(2, {}, 8) == Words{});
  BOOST_TEST((desk.publisher.reader_degree(edge) == 3));
  BOOST_TEST(desk.whole(1, 1) == Words{});
  const auto arrivals = desk.publisher.take_local();
  BOOST_TEST_REQUIRE(arrivals.size() == 1U);
  BOOST_TEST(std::get<wire::PayloadBegin>(arrivals[0].begin).version == 1U);
  BOOST_TEST(arrivals[0].payload->size() == 10U);
  BOOST_TEST(desk.publisher.take_local().empty());
  BOOST_TEST(desk.publisher.sent_bytes(own) == 0U);
  BOOST_TEST(desk.local(wire::PayloadApplied{edge, 1}) == Words{});
  BOOST_TEST(desk.local(wire::Unsubscribe{edge}) == Words({"encode 1>0 keyframe"}));
  BOOST_TEST(desk.whole(1, 1).front() ==
             "2: PayloadBegin 1>0 transfer 1 round 1.0 v0-v1 bytes 10 degree 0");
}

BOOST_AUTO_TEST_CASE(an_edge_that_nobody_reads_has_no_degree) {
  Desk desk;
  BOOST_TEST(!desk.publisher.reader_degree(edge));
  desk.accept(2, 2);
  desk.subscribe(2, {}, 5);
  BOOST_TEST((desk.publisher.reader_degree(edge) == 5));
  BOOST_TEST(!desk.publisher.reader_degree({.source = own, .reader = {7}}));
  desk.unsubscribe(2);
  BOOST_TEST(!desk.publisher.reader_degree(edge));
}

// --- Readers that are lost ---

BOOST_AUTO_TEST_CASE(the_replica_of_a_lost_reader_is_kept_for_five_minutes_to_the_tick) {
  Desk desk;
  desk.serve();
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.close(2) == Words{});
  const TimePoint end = start + Publisher::lost_reader_patience;
  BOOST_TEST((desk.publisher.wake_at() == end));
  BOOST_TEST(desk.at(end + -tick) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == end));
  BOOST_TEST(desk.at(end) == Words({"close sending 1>0"}));
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(a_reader_that_comes_back_in_time_goes_on_with_a_difference) {
  Desk desk;
  desk.serve();
  desk.close(2);
  desk.now = start + Publisher::lost_reader_patience + -tick;
  desk.accept(4, 2);
  BOOST_TEST(desk.subscribe(4, {1, 101}) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.at(start + Publisher::lost_reader_patience) == Words{});
  BOOST_TEST(desk.publish(2) == Words({"encode 1>0"}));
}

BOOST_AUTO_TEST_CASE(what_was_on_its_way_is_kept_for_a_reader_that_comes_back) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.close(2);
  desk.accept(4, 2);
  BOOST_TEST(desk.subscribe(4, {1, 101}).front() ==
             "4: PayloadBegin 1>0 transfer 1 round 2.0 v1-v2 bytes 10 degree 0");
}

BOOST_AUTO_TEST_CASE(a_reader_that_unsubscribes_is_not_waited_for) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  BOOST_TEST(desk.unsubscribe(2) == Words({"close sending 1>0"}));
  BOOST_TEST(desk.applied(2, 2) == Words{});  // they crossed
  BOOST_TEST(desk.refused(2, 2, PayloadFault::Mismatch) == Words{});
  BOOST_TEST(desk.unsubscribe(2) == Words{});
  BOOST_TEST(desk.close(2) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
}

// --- Refusals ---

BOOST_AUTO_TEST_CASE(what_was_refused_for_good_is_offered_again_after_ten_seconds_to_the_tick) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  BOOST_TEST(desk.refused(2, 2, PayloadFault::OutOfNorm) == Words{});
  const TimePoint again = start + Publisher::refusal_pause;
  BOOST_TEST((desk.publisher.wake_at() == again));
  BOOST_TEST(desk.at(again + -tick) == Words{});
  BOOST_TEST(desk.at(again) == Words({"encode 1>0 keyframe"}));
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(or_with_the_next_round) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.refused(2, 2, PayloadFault::NotFinite);
  BOOST_TEST(desk.publish(3) == Words({"encode 1>0"}));
  BOOST_TEST(desk.difference(3, 3) == Words({"encode 1>0 keyframe"}));
  BOOST_TEST(desk.at(start + Publisher::refusal_pause) == Words{});  // it is being encoded
}

BOOST_AUTO_TEST_CASE(a_difference_that_does_not_fit_is_mended_at_once_and_a_keyframe_later) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  BOOST_TEST(desk.refused(2, 2, PayloadFault::Mismatch) == Words({"encode 1>0 keyframe"}));
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  desk.whole(2, 2);
  BOOST_TEST(desk.refused(2, 2, PayloadFault::Mismatch) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == start + Publisher::refusal_pause));
}

BOOST_AUTO_TEST_CASE(an_end_that_is_closed_in_the_pause_is_not_tried_again) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.refused(2, 2, PayloadFault::OutOfNorm);
  desk.drop();
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.at(start + Publisher::refusal_pause) == Words{});
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_lost_in_the_pause_is_sent_nothing_when_it_ends) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.refused(2, 2, PayloadFault::OutOfNorm);
  desk.close(2);
  BOOST_TEST(desk.at(start + Publisher::refusal_pause) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == start + Publisher::lost_reader_patience));
}

// --- Messages between cells ---

BOOST_AUTO_TEST_CASE(messages_wait_for_a_reader_and_go_one_at_a_time) {
  Desk desk;
  BOOST_TEST(desk.direct(5) == Words{});
  BOOST_TEST(desk.direct(6) == Words{});
  desk.accept(2, 2, 0);
  BOOST_TEST(desk.subscribe(2) == Words({"2: DirectBegin 1>0 transfer 1 round 5.0 bytes 20"}));
  BOOST_TEST(
      desk.feed(2, wire::Credit{20}) ==
      Words({"2: Chunk 1 at 0 bytes 20", "2: DirectBegin 1>0 transfer 2 round 6.0 bytes 20"}));
  BOOST_TEST(desk.feed(2, wire::Credit{20}) == Words({"2: Chunk 2 at 0 bytes 20"}));
}

BOOST_AUTO_TEST_CASE(messages_go_again_to_whoever_subscribes_next) {
  Desk desk;
  desk.serve();
  BOOST_TEST(desk.direct(5).size() == 2U);
  desk.close(2);
  desk.accept(4, 2);
  BOOST_TEST(
      desk.subscribe(4, {1, 101}) ==
      Words({"4: DirectBegin 1>0 transfer 1 round 5.0 bytes 20", "4: Chunk 1 at 0 bytes 20"}));
}

BOOST_AUTO_TEST_CASE(messages_are_forgotten_with_their_cell_or_when_their_reader_wants_no_more) {
  for (const bool is_dropped : {true, false}) {
    Desk desk;
    desk.serve();
    desk.direct(5);
    if (is_dropped)
      desk.drop();
    else
      desk.unsubscribe(2);
    desk.close(2);
    desk.accept(4, 2);
    const Words words = desk.subscribe(4);
    BOOST_TEST(std::ranges::count_if(words, [](const std::string& word) {
                 return word.find("DirectBegin") != std::string::npos;
               }) == 0);
  }
}

BOOST_AUTO_TEST_CASE(a_message_within_the_process_is_handed_over) {
  Desk desk;
  desk.local(wire::Subscribe{.edge = edge});
  BOOST_TEST(desk.direct(5) == Words{});
  const auto arrivals = desk.publisher.take_local();
  BOOST_TEST_REQUIRE(arrivals.size() == 1U);
  BOOST_TEST((std::get<wire::DirectBegin>(arrivals[0].begin).round == Round{5}));
  BOOST_TEST(desk.publisher.sent_bytes(own) == 0U);
}

// --- Streams ---

BOOST_AUTO_TEST_CASE(a_stream_without_a_subscription_is_hung_up_after_a_minute_to_the_tick) {
  Desk desk;
  desk.accept(2, 2);
  BOOST_TEST((desk.publisher.wake_at() == start + Publisher::idle_max));
  BOOST_TEST(desk.at(start + Publisher::idle_max + -tick) == Words{});
  BOOST_TEST(desk.at(start + Publisher::idle_max) == Words({"hang up 2"}));
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
}

BOOST_AUTO_TEST_CASE(the_minute_begins_anew_when_the_last_subscription_ends) {
  Desk desk;
  desk.accept(2, 2);
  desk.now = start + seconds(59);
  desk.subscribe(2);
  desk.feed(2, wire::Subscribe{.edge = {.source = own, .reader = {3}}});
  BOOST_TEST(desk.at(start + seconds(1000)) == Words{});
  desk.unsubscribe(2);
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  desk.feed(2, wire::Unsubscribe{{.source = own, .reader = {3}}});
  BOOST_TEST((desk.publisher.wake_at() == desk.now + Publisher::idle_max));
}

BOOST_AUTO_TEST_CASE(a_second_stream_of_one_reader_takes_the_first_ones_place) {
  Desk desk;
  desk.serve();
  BOOST_TEST(desk.accept(4, 3) == Words{});  // another's
  BOOST_TEST(desk.accept(6, 2) == Words({"hang up 2"}));
  BOOST_TEST(desk.applied(2, 1) == Words{});
  BOOST_TEST(desk.subscribe(6, {1, 101}) == Words{});
  BOOST_TEST(desk.publish(2) == Words({"encode 1>0"}));
}

BOOST_AUTO_TEST_CASE(streams_that_are_not_its_own_change_nothing) {
  Desk desk;
  desk.serve();
  BOOST_TEST(desk.close(77) == Words{});
  BOOST_TEST(desk.subscribe(77) == Words{});
  BOOST_TEST((desk.publisher.wake_at() == TimePoint::never()));
  BOOST_TEST(desk.publish(2) == Words({"encode 1>0"}));
}

// --- What no reader says ---

BOOST_AUTO_TEST_CASE(what_breaks_the_protocol_ends_the_stream_and_nothing_else) {
  const Words hung_up{"hang up 2", "offence on 2"};
  const std::vector<std::function<Words(Desk&)>> offences = {
      [](Desk& a) { return a.subscribe(2); },
      [](Desk& a) { return a.applied(2, 1); },
      [](Desk& a) { return a.applied(2, 0); },
      [](Desk& a) { return a.applied(2, most); },
      [](Desk& a) { return a.refused(2, most, PayloadFault::Mismatch); },
      [](Desk& a) { return a.feed(2, wire::Unsubscribe{{.source = own, .reader = {9}}}); },
      [](Desk& a) { return a.feed(2, wire::PayloadApplied{{.source = {9}, .reader = {0}}, 1}); },
      [](Desk& a) { return a.feed(2, wire::Credit{wire::credit_bytes_max}); },
      [](Desk& a) { return a.feed(2, wire::Credit{most}); },
      [](Desk& a) { return a.feed(2, wire::ChunkHead{1, 0}); },
      [](Desk& a) {
        feed_bytes(a.publisher, {2}, wire::FrameType::Subscribe, ByteBuffer(3), a.now, a.out);
        return take_words(a.out);
      },
  };
  for (std::size_t i = 0; i < offences.size(); ++i) {
    BOOST_TEST_CONTEXT("offence " << i) {
      Desk desk;
      desk.serve();
      BOOST_TEST(offences[i](desk) == hung_up);
      BOOST_TEST(desk.applied(2, 1) == Words{});  // on a stream that is gone
      // Its reader is lost as by a break.
      BOOST_TEST((desk.publisher.wake_at() == start + Publisher::lost_reader_patience));
      desk.accept(4, 2);
      BOOST_TEST(desk.subscribe(4, {1, 101}) == Words{});
      BOOST_TEST(desk.publish(2) == Words({"encode 1>0"}));
    }
  }
}

BOOST_AUTO_TEST_CASE(an_answer_by_who_was_sent_nothing_is_an_offence_though_another_was) {
  Desk desk;
  desk.serve();
  desk.publish(2);
  desk.difference(2, 2);
  desk.accept(4, 3);
  desk.subscribe(4);  // a keyframe is encoded for it
  BOOST_TEST(desk.applied(4, 2) == Words({"hang up 4", "offence on 4"}));
}

BOOST_AUTO_TEST_CASE(subscriptions_that_ended_count_in_the_life_of_a_stream) {
  Desk desk;
  desk.accept(2, 2);
  const auto nth = [](std::size_t n) {
    return EdgeId{.source = own, .reader = {static_cast<std::uint32_t>(n)}};
  };
  for (std::size_t n = 0; n < wire::subscriptions_max; ++n) {
    BOOST_TEST_REQUIRE(desk.feed(2, wire::Subscribe{.edge = nth(n)}) == Words{});
    BOOST_TEST_REQUIRE(desk.feed(2, wire::Unsubscribe{nth(n)}) == Words{});
  }
  BOOST_TEST(desk.feed(2, wire::Subscribe{.edge = nth(wire::subscriptions_max)}) ==
             Words({"hang up 2", "offence on 2"}));
}

BOOST_AUTO_TEST_CASE(a_second_reader_of_an_edge_takes_no_further_place_among_a_cells_readers) {
  Desk desk;
  desk.accept(2, 2);
  desk.accept(4, 3);
  const auto nth = [](std::size_t n) {
    return wire::Subscribe{.edge = {.source = own, .reader = {static_cast<std::uint32_t>(n)}}};
  };
  for (std::size_t n = 0; n < wire::readers_max; ++n)
    BOOST_TEST_REQUIRE(desk.feed(2, nth(n)) == Words{});
  BOOST_TEST(desk.feed(4, nth(0)) == Words{});
  BOOST_TEST(desk.feed(4, nth(wire::readers_max)) == Words({"hang up 4", "offence on 4"}));
  // And those that went make room.
  BOOST_TEST(desk.feed(2, wire::Unsubscribe{nth(1).edge}) == Words{});
  BOOST_TEST(desk.feed(2, nth(wire::readers_max)) == Words{});
}

BOOST_AUTO_TEST_SUITE_END()

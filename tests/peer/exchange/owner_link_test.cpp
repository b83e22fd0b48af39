// The line to one owner: when it is dialled, what is subscribed on it, and what still comes of what
// was given up.
#include "peer/exchange/owner_link.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>
#include <utility>

#include "peer/exchange/feed.hpp"
#include "peer/exchange/frame_text.hpp"
#include "peer/words.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(owner_links)

namespace {

using std::chrono::seconds;
using Subscription = OwnerLink::Subscription;

constexpr Duration tick{1};
constexpr EdgeId edge{.source = {0}, .reader = {1}};
constexpr EdgeId other{.source = {2}, .reader = {1}};
constexpr TimePoint start{seconds(1000)};

wire::PayloadBegin payload(std::uint32_t transfer, std::uint64_t bytes = 100, EdgeId of = edge) {
  return {.edge = of,
          .transfer = transfer,
          .round = {7},
          .heard = {},
          .version = 1,
          .bytes = bytes,
          .exact = {}};
}

wire::DirectBegin message(std::uint32_t transfer, std::uint64_t bytes = 100, EdgeId along = edge) {
  return {
      .from = along.source, .to = along.reader, .transfer = transfer, .round = {7}, .bytes = bytes};
}

// A link that an edge wants, and what it sent.
struct Line {
  Line() { link.edges().insert(edge); }

  bool dialled(std::uint64_t stream = 1) { return link.on_dialled({stream}, frames); }
  void connect(std::uint64_t stream = 1) {
    BOOST_TEST_REQUIRE(dialled(stream));
    link.subscribe({.edge = edge}, frames);
    frames.clear();
  }
  Words sent() {
    Words words;
    for (const OutFrame& frame : std::exchange(frames, {}))
      words.push_back(std::to_string(frame.stream.value) + ": " + text_of(frame));
    return words;
  }
  // How much came with the chunk that made it whole; nothing while it is not. Or why it was wrong.
  Result<std::optional<Arrival>> take(std::uint32_t transfer, std::uint64_t offset,
                                      std::size_t bytes, TimePoint now = start) {
    const ByteBuffer buffer(bytes);
    return link.take({.head = {transfer, offset}, .bytes = buffer}, now, frames);
  }

  OwnerLink link;
  std::vector<OutFrame> frames;
};

}  // namespace

// --- Dialling ---

BOOST_AUTO_TEST_CASE(it_is_dialled_once_and_while_an_edge_wants_it) {
  OwnerLink link;
  BOOST_TEST(!link.start_dialling(start));
  BOOST_TEST(!link.wake_at());
  link.edges().insert(edge);
  BOOST_TEST(link.start_dialling(start));
  BOOST_TEST(link.is_dialling());
  BOOST_TEST(!link.start_dialling(start + seconds(100)));
  BOOST_TEST(!link.wake_at());
}

BOOST_AUTO_TEST_CASE(a_stream_begins_with_credit_and_ends_the_dialling) {
  Line line;
  line.link.start_dialling(start);
  BOOST_TEST(!line.link.stream());
  BOOST_TEST(line.dialled());
  BOOST_TEST(line.sent() == Words({"1: Credit 8388608"}));
  BOOST_TEST((line.link.stream() == StreamId{1}));
  BOOST_TEST(!line.link.is_dialling());
  BOOST_TEST(!line.link.start_dialling(start));
}

BOOST_AUTO_TEST_CASE(a_second_stream_is_not_wanted_and_changes_nothing) {
  Line line;
  line.connect();
  BOOST_TEST(!line.dialled(3));
  BOOST_TEST(line.sent() == Words{});
  BOOST_TEST((line.link.stream() == StreamId{1}));
  BOOST_TEST((line.link.subscription(edge) == Subscription::Live));
}

BOOST_AUTO_TEST_CASE(each_loss_doubles_the_wait_up_to_a_minute_to_the_tick) {
  Line line;
  TimePoint now = start;
  for (const int wait : {1, 2, 4, 8, 16, 32, 60, 60}) {
    BOOST_TEST_REQUIRE(line.link.start_dialling(now));
    // Whether the attempt failed, or a stream broke that nothing whole came on.
    if (wait % 8 == 0) line.dialled();
    line.link.on_lost(now);
    BOOST_TEST(!line.link.is_dialling());
    BOOST_TEST((line.link.wake_at() == now + seconds(wait)));
    BOOST_TEST(!line.link.start_dialling(now + seconds(wait) + -tick));
    now = now + seconds(wait);
  }
  BOOST_TEST(line.link.start_dialling(now));
}

BOOST_AUTO_TEST_CASE(a_whole_payload_makes_the_wait_short_again_and_a_part_does_not) {
  Line line;
  for (int i = 0; i < 3; ++i) line.link.on_lost(start);
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST(!line.take(1, 0, 99).value());
  line.link.on_lost(start);
  BOOST_TEST((line.link.wake_at() == start + seconds(8)));
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST(line.take(1, 0, 100).value().has_value());
  line.link.on_lost(start);
  BOOST_TEST((line.link.wake_at() == start + OwnerLink::back_off_min));
}

BOOST_AUTO_TEST_CASE(what_was_given_up_is_dialled_at_once_and_lengthens_no_wait) {
  Line line;
  line.connect();
  line.link.on_given_up(start);
  BOOST_TEST(!line.link.stream());
  BOOST_TEST((line.link.wake_at() == start));
  BOOST_TEST(line.link.start_dialling(start));
  line.link.on_lost(start);
  BOOST_TEST((line.link.wake_at() == start + OwnerLink::back_off_min));
}

BOOST_AUTO_TEST_CASE(where_no_edge_wants_it_any_more_it_is_not_dialled_again) {
  Line line;
  line.link.on_lost(start);
  line.link.edges().clear();
  BOOST_TEST(!line.link.wake_at());
  BOOST_TEST(!line.link.start_dialling(start + seconds(100)));
}

// --- Stalls ---

BOOST_AUTO_TEST_CASE(a_transfer_without_a_byte_for_ten_seconds_stalls_to_the_tick) {
  Line line;
  BOOST_TEST(!line.link.stalled(TimePoint::never()));
  line.connect();
  BOOST_TEST(!line.link.wake_at());
  BOOST_TEST(!line.link.stalled(TimePoint::never()));
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST((line.link.wake_at() == start + IncomingLink::stall_max));
  BOOST_TEST(!line.link.stalled(start + IncomingLink::stall_max + -tick));
  BOOST_TEST(line.link.stalled(start + IncomingLink::stall_max));
  const TimePoint later = start + seconds(9);
  BOOST_TEST(!line.take(1, 0, 1, later).value());
  BOOST_TEST((line.link.wake_at() == later + IncomingLink::stall_max));
  BOOST_TEST(!line.link.stalled(later + IncomingLink::stall_max + -tick));
  BOOST_TEST(line.take(1, 1, 99, later).value().has_value());
  BOOST_TEST(!line.link.wake_at());
}

BOOST_AUTO_TEST_CASE(what_is_not_wanted_does_not_stall) {
  Line line;
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  line.link.abandon(1);
  BOOST_TEST(!line.link.wake_at());
}

// --- Subscriptions ---

BOOST_AUTO_TEST_CASE(an_edge_is_subscribed_once_in_the_life_of_a_stream) {
  Line line;
  BOOST_TEST((line.link.subscription(edge) == Subscription::Never));
  line.dialled();
  BOOST_TEST((line.link.subscription(edge) == Subscription::Never));
  line.sent();
  line.link.subscribe({.edge = edge, .version = 3, .checksum = 9, .degree = 2}, line.frames);
  BOOST_TEST(line.sent() == Words({"1: Subscribe 0>1 holds v3 degree 2"}));
  BOOST_TEST((line.link.subscription(edge) == Subscription::Live));
  line.link.unsubscribe(edge, line.frames);
  BOOST_TEST(line.sent() == Words({"1: Unsubscribe 0>1"}));
  BOOST_TEST((line.link.subscription(edge) == Subscription::Ended));
  line.link.on_lost(start);
  BOOST_TEST((line.link.subscription(edge) == Subscription::Never));
  line.connect(3);
  BOOST_TEST((line.link.subscription(edge) == Subscription::Live));
}

BOOST_AUTO_TEST_CASE(only_what_is_live_is_unsubscribed) {
  Line line;
  line.link.unsubscribe(edge, line.frames);  // without a stream
  line.connect();
  line.link.unsubscribe(other, line.frames);
  BOOST_TEST(line.sent() == Words{});
  line.link.unsubscribe(edge, line.frames);
  line.link.unsubscribe(edge, line.frames);
  BOOST_TEST(line.sent() == Words({"1: Unsubscribe 0>1"}));
}

BOOST_AUTO_TEST_CASE(a_stream_is_used_up_by_4096_subscriptions_ended_or_not) {
  Line line;
  const auto nth = [](std::size_t n) {
    return EdgeId{.source = {static_cast<std::uint32_t>(n)}, .reader = {9999}};
  };
  BOOST_TEST(!line.link.is_used_up());
  line.link.edges().clear();
  line.dialled();
  for (std::size_t n = 0; n < wire::subscriptions_max; ++n) {
    BOOST_TEST_REQUIRE(!line.link.is_used_up());
    line.link.edges().insert(nth(n));
    line.link.subscribe({.edge = nth(n)}, line.frames);
  }
  BOOST_TEST(line.link.is_used_up());
  BOOST_TEST(!line.link.is_worth_renewing());
  line.link.edges().insert(nth(wire::subscriptions_max));  // one waits, and none has ended
  BOOST_TEST(!line.link.is_worth_renewing());
  line.link.edges().erase(nth(0));
  line.link.unsubscribe(nth(0), line.frames);
  BOOST_TEST(line.link.is_used_up());
  BOOST_TEST(line.link.is_worth_renewing());
  line.link.edges().erase(nth(wire::subscriptions_max));  // and none waits any more
  BOOST_TEST(!line.link.is_worth_renewing());
  line.link.on_given_up(start);
  BOOST_TEST(!line.link.is_used_up());
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_not_used_up_is_not_worth_renewing) {
  Line line;
  line.connect();
  line.link.unsubscribe(edge, line.frames);
  line.link.edges().insert(other);
  BOOST_TEST(!line.link.is_worth_renewing());
}

// --- What arrives ---

BOOST_AUTO_TEST_CASE(a_payload_arrives_with_what_it_began_with) {
  Line line;
  line.connect();
  constexpr std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
  BOOST_TEST(line.link.begin(payload(last, 150), start).has_value());
  BOOST_TEST(line.link.begin(message(0, 0), start).has_value());
  BOOST_TEST(!line.take(last, 0, 100).value());
  const auto empty = line.take(0, 0, 0).value();
  BOOST_TEST_REQUIRE(empty.has_value());
  BOOST_TEST((std::get<wire::DirectBegin>(empty->begin) == message(0, 0)));
  BOOST_TEST(empty->payload->empty());
  const auto whole = line.take(last, 100, 50).value();
  BOOST_TEST_REQUIRE(whole.has_value());
  BOOST_TEST((std::get<wire::PayloadBegin>(whole->begin) == payload(last, 150)));
  BOOST_TEST(whole->payload->size() == 150U);
}

BOOST_AUTO_TEST_CASE(a_number_that_is_taken_and_too_many_bytes_or_transfers_are_refused) {
  Line line;
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST((line.link.begin(message(1), start).error().code == ErrorCode::Corrupt));
  BOOST_TEST((line.link.begin(payload(2, wire::object_bytes_max + 1), start).error().code ==
              ErrorCode::Limit));
  for (std::uint32_t transfer = 2; transfer <= wire::transfers_max; ++transfer)
    BOOST_TEST_REQUIRE(line.link.begin(message(transfer), start).has_value());
  BOOST_TEST(
      (line.link.begin(message(wire::transfers_max + 1), start).error().code == ErrorCode::Limit));
  // What was refused changed nothing of the one whose number it had.
  const auto whole = line.take(1, 0, 100).value();
  BOOST_TEST_REQUIRE(whole.has_value());
  BOOST_TEST(std::holds_alternative<wire::PayloadBegin>(whole->begin));
}

BOOST_AUTO_TEST_CASE(a_chunk_of_no_transfer_or_with_a_gap_or_a_second_time_is_corrupt) {
  using Chunk = std::pair<std::uint64_t, std::size_t>;  // offset, bytes
  for (const auto& [offset, bytes] : {Chunk(51, 10), Chunk(0, 50), Chunk(50, 51), Chunk(50, 0)}) {
    Line line;
    line.connect();
    BOOST_TEST((line.take(1, 0, 50).error().code == ErrorCode::Corrupt));
    BOOST_TEST(line.link.begin(payload(1), start).has_value());
    BOOST_TEST(!line.take(1, 0, 50).value());
    BOOST_TEST((line.take(1, offset, bytes).error().code == ErrorCode::Corrupt));
  }
}

BOOST_AUTO_TEST_CASE(what_began_on_a_stream_ends_with_it) {
  Line line;
  line.connect();
  BOOST_TEST(line.link.begin(message(1), start).has_value());
  line.link.on_lost(start);
  line.connect(3);
  BOOST_TEST(!line.link.is_receiving_message(edge));
  BOOST_TEST((line.take(1, 0, 10).error().code == ErrorCode::Corrupt));
  BOOST_TEST(line.link.begin(message(1), start).has_value());
}

BOOST_AUTO_TEST_CASE(a_message_is_under_way_along_its_edge_until_it_is_whole) {
  Line line;
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST(!line.link.is_receiving_message(edge));  // a payload is none
  BOOST_TEST(line.link.begin(message(2), start).has_value());
  BOOST_TEST(line.link.is_receiving_message(edge));
  BOOST_TEST(!line.link.is_receiving_message(other));
  BOOST_TEST(!line.link.is_receiving_message({.source = edge.reader, .reader = edge.source}));
  BOOST_TEST(line.take(2, 0, 100).value().has_value());
  BOOST_TEST(!line.link.is_receiving_message(edge));
}

BOOST_AUTO_TEST_CASE(what_still_comes_of_an_abandoned_transfer_is_dropped) {
  Line line;
  line.connect();
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  line.link.abandon(1);
  BOOST_TEST(!line.take(1, 0, 60).value());
  BOOST_TEST(!line.take(1, 60, 40).value());
  // Its number may be another's after that.
  BOOST_TEST(line.link.begin(message(1, 5), start).has_value());
  BOOST_TEST(line.take(1, 0, 5).value().has_value());
}

BOOST_AUTO_TEST_CASE(of_an_edge_that_ends_all_that_is_under_way_is_dropped_and_nothing_else) {
  Line line;
  line.connect();
  line.link.subscribe({.edge = other}, line.frames);
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST(line.link.begin(message(2), start).has_value());
  BOOST_TEST(line.link.begin(payload(3, 100, other), start).has_value());
  line.link.unsubscribe(edge, line.frames);
  BOOST_TEST(!line.link.is_receiving_message(edge));
  BOOST_TEST(!line.take(1, 0, 100).value());
  BOOST_TEST(!line.take(2, 0, 100).value());
  BOOST_TEST(line.take(3, 0, 100).value().has_value());
}

// It crossed the Unsubscribe.
BOOST_AUTO_TEST_CASE(what_begins_of_an_edge_that_ended_is_dropped) {
  Line line;
  line.connect();
  line.link.unsubscribe(edge, line.frames);
  BOOST_TEST(line.link.begin(payload(1), start).has_value());
  BOOST_TEST(line.link.begin(message(2), start).has_value());
  BOOST_TEST(!line.link.is_receiving_message(edge));
  BOOST_TEST(!line.link.wake_at());
  BOOST_TEST(!line.take(1, 0, 100).value());
  BOOST_TEST(!line.take(2, 0, 100).value());
}

BOOST_AUTO_TEST_SUITE_END()

// Streams that others open to a whole peer: who is let in, whose place is whose, and how they end.
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <utility>

#include "peer/objects/object_fetcher.hpp"
#include "peer/session/sessions.hpp"
#include "peer/stage.hpp"
#include "peer/stories.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer::test {
BOOST_AUTO_TEST_SUITE(streams_of_a_peer)

namespace {

using namespace std::chrono_literals;
using enum wire::FrameType;

}  // namespace

BOOST_AUTO_TEST_CASE(one_stream_too_many_of_a_kind_is_told_that_the_peer_is_busy) {
  for (const auto& [purpose, most] : {std::pair{wire::StreamPurpose::Watch, Sessions::watch_max},
                                      std::pair{wire::StreamPurpose::Sync, Sessions::sync_max}}) {
    Stage stage(options_of(grid_of(1, 1), 0, {}));
    stage.start();
    for (std::size_t i = 0; i < most; ++i)
      BOOST_TEST(!stage.is_closed(stage.dial(partner(99), purpose)));
    const StreamId refused = stage.dial(partner(99), purpose);
    BOOST_TEST(stage.is_closed(refused));
    const auto refusal = wire::decode_refusal(stage.frames(refused).back().body);
    BOOST_REQUIRE(refusal.has_value());
    BOOST_TEST((refusal->reason == wire::RefusalReason::Busy));
  }
}

// It shows the very record that the other one shows.
BOOST_AUTO_TEST_CASE(a_stranger_with_the_name_of_a_reader_ends_no_stream_of_its) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  const Partner reader = partner(2);
  for (const auto purpose : {wire::StreamPurpose::Exchange, wire::StreamPurpose::Object}) {
    const StreamId first = stage.dial(reader, purpose);
    const StreamId second = stage.dial(address(66), reader.hello(purpose));
    BOOST_TEST(!stage.is_closed(first));
    BOOST_TEST(stage.is_closed(second));
    const auto refusal = wire::decode_refusal(stage.frames(second).back().body);
    BOOST_REQUIRE(refusal.has_value());
    BOOST_TEST((refusal->reason == wire::RefusalReason::Busy));
    const StreamId third = stage.dial(reader, purpose);
    BOOST_TEST(stage.is_closed(first));
    BOOST_TEST(!stage.is_closed(third));
  }
}

// Who was there first may be the stranger.
BOOST_AUTO_TEST_CASE(a_member_that_dials_from_where_it_lives_has_its_stream_at_once) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  const Partner reader = partner(2);
  meet(stage, reader);
  const StreamId strangers = stage.dial(address(66), reader.hello(wire::StreamPurpose::Exchange));
  BOOST_TEST(!stage.is_closed(strangers));
  const StreamId its_own = stage.dial(reader, wire::StreamPurpose::Exchange);
  BOOST_TEST(stage.is_closed(strangers));
  BOOST_TEST(!stage.is_closed(its_own));
}

// Its other endpoint may lead nowhere, and what is wanted would be given up.
BOOST_AUTO_TEST_CASE(who_is_busy_is_dialled_again_where_it_was_found) {
  Stage stage(options_of(grid_of(1, 2), 1, {}));
  Partner donor = partner(2, 2);
  donor.record.endpoints.push_back(address(12));
  donor.claims(0, 2, 1);
  stage.start();
  meet(stage, donor);
  stage.run_for(1s);
  const wire::Update yields = yields_cell0(stage, donor);
  stage.say(donor, wire::Gossip{}, {yields});
  const StreamId refused = stage.connect(donor);
  stage.take_effects();
  stage.frame(refused, Refusal,
              wire::Refusal{.reason = wire::RefusalReason::Busy, .text = "later", .run = this_run});
  stage.run_for(ObjectFetcher::busy_pause + 100ms);
  std::vector<wire::Endpoint> dialled;
  for (const auto& action : stage.take_effects().streams)
    if (const auto* open = std::get_if<OpenStream>(&action)) dialled.push_back(open->to);
  BOOST_TEST((dialled == std::vector{donor.endpoint()}));
}

BOOST_AUTO_TEST_CASE(streams_that_do_not_introduce_themselves_are_limited_and_end) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  std::vector<StreamId> silent;
  for (std::size_t i = 0; i < Sessions::greeting_per_address_max; ++i)
    silent.push_back(stage.come(address(9)));
  BOOST_TEST(std::ranges::none_of(silent, [&](StreamId each) { return stage.is_closed(each); }));
  BOOST_TEST(stage.is_closed(stage.come(address(9))));
  stage.run_for(Sessions::greeting_deadline + 1s);
  BOOST_TEST(std::ranges::all_of(silent, [&](StreamId each) { return stage.is_closed(each); }));
}

BOOST_AUTO_TEST_CASE(a_stream_that_breaks_the_protocol_is_refused_with_the_reason) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  for (const auto purpose :
       {wire::StreamPurpose::Sync, wire::StreamPurpose::Exchange, wire::StreamPurpose::Object}) {
    const StreamId stream = stage.dial(partner(2), purpose);
    stage.frame(stream, WatchEvents, wire::WatchEvents{});
    BOOST_TEST(stage.is_closed(stream));
    const auto refusal = wire::decode_refusal(stage.frames(stream).back().body);
    BOOST_REQUIRE(refusal.has_value());
    BOOST_TEST((refusal->reason == wire::RefusalReason::Malformed));
  }
}

BOOST_AUTO_TEST_CASE(records_that_are_none_are_offences_on_streams_too) {
  const Partner liar = partner(66);
  const wire::Update garbage{.kind = wire::UpdateKind::Alive,
                             .subject = {.high = 3, .low = 1},
                             .incarnation = 5,
                             .record = ByteBuffer(100, std::byte{7})};
  wire::Hello hello = liar.hello(wire::StreamPurpose::Exchange);
  hello.record = garbage.record;
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  const StreamId greeting = stage.dial(address(66), hello);
  BOOST_TEST(stage.is_closed(greeting));
  hello.record = wire::encode(partner(3).record);
  const StreamId another = stage.dial(address(66), hello);
  BOOST_TEST(stage.is_closed(another));
  BOOST_TEST(stage.peer().membership().view().find(partner(3).record.id) == nullptr);
  const StreamId sync = stage.dial(liar, wire::StreamPurpose::Sync);
  stage.frame(sync, Digest, wire::Digest{std::vector<std::uint64_t>(16)});
  BOOST_TEST(!stage.is_closed(sync));
  stage.frame(sync, State, wire::State{{garbage}});
  BOOST_TEST(stage.is_closed(sync));
}

BOOST_AUTO_TEST_CASE(a_welcome_to_another_run_ends_the_stream) {
  Stage stage(options_of(grid_of(1, 1), 0, {address(5)}));
  stage.start();
  Partner other = partner(5);
  other.run = {.high = 1, .low = 2};
  BOOST_TEST(stage.is_closed(stage.accept(other)));
}

BOOST_AUTO_TEST_CASE(a_probe_is_over_when_it_is_answered) {
  Stage stage(options_of(grid_of(1, 1), 0, {}));
  stage.start();
  const StreamId stream = stage.dial(partner(2), wire::StreamPurpose::Probe);
  BOOST_REQUIRE_EQUAL(stage.frames(stream).size(), 1U);
  BOOST_TEST((stage.frames(stream).front().type == Welcome));
  BOOST_TEST(stage.is_closed(stream));
}

BOOST_AUTO_TEST_CASE(a_stream_on_which_nothing_is_subscribed_is_hung_up) {
  Stage stage(options_of(grid_of(1, 2), 0, {}));
  stage.start();
  const StreamId reads = stage.dial(partner(2), wire::StreamPurpose::Exchange);
  const StreamId idle = stage.dial(partner(3), wire::StreamPurpose::Exchange);
  const StreamId had = stage.dial(partner(4), wire::StreamPurpose::Exchange);
  const auto edge = [](std::uint32_t reader) {
    return wire::EdgeId{.source = cell0, .reader = {reader}};
  };
  stage.frame(reads, Subscribe, wire::Subscribe{.edge = edge(1)});
  stage.frame(had, Subscribe, wire::Subscribe{.edge = edge(2)});
  stage.run_for(Publisher::idle_max + -1s);
  stage.frame(had, Unsubscribe, wire::Unsubscribe{.edge = edge(2)});
  BOOST_TEST(!stage.is_closed(idle));
  stage.run_for(1s);
  BOOST_TEST(stage.is_closed(idle));
  BOOST_TEST(!stage.is_closed(had));
  stage.run_for(Publisher::idle_max);
  BOOST_TEST(stage.is_closed(had));
  BOOST_TEST(!stage.is_closed(reads));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::peer::test

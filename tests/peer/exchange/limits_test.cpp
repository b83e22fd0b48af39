// Every table and queue of an exchange has an end, and these tests get there.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/exchange.hpp"
#include "peer/exchange/feed.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::FrameType;

BOOST_AUTO_TEST_SUITE(exchange_limits)

namespace {

constexpr PeerId self{.high = 0, .low = 1};
constexpr PeerId other{.high = 0, .low = 2};
constexpr TimePoint now{};

std::size_t count(const ExchangeOutput& out, FrameType type) {
  return static_cast<std::size_t>(std::ranges::count(out.frames, type, &OutFrame::type));
}

template <class Command>
std::size_t count(const ExchangeOutput& out) {
  return static_cast<std::size_t>(std::ranges::count_if(
      out.commands, [](const auto& command) { return std::holds_alternative<Command>(command); }));
}

PayloadEncoded keyframe_of(EdgeId edge) {
  return {.edge = edge,
          .round = {1},
          .version = 1,
          .checksum = 1,
          .heard = {},
          .payload = payload_of(10),
          .exact = {}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stream_has_4096_subscriptions_and_no_more) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  exchange.on_accepted(other, {2}, now, out);
  for (std::uint32_t source = 0; source < wire::subscriptions_max; ++source)
    feed(exchange, {2}, wire::Subscribe{.edge = {.source = {source}, .reader = {9999}}}, now, out);
  BOOST_TEST(out.offences.empty());
  feed(exchange, {2}, wire::Subscribe{.edge = {.source = {8888}, .reader = {9999}}}, now, out);
  BOOST_TEST(out.offences.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_cell_has_256_readers_and_no_more) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  exchange.on_accepted(other, {2}, now, out);
  for (std::uint32_t reader = 1; reader <= wire::readers_max; ++reader)
    feed(exchange, {2}, wire::Subscribe{.edge = {.source = {0}, .reader = {reader}}}, now, out);
  BOOST_TEST(out.offences.empty());
  feed(exchange, {2}, wire::Subscribe{.edge = {.source = {0}, .reader = {9999}}}, now, out);
  BOOST_TEST(out.offences.size() == 1U);
}

// The reading end keeps to the same number: the rest waits until a new stream has room.
BOOST_AUTO_TEST_CASE(edges_beyond_a_streams_limit_wait_for_a_place) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  std::vector<EdgeSource> sources;
  for (std::uint32_t cell = 1; cell <= wire::subscriptions_max + 1; ++cell)
    sources.push_back({.cell = {cell}, .owner = other});
  exchange.set_sources({0}, sources, now, out);
  exchange.on_dialled(other, {1}, now, out);
  BOOST_TEST(count(out, FrameType::Subscribe) == wire::subscriptions_max);
  BOOST_TEST(out.hang_ups.empty());
  sources.erase(sources.begin());
  exchange.set_sources({0}, sources, now, out);
  BOOST_TEST(out.hang_ups.size() == 1U);
  BOOST_TEST_REQUIRE(out.dials.size() == 2U);
  out = {};
  exchange.on_dialled(other, {3}, now, out);
  BOOST_TEST(count(out, FrameType::Subscribe) == wire::subscriptions_max);
}

// 1,025 edges over one stream: the last one is encoded when a place is free.
BOOST_AUTO_TEST_CASE(edges_beyond_the_transfers_at_once_wait_for_a_place) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  constexpr std::uint32_t cells = wire::transfers_max + 1;
  exchange.on_accepted(other, {2}, now, out);
  for (std::uint32_t cell = 0; cell < cells; ++cell) {
    const EdgeId edge{.source = {cell}, .reader = {9999}};
    feed(exchange, {2}, wire::Subscribe{.edge = edge}, now, out);
    exchange.on_report(CellStarted{.cell = {cell}, .round = {}, .neighbours = {}}, now, out);
    exchange.on_report(CellPublished{.cell = {cell}, .round = {1}}, now, out);
    if (count<EncodePayload>(out) > cell) exchange.on_report(keyframe_of(edge), now, out);
  }
  BOOST_TEST(count<EncodePayload>(out) == wire::transfers_max);
  BOOST_TEST(count(out, FrameType::PayloadBegin) == wire::transfers_max);
  BOOST_TEST(count(out, FrameType::Chunk) == 0U);
  for (std::uint64_t round = 2; round < 9; ++round)  // however often it is published meanwhile
    exchange.on_report(CellPublished{.cell = {cells - 1}, .round = {round}}, now, out);
  feed(exchange, {2}, wire::Credit{10}, now, out);
  BOOST_TEST(count(out, FrameType::Chunk) == 1U);
  BOOST_TEST(count<EncodePayload>(out) == cells);
}

BOOST_AUTO_TEST_CASE(messages_between_cells_wait_in_a_queue_that_forgets_the_oldest) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  exchange.on_report(CellStarted{.cell = {0}, .round = {}, .neighbours = {}}, now, out);
  for (std::uint64_t round = 0; round <= DirectQueue::kept_max; ++round)
    exchange.on_report(
        DirectChunk{.from = {0}, .to = {1}, .round = {round}, .payload = payload_of(10)}, now, out);
  exchange.on_accepted(other, {2}, now, out);
  feed(exchange, {2}, wire::Subscribe{.edge = {.source = {0}, .reader = {1}}}, now, out);
  // One at a time, as credit allows.
  std::vector<std::uint64_t> rounds;
  for (std::size_t i = 0; i < 2 * DirectQueue::kept_max; ++i) {
    for (const OutFrame& frame : out.frames)
      if (frame.type == FrameType::DirectBegin)
        rounds.push_back(wire::decode_direct_begin(frame.body).value().round.index);
    out = {};
    feed(exchange, {2}, wire::Credit{10}, now, out);
  }
  BOOST_TEST(rounds.size() == DirectQueue::kept_max);
  BOOST_TEST(rounds.front() == 1U);
  BOOST_TEST(rounds.back() == DirectQueue::kept_max);
}

BOOST_AUTO_TEST_CASE(a_stream_that_is_no_longer_wanted_when_it_comes_is_hung_up) {
  Exchange exchange({}, self);
  ExchangeOutput out;
  exchange.set_sources({0}, {{.cell = {1}, .owner = other}}, now, out);
  exchange.set_sources({0}, {}, now, out);
  exchange.set_sources({0}, {{.cell = {2}, .owner = other}}, now, out);
  BOOST_TEST(out.dials.size() == 1U);  // the first is still under way
  exchange.set_sources({0}, {}, now, out);
  exchange.on_dialled(other, {1}, now, out);
  BOOST_TEST((out.hang_ups == std::vector<StreamId>{{1}}));
  exchange.set_sources({0}, {{.cell = {2}, .owner = other}}, now, out);
  BOOST_TEST(out.dials.size() == 2U);
  exchange.set_sources({0}, {}, now, out);
  exchange.on_dial_failed(other, now);
  BOOST_TEST((exchange.wake_at() == TimePoint{Duration::max()}));
}

BOOST_AUTO_TEST_CASE(nothing_to_wait_for_means_no_waking) {
  Exchange exchange({}, self);
  BOOST_TEST((exchange.wake_at() == TimePoint{Duration::max()}));
}

BOOST_AUTO_TEST_SUITE_END()

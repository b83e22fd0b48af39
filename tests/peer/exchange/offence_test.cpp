// What no honest peer sends is an offence and ends the stream; what is merely late does nothing.
#include <boost/test/unit_test.hpp>
#include <functional>
#include <string>

#include "peer/exchange/exchange.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using wire::FrameType;

BOOST_AUTO_TEST_SUITE(offences)

namespace {

constexpr PeerId self{.high = 0, .low = 1};
constexpr PeerId other{.high = 0, .low = 2};
constexpr CellIndex own{1};
constexpr CellIndex foreign{0};
constexpr EdgeId in{.source = foreign, .reader = own};
constexpr EdgeId out_edge{.source = own, .reader = foreign};
constexpr StreamId dialled{1};
constexpr StreamId accepted{2};
constexpr TimePoint now{};

// A peer that owns cell 1, which reads cell 0, with a stream each way to the peer of cell 0.
struct Lone {
  Lone() {
    exchange.on_report(CellStarted{.cell = own, .round = {}, .neighbours = {foreign}}, now, out);
    exchange.set_sources(own, {{.cell = foreign, .owner = other}}, now, out);
    BOOST_TEST_REQUIRE(out.dials.size() == 1U);
    exchange.on_dialled(other, dialled, now, out);
    exchange.on_accepted(other, accepted, now, out);
    out = {};
  }

  template <class Message>
  void feed(StreamId stream, FrameType type, const Message& message) {
    feed_bytes(stream, type, wire::encode(message));
  }
  void feed_bytes(StreamId stream, FrameType type, const ByteBuffer& body) {
    exchange.on_frame(stream, {.header = {.type = type}, .body = body}, now, out);
  }
  void feed_chunk(std::uint32_t transfer, std::uint64_t offset, std::size_t bytes) {
    ByteBuffer body = wire::encode(wire::ChunkHead{transfer, offset});
    body.resize(body.size() + bytes);
    feed_bytes(dialled, FrameType::Chunk, body);
  }
  wire::PayloadBegin keyframe(std::uint32_t transfer = 1) const {
    return {.edge = in,
            .transfer = transfer,
            .round = {1},
            .heard = {},
            .version = 1,
            .bytes = 100,
            .exact = {}};
  }
  // The first payload, wholly applied.
  void apply_keyframe() {
    feed(dialled, FrameType::PayloadBegin, keyframe());
    feed_chunk(1, 0, 100);
    exchange.on_report(
        PayloadTaken{.edge = in, .round = {1}, .version = 1, .checksum = 5, .fault = {}}, now, out);
  }
  void subscribe() { feed(accepted, FrameType::Subscribe, wire::Subscribe{.edge = out_edge}); }
  // Own cell's first payload, on its way.
  void publish() {
    subscribe();
    exchange.on_report(CellPublished{.cell = own, .round = {1}}, now, out);
    exchange.on_report(PayloadEncoded{.edge = out_edge,
                                      .round = {1},
                                      .version = 1,
                                      .checksum = 5,
                                      .heard = {},
                                      .payload = std::make_shared<const ByteBuffer>(100),
                                      .exact = {}},
                       now, out);
  }
  bool offended(StreamId stream) const {
    return out.offences.size() == 1 && out.offences[0].stream == stream &&
           !out.offences[0].reason.empty() && out.hang_ups == std::vector<StreamId>{stream};
  }
  bool is_quiet() const { return out.offences.empty() && out.hang_ups.empty(); }

  Exchange exchange{{}, self};
  ExchangeOutput out;
};

struct Case {
  std::string name;
  std::function<void(Lone&)> act;
};

void every_one_offends(StreamId stream, const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.name) {
      Lone peer;
      each.act(peer);
      BOOST_TEST(peer.offended(stream));
      // The stream is gone: whatever else was in it is not looked at.
      peer.out = {};
      peer.feed_bytes(stream, FrameType::Hello, {});
      BOOST_TEST(peer.is_quiet());
    }
  }
}

void every_one_is_let_pass(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    BOOST_TEST_CONTEXT(each.name) {
      Lone peer;
      each.act(peer);
      BOOST_TEST(peer.is_quiet());
      BOOST_TEST(peer.out.commands.empty());
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_owner_that_breaks_the_protocol_is_hung_up_on) {
  every_one_offends(
      dialled,
      {
          {"bytes that are no message",
           [](Lone& a) { a.feed_bytes(dialled, FrameType::PayloadBegin, ByteBuffer(30)); }},
          {"a frame that belongs elsewhere",
           [](Lone& a) { a.feed(dialled, FrameType::Subscribe, wire::Subscribe{.edge = in}); }},
          {"a payload of an edge that was not subscribed",
           [](Lone& a) {
             wire::PayloadBegin begin = a.keyframe();
             begin.edge = {.source = {7}, .reader = own};
             a.feed(dialled, FrameType::PayloadBegin, begin);
           }},
          {"a message along an edge that was not subscribed",
           [](Lone& a) {
             a.feed(dialled, FrameType::DirectBegin,
                    wire::DirectBegin{
                        .from = {7}, .to = own, .transfer = 1, .round = {1}, .bytes = 5});
           }},
          {"an empty payload",
           [](Lone& a) {
             wire::PayloadBegin begin = a.keyframe();
             begin.bytes = 0;
             a.feed(dialled, FrameType::PayloadBegin, begin);
           }},
          {"a version that goes back",
           [](Lone& a) {
             a.apply_keyframe();
             wire::PayloadBegin begin = a.keyframe(2);
             begin.base_version = 2;
             begin.version = 2;
             a.feed(dialled, FrameType::PayloadBegin, begin);
           }},
          {"a second payload before the first was answered",
           [](Lone& a) {
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe(1));
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe(2));
           }},
          {"a transfer whose number is taken",
           [](Lone& a) {
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe(1));
             a.feed(dialled, FrameType::DirectBegin,
                    wire::DirectBegin{
                        .from = foreign, .to = own, .transfer = 1, .round = {1}, .bytes = 5});
           }},
          {"a chunk of no transfer", [](Lone& a) { a.feed_chunk(9, 0, 10); }},
          {"a chunk beyond the claim",
           [](Lone& a) {
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe());
             a.feed_chunk(1, 0, 101);
           }},
          {"a chunk after the last one",
           [](Lone& a) {
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe());
             a.feed_chunk(1, 0, 100);
             a.out.commands.clear();
             a.feed_chunk(1, 100, 1);
           }},
          {"a gap",
           [](Lone& a) {
             a.feed(dialled, FrameType::PayloadBegin, a.keyframe());
             a.feed_chunk(1, 10, 10);
           }},
      });
}

BOOST_AUTO_TEST_CASE(a_second_message_before_the_first_is_whole_is_an_offence) {
  Lone peer;
  wire::DirectBegin begin{.from = foreign, .to = own, .transfer = 1, .round = {1}, .bytes = 5};
  peer.feed(dialled, FrameType::DirectBegin, begin);
  peer.feed_chunk(1, 0, 5);
  begin.transfer = 2;
  peer.feed(dialled, FrameType::DirectBegin, begin);
  peer.feed_chunk(2, 0, 4);
  BOOST_TEST(peer.is_quiet());
  begin.transfer = 3;
  peer.feed(dialled, FrameType::DirectBegin, begin);
  BOOST_TEST(peer.offended(dialled));
}

BOOST_AUTO_TEST_CASE(a_payload_larger_than_the_model_can_be_is_an_offence) {
  ExchangeOutput out;
  Exchange exchange({.synchronous = false, .payload_bytes_max = 99}, self);
  exchange.set_sources(own, {{.cell = foreign, .owner = other}}, now, out);
  exchange.on_dialled(other, dialled, now, out);
  const ByteBuffer body = wire::encode(Lone().keyframe());
  exchange.on_frame(dialled, {.header = {.type = FrameType::PayloadBegin}, .body = body}, now, out);
  BOOST_TEST(out.offences.size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_reader_that_breaks_the_protocol_is_hung_up_on) {
  every_one_offends(
      accepted,
      {
          {"bytes that are no message",
           [](Lone& a) { a.feed_bytes(accepted, FrameType::Credit, ByteBuffer(3)); }},
          {"a frame that belongs elsewhere",
           [](Lone& a) { a.feed_bytes(accepted, FrameType::Chunk, ByteBuffer(20)); }},
          {"more credit than anybody has",
           [](Lone& a) { a.feed(accepted, FrameType::Credit, wire::Credit{~std::uint64_t{0}}); }},
          {"a second subscription",
           [](Lone& a) {
             a.subscribe();
             a.subscribe();
           }},
          {"an end of what it never subscribed",
           [](Lone& a) { a.feed(accepted, FrameType::Unsubscribe, wire::Unsubscribe{out_edge}); }},
          {"an answer along an edge that it never subscribed",
           [](Lone& a) {
             a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
           }},
          {"an acknowledgement of what was never sent",
           [](Lone& a) {
             a.subscribe();
             a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
           }},
          {"an acknowledgement of a later version",
           [](Lone& a) {
             a.publish();
             a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 2});
           }},
          {"a second acknowledgement",
           [](Lone& a) {
             a.publish();
             a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
             a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
           }},
          {"a refusal of what was never sent",
           [](Lone& a) {
             a.publish();
             a.feed(accepted, FrameType::PayloadRefused,
                    wire::PayloadRefused{out_edge, 7, wire::PayloadFault::Mismatch});
           }},
      });
}

BOOST_AUTO_TEST_CASE(what_crosses_on_the_way_is_no_offence) {
  every_one_is_let_pass({
      {"a payload of an edge that was given up a moment ago",
       [](Lone& a) {
         a.exchange.set_sources(own, {{.cell = {7}, .owner = other}}, now, a.out);
         a.out = {};
         a.feed(dialled, FrameType::PayloadBegin, a.keyframe());
         a.feed_chunk(1, 0, 50);
         a.feed_chunk(1, 50, 50);
       }},
      {"the rest of a payload whose edge was given up",
       [](Lone& a) {
         a.feed(dialled, FrameType::PayloadBegin, a.keyframe());
         a.exchange.set_sources(own, {{.cell = {7}, .owner = other}}, now, a.out);
         a.out = {};
         a.feed_chunk(1, 0, 100);
       }},
      {"a message along an edge that was given up",
       [](Lone& a) {
         a.exchange.set_sources(own, {{.cell = {7}, .owner = other}}, now, a.out);
         a.out = {};
         a.feed(dialled, FrameType::DirectBegin,
                wire::DirectBegin{
                    .from = foreign, .to = own, .transfer = 1, .round = {1}, .bytes = 5});
         a.feed_chunk(1, 0, 5);
       }},
      {"an acknowledgement along an edge that was unsubscribed",
       [](Lone& a) {
         a.publish();
         a.feed(accepted, FrameType::Unsubscribe, wire::Unsubscribe{out_edge});
         a.out = {};
         a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
       }},
      {"an acknowledgement for a cell that is no longer here",
       [](Lone& a) {
         a.publish();
         a.exchange.drop(own, now, a.out);
         a.out = {};
         a.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
       }},
      {"a subscription to a cell that is not here yet",
       [](Lone& a) {
         a.feed(accepted, FrameType::Subscribe,
                wire::Subscribe{.edge = {.source = {9}, .reader = foreign}});
       }},
      {"frames of a stream that was hung up",
       [](Lone& a) { a.feed_bytes({77}, FrameType::Chunk, ByteBuffer(3)); }},
  });
}

BOOST_AUTO_TEST_CASE(a_cell_that_comes_back_is_read_again_after_the_answer_that_was_due) {
  Lone peer;
  peer.publish();
  peer.exchange.drop(own, now, peer.out);
  peer.out = {};
  peer.exchange.on_report(CellPublished{.cell = own, .round = {2}}, now, peer.out);
  BOOST_TEST(peer.out.commands.empty());  // from before it was dropped
  peer.exchange.on_report(CellStarted{.cell = own, .round = {5}, .neighbours = {}}, now, peer.out);
  peer.exchange.on_report(CellPublished{.cell = own, .round = {5}}, now, peer.out);
  BOOST_TEST(peer.out.commands.size() == 1U);  // OpenSendingEdge
  peer.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
  BOOST_TEST_REQUIRE(peer.out.commands.size() == 2U);
  BOOST_TEST(std::get<EncodePayload>(peer.out.commands[1]).keyframe);
  BOOST_TEST(peer.is_quiet());
}

BOOST_AUTO_TEST_CASE(a_second_stream_of_a_reader_takes_the_place_of_the_first) {
  Lone peer;
  peer.publish();
  peer.out = {};
  peer.exchange.on_accepted(other, {4}, now, peer.out);
  BOOST_TEST((peer.out.hang_ups == std::vector<StreamId>{accepted}));
  peer.feed({4}, FrameType::Subscribe, wire::Subscribe{.edge = out_edge});
  peer.feed({4}, FrameType::Credit, wire::Credit{1000});
  BOOST_TEST_REQUIRE(peer.out.frames.size() == 2U);
  BOOST_TEST((peer.out.frames[0].type == FrameType::PayloadBegin));
  BOOST_TEST((peer.out.frames[1].type == FrameType::Chunk));
}

// Two peers both own cell 0, as they do while a partition heals: the later one is served, and the
// other again after it, with a keyframe.
BOOST_AUTO_TEST_CASE(of_two_owners_of_a_reading_cell_none_is_forgotten) {
  constexpr PeerId third{.high = 0, .low = 3};
  Lone peer;
  peer.publish();
  peer.feed(accepted, FrameType::Credit, wire::Credit{1000});
  peer.exchange.on_accepted(third, {6}, now, peer.out);
  peer.out = {};
  peer.feed({6}, FrameType::Subscribe, wire::Subscribe{.edge = out_edge});
  BOOST_TEST_REQUIRE(peer.out.frames.size() == 1U);  // the keyframe fits anybody
  BOOST_TEST(peer.out.frames[0].stream == StreamId{6});
  peer.feed(accepted, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
  peer.feed({6}, FrameType::PayloadApplied, wire::PayloadApplied{out_edge, 1});
  peer.exchange.on_report(CellPublished{.cell = own, .round = {2}}, now, peer.out);
  BOOST_TEST_REQUIRE(peer.out.commands.size() == 1U);
  peer.out = {};
  peer.exchange.on_closed({6}, now, peer.out);
  peer.exchange.on_report(PayloadEncoded{.edge = out_edge,
                                         .round = {2},
                                         .base_version = 1,
                                         .base_checksum = 5,
                                         .version = 2,
                                         .checksum = 6,
                                         .heard = {},
                                         .payload = std::make_shared<const ByteBuffer>(10),
                                         .exact = {}},
                          now, peer.out);
  // Both held the same, so that the first goes on with the difference.
  BOOST_TEST_REQUIRE(peer.out.frames.size() >= 1U);
  BOOST_TEST(peer.out.frames[0].stream == accepted);
  BOOST_TEST(wire::decode_payload_begin(peer.out.frames[0].body).value().base_version == 1U);
  BOOST_TEST(peer.is_quiet());
}

BOOST_AUTO_TEST_SUITE_END()

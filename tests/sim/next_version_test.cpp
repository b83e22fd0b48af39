// Today's code reads what a host of the next version sends, of any content and at any size.
#include "sim/next_version.hpp"

#include <version2_generated.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "base/random.hpp"
#include "wire/datagram.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"
#include "wire/samples.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(next_version)

namespace {

namespace v2 = quadrille::wire::version2;
using wire::Update;
using wire::UpdateKind;

Update alive(const wire::PeerRecord& record) {
  return {.kind = UpdateKind::Alive,
          .subject = record.id,
          .incarnation = record.incarnation,
          .version = record.version,
          .accuser = {},
          .record = encode(record)};
}

// With the largest record that today's code writes of that peer.
Update largest_alive(PeerId id) {
  wire::PeerRecord record = wire::test::largest_record();
  record.id = id;
  return alive(record);
}

// What is read of the updates that were sent: all in order, but for some of the last ones. An
// update of the next version's own is Unknown, and comes first.
bool are_front_of(std::vector<Update> read, const std::vector<Update>& sent) {
  if (!read.empty() && read.front().kind == UpdateKind::Unknown &&
      (sent.empty() || read.front() != sent.front()))
    read.erase(read.begin());
  return read.size() <= sent.size() && std::equal(read.begin(), read.end(), sent.begin());
}

std::unique_ptr<v2::DatagramT> read_by_version_2(Bytes datagram) {
  const Bytes body = datagram.subspan(wire::envelope_bytes);
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(body.data()), body.size());
  BOOST_REQUIRE(v2::VerifyDatagramBuffer(verifier));
  return v2::UnPackDatagram(body.data());
}

// The frames of a whole stream as today's code reads them.
struct ReadStream {
  std::vector<std::pair<wire::FrameType, ByteBuffer>> frames;
  std::uint64_t unknown_frames = 0;
};
ReadStream read_stream(Bytes bytes) {
  ReadStream stream;
  wire::FrameReader reader;
  while (true) {
    const auto frame = reader.take(bytes);
    BOOST_REQUIRE(frame.has_value());
    if (!*frame) break;
    reader.open();
    const Bytes body = (*frame)->body;
    stream.frames.emplace_back((*frame)->header.type, ByteBuffer(body.begin(), body.end()));
  }
  stream.unknown_frames = reader.unknown_frames();
  return stream;
}

void append(ByteBuffer& stream, const ByteBuffer& bytes) {
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_record_says_the_same_and_more_within_its_limit) {
  RandomStream random(stream_key(1, "next version", 0));
  for (int trial = 0; trial < 1000; ++trial) {
    const wire::PeerRecord record =
        trial == 0 ? wire::test::largest_record() : wire::test::any_record(random);
    const ByteBuffer bytes = encode(record);
    const ByteBuffer next = record_of_next_version(bytes);
    BOOST_REQUIRE_LE(next.size(), wire::record_bytes_max);
    BOOST_REQUIRE(!is_record_of_next_version(bytes));
    BOOST_REQUIRE(is_record_of_next_version(next));
    BOOST_REQUIRE(next == record_of_next_version(bytes));
    const auto read = wire::decode_peer_record(next);
    BOOST_REQUIRE(read.has_value());
    BOOST_REQUIRE((*read == record));
  }
}

BOOST_AUTO_TEST_CASE(of_a_record_that_today_s_code_writes_anew_nothing_new_is_left) {
  const ByteBuffer next = record_of_next_version(encode(wire::test::largest_record()));
  BOOST_TEST(!is_record_of_next_version(encode(*wire::decode_peer_record(next))));
  BOOST_TEST(!is_record_of_next_version(ByteBuffer(40, std::byte{1})));
}

BOOST_AUTO_TEST_CASE(any_datagram_is_read_by_today_s_code) {
  RandomStream random(stream_key(2, "next version", 0));
  for (int trial = 0; trial < 2000; ++trial) {
    const wire::Datagram sent = wire::test::any_datagram(random);
    const ByteBuffer bytes = datagram_of_next_version(encode(sent));
    BOOST_REQUIRE_LE(bytes.size(), wire::envelope_bytes + wire::datagram_body_bytes_max);
    const auto read = wire::decode_datagram(bytes);
    BOOST_REQUIRE(read.has_value());
    BOOST_REQUIRE(read->run == sent.run);
    BOOST_REQUIRE(read->sender == sent.sender);
    BOOST_REQUIRE_EQUAL(read->incarnation, sent.incarnation);
    const bool is_greeting = std::holds_alternative<std::monostate>(read->message) &&
                             std::holds_alternative<wire::Gossip>(sent.message);
    BOOST_REQUIRE((is_greeting || read->message == sent.message));
    BOOST_REQUIRE(are_front_of(read->updates, sent.updates));
    BOOST_REQUIRE_EQUAL(read->statuses.size(), sent.statuses.size());
  }
}

BOOST_AUTO_TEST_CASE(a_datagram_with_room_has_all_that_is_new) {
  const PeerId self{.high = 1, .low = 2};
  const Update own = largest_alive(self);
  wire::Datagram sent{.run = {.high = 1, .low = 1},
                      .sender = self,
                      .incarnation = 8,
                      .message = wire::Ping{.sequence = 7, .target = self},
                      .updates = {},
                      .statuses = {{.cell = {3}, .owner = self}}};
  bool is_held = false;
  for (sent.incarnation = 0; sent.incarnation < 20; ++sent.incarnation) {
    const auto read = read_by_version_2(datagram_of_next_version(encode(sent)));
    BOOST_TEST(read->v2_hops > 0);
    BOOST_TEST(read->message.AsPing()->v2_sent_at != 0u);
    BOOST_TEST(read->updates.front()->v2_reason == "lunch");
    is_held = is_held || read->statuses.front().phase() == v2::CellPhase::V2Held;
  }
  BOOST_TEST(is_held);
  sent.message = wire::Gossip{};
  bool is_greeted = false;
  for (sent.incarnation = 0; sent.incarnation < 40; ++sent.incarnation) {
    const auto read = read_by_version_2(datagram_of_next_version(encode(sent)));
    is_greeted = is_greeted || read->message.AsV2Greeting() != nullptr;
  }
  BOOST_TEST(is_greeted);
}

BOOST_AUTO_TEST_CASE(the_fullest_datagram_keeps_its_sender_s_record) {
  RandomStream random(stream_key(3, "next version", 0));
  const PeerId self{.high = 1, .low = 2};
  const Update own = largest_alive(self);
  for (int trial = 0; trial < 200; ++trial) {
    wire::Datagram sent{.run = {.high = 1, .low = 1},
                        .sender = self,
                        .incarnation = 8,
                        .message = wire::test::any_message(random),
                        .updates = {own},
                        .statuses = {}};
    // As much more as today's code packs with it: it goes by bounds.
    std::size_t bytes = wire::datagram_overhead_bytes + encoded_bytes_bound(own);
    for (Update other = wire::test::any_update(random);
         bytes + encoded_bytes_bound(other) <= wire::datagram_body_bytes_max;
         other = wire::test::any_update(random)) {
      bytes += encoded_bytes_bound(other);
      sent.updates.push_back(std::move(other));
    }
    const ByteBuffer next = datagram_of_next_version(encode(sent));
    BOOST_REQUIRE_LE(next.size(), wire::envelope_bytes + wire::datagram_body_bytes_max);
    const auto read = wire::decode_datagram(next);
    BOOST_REQUIRE(read.has_value());
    const auto found = std::ranges::find(read->updates, UpdateKind::Alive, &Update::kind);
    BOOST_REQUIRE(found != read->updates.end());
    BOOST_REQUIRE(found->record == record_of_next_version(own.record));
  }
}

BOOST_AUTO_TEST_CASE(the_records_of_others_stay_as_they_came) {
  const PeerId self{.high = 1, .low = 2};
  const PeerId other{.high = 3, .low = 4};
  const wire::Datagram sent{
      .run = {.high = 1, .low = 1}, .sender = self, .updates = {largest_alive(other)}};
  const auto read = wire::decode_datagram(datagram_of_next_version(encode(sent)));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST((read->updates.back() == sent.updates.front()));
}

BOOST_AUTO_TEST_CASE(a_stream_is_read_past_what_is_new) {
  const PeerId self{.high = 1, .low = 2};
  const Update own = largest_alive(self);
  const wire::Hello hello{.version_min = 1,
                          .version_max = 1,
                          .sender = self,
                          .purpose = wire::StreamPurpose::Sync,
                          .record = own.record};
  ByteBuffer stream;
  append(stream,
         frame_of_next_version(encode_frame(wire::FrameType::Hello, 0, encode(hello)), self));
  append(stream, frame_of_next_version(
                     encode_frame(wire::FrameType::State, 1, encode(wire::State{{own}})), self));
  // A chunk, whose bytes follow from elsewhere.
  append(stream, frame_of_next_version(encode_frame_header(wire::FrameType::Chunk, 2, 9), self));
  append(stream, ByteBuffer(9, std::byte{5}));

  const ReadStream read = read_stream(stream);
  BOOST_TEST(read.unknown_frames == 1u);
  BOOST_REQUIRE(read.frames.size() == 3u);
  const auto greeted = wire::decode_hello(read.frames[0].second);
  BOOST_REQUIRE(greeted.has_value());
  BOOST_TEST(greeted->version_min == 1);
  BOOST_TEST(greeted->version_max == 2);
  BOOST_TEST((greeted->record == record_of_next_version(own.record)));
  const auto state = wire::decode_state(read.frames[1].second);
  BOOST_REQUIRE(state.has_value());
  BOOST_REQUIRE(state->updates.size() == 2u);
  BOOST_TEST((state->updates[0].kind == UpdateKind::Unknown));
  BOOST_TEST((state->updates[1].record == greeted->record));
  BOOST_TEST((read.frames[2].second == ByteBuffer(9, std::byte{5})));
}

BOOST_AUTO_TEST_CASE(the_fullest_state_frame_leaves_out_what_is_last) {
  const PeerId self{.high = 1, .low = 2};
  wire::State state{{alive({.id = self, .endpoints = {wire::Endpoint::v4(0x0A000001, 1)}})}};
  // Each takes 64 bytes beside its record, at most.
  for (std::size_t left = ~std::size_t{0}; left > 64;
       left = wire::control_frame_bytes_max - encode(state).size())
    state.updates.push_back({.kind = UpdateKind::Alive,
                             .subject = {.high = 3, .low = state.updates.size()},
                             .incarnation = 1,
                             .version = 1,
                             .accuser = {},
                             .record = ByteBuffer(std::min(wire::record_bytes_max, left - 64))});
  const ByteBuffer frame =
      frame_of_next_version(encode_frame(wire::FrameType::State, 1, encode(state)), self);
  BOOST_TEST(frame.size() <= wire::frame_header_bytes + wire::control_frame_bytes_max);
  const auto read = wire::decode_state(Bytes(frame).subspan(wire::frame_header_bytes));
  BOOST_REQUIRE(read.has_value());
  BOOST_TEST(read->updates.size() == state.updates.size() - 1);
  BOOST_TEST(
      (read->updates.front().record == record_of_next_version(state.updates.front().record)));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

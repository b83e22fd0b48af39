// Today's code among peers of a version 2 (src/sim/version2.fbs): each reads what the other sends,
// and what version 1 passes on keeps what only version 2 knows.
#include <version2_generated.h>

#include <boost/test/unit_test.hpp>

#include "wire/datagram.hpp"
#include "wire/flat_values.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"
#include "wire/peer_record.hpp"
#include "wire/samples.hpp"
#include "wire/session_messages.hpp"

using namespace quadrille;
using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(version_2)

namespace {

namespace v2 = quadrille::wire::version2;
using Builder = flatbuffers::FlatBufferBuilder;

const v2::PeerId alice(1, 2);

ByteBuffer record_of_version_2() {
  Builder builder;
  const auto name = builder.CreateString("peer-2");
  const auto motto = builder.CreateString("later is better");
  std::array<std::uint8_t, 16> address = Endpoint::v4(0x0A000002, 7746).address;
  const std::vector<v2::Endpoint> list = {
      {flatbuffers::span<const std::uint8_t, 16>(address), 7746}};
  const auto endpoints = builder.CreateVectorOfStructs(list);
  const v2::GridEpoch grid(0, 2, 2);
  const v2::V2Mood mood(5);
  v2::PeerRecordBuilder record(builder);
  record.add_id(&alice);
  record.add_incarnation(8);
  record.add_version(9);
  record.add_name(name);
  record.add_endpoints(endpoints);
  record.add_grid(&grid);
  record.add_v2_mood(&mood);
  record.add_v2_motto(motto);
  return finished(builder, record.Finish(), "QREC");
}

// A ping of version 2 with all its news: Paused, Alive with that record, statuses of new kinds.
template <class Message>
ByteBuffer datagram_of_version_2(Builder& builder, v2::Message type,
                                 flatbuffers::Offset<Message> message) {
  const auto reason = builder.CreateString("lunch");
  const auto paused =
      v2::CreateUpdate(builder, v2::UpdateKind::V2Paused, &alice, 8, 0, 0, nullptr, reason);
  const ByteBuffer bytes = record_of_version_2();
  const auto record =
      builder.CreateVector(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const auto alive = v2::CreateUpdate(builder, v2::UpdateKind::Alive, &alice, 8, 9, record);
  const auto updates = builder.CreateVector(std::vector{paused, alive});
  const std::vector<v2::CellStatus> list = {
      {alice, 10, 3, 4, 1.f, 2.f, 3.f, 5, 6, v2::DeviceKind::V2Rocm, v2::CellPhase::V2Held}};
  const auto statuses = builder.CreateVectorOfStructs(list);
  const auto root =
      v2::CreateDatagram(builder, &alice, 8, type, message.Union(), updates, statuses, 44);
  const ByteBuffer body = finished(builder, root, "QDGM");
  ByteBuffer datagram = encode(Datagram{.run = {.high = 1, .low = 1}});
  datagram.resize(envelope_bytes);
  datagram.insert(datagram.end(), body.begin(), body.end());
  return datagram;
}

template <class Table>
const Table& read_by_version_2(Bytes bytes, const char* identifier) {
  flatbuffers::Verifier verifier(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  BOOST_REQUIRE(verifier.VerifyBuffer<Table>(identifier));
  return *flatbuffers::GetRoot<Table>(bytes.data());
}

}  // namespace

BOOST_AUTO_TEST_CASE(version_1_reads_what_it_knows_of_a_datagram) {
  Builder builder;
  const auto ping = v2::CreatePing(builder, 7, &alice, 123'456);
  const auto decoded = decode_datagram(datagram_of_version_2(builder, v2::Message::Ping, ping));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(decoded->sender == (PeerId{.high = 1, .low = 2}));
  BOOST_TEST(
      (std::get<Ping>(decoded->message) == Ping{.sequence = 7, .target = {.high = 1, .low = 2}}));
  BOOST_REQUIRE(decoded->updates.size() == 2u);
  BOOST_TEST((decoded->updates[0].kind == UpdateKind::Unknown));
  BOOST_TEST((decoded->updates[1].kind == UpdateKind::Alive));
  BOOST_REQUIRE(decoded->statuses.size() == 1u);
  BOOST_TEST(decoded->statuses[0].round == 10u);
  BOOST_TEST((decoded->statuses[0].device == DeviceKind::Unknown));
  BOOST_TEST((decoded->statuses[0].phase == CellPhase::Unknown));
}

BOOST_AUTO_TEST_CASE(version_1_reads_what_a_new_message_carries_along) {
  Builder builder;
  const auto words = builder.CreateString("good morning");
  const auto greeting = v2::CreateV2Greeting(builder, words);
  const auto decoded =
      decode_datagram(datagram_of_version_2(builder, v2::Message::V2Greeting, greeting));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(std::holds_alternative<std::monostate>(decoded->message));
  BOOST_TEST(decoded->updates.size() == 2u);
  BOOST_TEST(decoded->statuses.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_record_that_version_1_passes_on_keeps_the_fields_of_version_2) {
  Builder builder;
  const auto ack = v2::CreateAck(builder, 1);
  const auto received = decode_datagram(datagram_of_version_2(builder, v2::Message::Ack, ack));
  BOOST_REQUIRE(received.has_value());
  const Update& alive = received->updates.at(1);
  const auto known = decode_peer_record(alive.record);
  BOOST_REQUIRE(known.has_value());
  BOOST_TEST(known->name == "peer-2");

  const Datagram sent{.run = {.high = 1, .low = 1}, .updates = {alive}};
  const ByteBuffer relayed = encode(sent);
  const auto& body =
      read_by_version_2<v2::Datagram>(Bytes(relayed).subspan(envelope_bytes), "QDGM");
  const auto* bytes = body.updates()->Get(0)->record();
  const ByteBuffer aligned(reinterpret_cast<const std::byte*>(bytes->data()),
                           reinterpret_cast<const std::byte*>(bytes->data()) + bytes->size());
  const auto& record = read_by_version_2<v2::PeerRecord>(aligned, "QREC");
  BOOST_TEST(record.v2_motto()->str() == "later is better");
  BOOST_TEST(record.v2_mood()->level() == 5u);
}

BOOST_AUTO_TEST_CASE(version_1_reads_a_hello_and_version_2_one_of_version_1) {
  Builder builder;
  const auto language = builder.CreateString("es");
  const auto hello =
      v2::CreateHello(builder, 1, 2, nullptr, &alice, v2::StreamPurpose::V2Dance, 6, 0, language);
  const auto decoded = decode_hello(finished(builder, hello, "QSES"));
  BOOST_REQUIRE(decoded.has_value());
  BOOST_TEST(decoded->version_max == 2);
  BOOST_TEST((decoded->purpose == StreamPurpose::Unknown));

  const ByteBuffer old = encode(
      Hello{.version_min = 1, .version_max = 1, .purpose = StreamPurpose::Sync, .features = 3});
  const auto& read = read_by_version_2<v2::Hello>(old, "QSES");
  BOOST_TEST((read.purpose() == v2::StreamPurpose::Sync));
  BOOST_TEST(read.features() == 3u);
  BOOST_TEST(read.v2_language() == nullptr);
}

BOOST_AUTO_TEST_CASE(version_2_reads_every_datagram_and_record_of_version_1) {
  RandomStream random(stream_key(1, "version 2", 0));
  for (int trial = 0; trial < 500; ++trial) {
    const Datagram datagram = wire::test::any_datagram(random);
    const ByteBuffer bytes = encode(datagram);
    const auto& body =
        read_by_version_2<v2::Datagram>(Bytes(bytes).subspan(envelope_bytes), "QDGM");
    BOOST_REQUIRE_EQUAL(body.incarnation(), datagram.incarnation);
    BOOST_REQUIRE_EQUAL(
        static_cast<std::size_t>(body.message_type()),
        std::holds_alternative<Gossip>(datagram.message) ? 0 : datagram.message.index());
    const PeerRecord record = wire::test::any_record(random);
    const ByteBuffer encoded = encode(record);
    const auto& read = read_by_version_2<v2::PeerRecord>(encoded, "QREC");
    BOOST_REQUIRE_EQUAL(read.capacity(), record.capacity);
    BOOST_REQUIRE(read.v2_motto() == nullptr);
  }
}

BOOST_AUTO_TEST_CASE(version_1_skips_a_frame_of_version_2_and_reads_the_next) {
  constexpr auto v2_frame = std::byte{60};
  ByteBuffer stream = encode_frame(FrameType::Credit, 0, ByteBuffer(500, std::byte{1}));
  stream[4] = v2_frame;
  const ByteBuffer next = encode_frame(FrameType::Credit, 1, encode(Credit{.bytes = 9}));
  stream.insert(stream.end(), next.begin(), next.end());
  FrameReader reader;
  reader.open();
  Bytes in = stream;
  const auto frame = reader.take(in);
  BOOST_REQUIRE(frame.has_value());
  BOOST_REQUIRE(frame->has_value());
  BOOST_TEST(decode_credit((*frame)->body)->bytes == 9u);
  BOOST_TEST(reader.unknown_frames() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

// The format cannot drift: messages of today are read by every later release, to these values, and
// are written the same. QUADRILLE_REWRITE_GOLDEN=1 writes the files anew; the commit then says why
// the format changed. A new version gets a folder of its own, and v1 stays.
#include <boost/test/unit_test.hpp>
#include <cstdlib>

#include "support/scratch_directory.hpp"
#include "wire/limits.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(golden)

namespace {

constexpr RunId run = {.high = 0x0123456789ABCDEF, .low = 0xFEDCBA9876543210};
constexpr PeerId alice = {.high = 0xA11CE, .low = 1};
constexpr PeerId bob = {.high = 0xB0B, .low = 2};
constexpr Round round_9 = {.index = 9, .subround = 1};
constexpr EdgeId edge = {.source = {5}, .reader = {6}};

PeerRecord record_of_alice() {
  return {.id = alice,
          .incarnation = 1'700'000'000'000,
          .version = 3,
          .name = "peer-7",
          .zone = "eu-west-1a",
          .endpoints = {Endpoint::v4(0x0A000007, 7746),
                        {.address = {0xFE, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1},
                         .port = 7747}},
          .capacity = 9,
          .leaving = true,
          .features = 0x10,
          .grid = {.epoch = 1, .rows = 4, .columns = 8},
          .claims = {{.first = 0, .count = 2, .stamp = 7}, {.first = 5, .count = 3, .stamp = 8}},
          .yields = {{.first = 6, .count = 2, .to = bob}},
          .signature = ByteBuffer(signature_bytes, std::byte{0x5A})};
}

CellStatus status_of(std::uint32_t cell) {
  return {.cell = {cell},
          .owner = alice,
          .sequence = 12,
          .round = 345,
          .generator_fitness = 0.5f,
          .discriminator_fitness = -1.25f,
          .score = 28.5f,
          .sent_bytes_per_second = 678'901,
          .age_seconds = 4,
          .device = DeviceKind::Cuda,
          .phase = CellPhase::Training};
}

std::vector<Update> updates() {
  return {{.kind = UpdateKind::Alive,
           .subject = alice,
           .incarnation = 1'700'000'000'000,
           .version = 3,
           .record = encode(record_of_alice())},
          {.kind = UpdateKind::Suspect, .subject = bob, .incarnation = 8, .accuser = alice},
          {.kind = UpdateKind::Dead, .subject = bob, .incarnation = 8, .accuser = alice},
          {.kind = UpdateKind::Left, .subject = bob, .incarnation = 9}};
}

Datagram datagram_of(const Message& message) {
  return {.run = run,
          .sender = alice,
          .incarnation = 1'700'000'000'000,
          .message = message,
          .updates = updates(),
          .statuses = {status_of(0), status_of(1)}};
}

Digest digest() {
  Digest value{std::vector<std::uint64_t>(256)};
  for (std::size_t bucket = 0; bucket < value.buckets.size(); ++bucket)
    value.buckets[bucket] = bucket * 0x0101010101010101;
  return value;
}

StateEnd state_end() {
  StateEnd value{std::vector<bool>(256)};
  for (std::size_t bucket = 0; bucket < value.differing.size(); bucket += 3)
    value.differing[bucket] = true;
  return value;
}

// The file holds `value`, and today's code writes it so.
template <class Value, class Decode>
void check(const std::string& name, const Value& value, const Decode& decode) {
  BOOST_TEST_CONTEXT(name) {
    const std::string path = QUADRILLE_SOURCE_DIR "/tests/golden/wire/v1/" + name + ".bin";
    const ByteBuffer written = encode(value);
    const std::string_view text(reinterpret_cast<const char*>(written.data()), written.size());
    if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr)
      quadrille::test::put_contents(path, text);
    const std::string file = quadrille::test::contents_of(path);
    BOOST_TEST(!file.empty());
    const auto decoded = decode(bytes_of(std::span<const char>(file)));
    BOOST_REQUIRE(decoded.has_value());
    BOOST_TEST((*decoded == value));
    BOOST_TEST(file == text);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_record_of_version_1_is_read_and_written) {
  check("peer_record", record_of_alice(), decode_peer_record);
}

BOOST_AUTO_TEST_CASE(datagrams_of_version_1_are_read_and_written) {
  check("gossip", datagram_of(Gossip{}), decode_datagram);
  check("ping", datagram_of(Ping{.sequence = 77, .target = bob}), decode_datagram);
  check("ping_request",
        datagram_of(
            PingRequest{.sequence = 77, .target = bob, .endpoint = Endpoint::v4(0x0A000008, 7746)}),
        decode_datagram);
  check("ack", datagram_of(Ack{.sequence = 77}), decode_datagram);
  check("nack", datagram_of(Nack{.sequence = 77}), decode_datagram);
  check("compare_views", datagram_of(CompareViews{.view_hash = 0xFEED, .is_answer = true}),
        decode_datagram);
  check("yield_request", datagram_of(YieldRequest{.sequence = 5, .cells_held = 3}),
        decode_datagram);
  check("yield_reply", datagram_of(YieldReply{.sequence = 5, .granted = true}), decode_datagram);
}

BOOST_AUTO_TEST_CASE(the_messages_that_begin_a_stream_are_read_and_written) {
  check("hello",
        Hello{.version_min = 1,
              .version_max = 2,
              .run = run,
              .sender = alice,
              .purpose = StreamPurpose::Exchange,
              .features = 3,
              .record = encode(record_of_alice())},
        decode_hello);
  check("welcome", Welcome{.version = 1, .run = run, .sender = bob, .features = 1}, decode_welcome);
  check("refusal",
        Refusal{
            .reason = RefusalReason::OtherRun, .text = "this is run \u00abring8\u00bb", .run = run},
        decode_refusal);
  check("run_spec", RunSpecText{.run = run, .toml = "[run]\nname = \"ring8\"\n"}, decode_run_spec);
}

BOOST_AUTO_TEST_CASE(the_messages_of_anti_entropy_are_read_and_written) {
  check("digest", digest(), decode_digest);
  check("state", State{updates()}, decode_state);
  check("state_end", state_end(), decode_state_end);
}

BOOST_AUTO_TEST_CASE(the_messages_of_the_exchange_are_read_and_written) {
  check("subscribe", Subscribe{.edge = edge, .version = 4, .checksum = 0xC0DE, .degree = 5},
        decode_subscribe);
  check("unsubscribe", Unsubscribe{.edge = edge}, decode_unsubscribe);
  check("payload_begin",
        PayloadBegin{.edge = edge,
                     .transfer = 11,
                     .round = round_9,
                     .degree = 5,
                     .heard = Round{.index = 8},
                     .base_version = 4,
                     .base_checksum = 0xC0DE,
                     .version = 6,
                     .bytes = 1'000'000,
                     .exact = ByteBuffer(24, std::byte{0x33})},
        decode_payload_begin);
  check("payload_begin_keyframe", PayloadBegin{.edge = edge, .version = 6, .bytes = 1},
        decode_payload_begin);
  check("credit", Credit{.bytes = 8'388'608}, decode_credit);
  check("payload_applied", PayloadApplied{.edge = edge, .version = 6}, decode_payload_applied);
  check("payload_refused",
        PayloadRefused{.edge = edge, .version = 6, .fault = PayloadFault::NotFinite},
        decode_payload_refused);
  check("direct_begin",
        DirectBegin{.from = {1}, .to = {2}, .transfer = 3, .round = round_9, .bytes = 4096},
        decode_direct_begin);
}

BOOST_AUTO_TEST_CASE(the_messages_about_objects_are_read_and_written) {
  check("object_query", ObjectQuery{.request = 1, .kind = ObjectKind::Snapshot, .cell = {6}},
        decode_object_query);
  check("object_info", ObjectInfo{.request = 1, .found = true, .round = round_9},
        decode_object_info);
  check("object_request",
        ObjectRequest{.request = 2, .kind = ObjectKind::State, .cell = {6}, .hand_over = true},
        decode_object_request);
  check("object_begin",
        ObjectBegin{
            .request = 2, .transfer = 3, .round = round_9, .bytes = 5'000, .checksum = 0xFACE},
        decode_object_begin);
}

BOOST_AUTO_TEST_CASE(the_messages_to_a_watcher_are_read_and_written) {
  check("watch_begin",
        WatchBegin{.run = run,
                   .watched = alice,
                   .run_name = "ring8",
                   .grid = {.epoch = 1, .rows = 4, .columns = 8},
                   .column_stride = 16},
        decode_watch_begin);
  check("watch_members",
        WatchMembers{{{.state = MemberState::Suspect,
                       .id = alice,
                       .since_seconds = 2,
                       .record = encode(record_of_alice())},
                      {.state = MemberState::Left, .id = bob, .since_seconds = 100}}},
        decode_watch_members);
  check("watch_statuses", WatchStatuses{{status_of(3), status_of(4)}}, decode_watch_statuses);
  check("watch_events",
        WatchEvents{{{.sequence = 1,
                      .unix_milliseconds = 1'700'000'000'123,
                      .kind = EventKind::CellAdopted,
                      .peer = bob,
                      .cell = CellIndex{6},
                      .text = "from its checkpoint"},
                     {.sequence = 3, .kind = EventKind::Died, .peer = alice}}},
        decode_watch_events);
}

BOOST_AUTO_TEST_SUITE_END()

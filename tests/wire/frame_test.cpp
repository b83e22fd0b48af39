// Frames: cut anywhere, limited by type before a byte is stored, and a stream that goes wrong once
// is of no more use.
#include "wire/frame.hpp"

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/allocation_count.hpp"
#include "support/signal_of.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"
#include "wire/samples.hpp"

using namespace quadrille;
using namespace quadrille::wire;
using namespace quadrille::wire::test;

BOOST_AUTO_TEST_SUITE(frames)

namespace {

struct Read {
  FrameType type;
  std::uint32_t sequence = 0;
  ByteBuffer body;
  bool operator==(const Read&) const = default;
};

void append(ByteBuffer& stream, Bytes bytes) {
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

FrameReader opened() {
  FrameReader reader;
  reader.open();
  return reader;
}

// What the reader makes of a stream that arrives in pieces of so many bytes; what it says ends it.
std::vector<Read> read_in_pieces(FrameReader& reader, Bytes stream, std::size_t piece_bytes) {
  std::vector<Read> frames;
  while (!stream.empty()) {
    Bytes piece = stream.first(std::min(piece_bytes, stream.size()));
    stream = stream.subspan(piece.size());
    while (true) {
      const auto taken = reader.take(piece);
      BOOST_REQUIRE(taken.has_value());
      if (!taken->has_value()) break;
      const Frame& frame = **taken;
      frames.push_back({.type = frame.header.type,
                        .sequence = frame.header.sequence,
                        .body = {frame.body.begin(), frame.body.end()}});
    }
    BOOST_REQUIRE(piece.empty());
  }
  return frames;
}

ErrorCode error_of(FrameReader reader, Bytes stream) {
  while (true) {
    const auto taken = reader.take(stream);
    if (!taken) return taken.error().code;
    BOOST_REQUIRE_MESSAGE(taken->has_value(), "the stream ends without an error");
  }
}

ByteBuffer header(FrameType type, std::uint32_t sequence, std::uint32_t body_bytes) {
  ByteBuffer head = encode_frame_header(FrameType::Credit, sequence, 0);
  head[4] = static_cast<std::byte>(type);
  store_little(head.data() + 8, body_bytes);
  return head;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stream_gives_the_same_frames_in_pieces_of_every_size) {
  RandomStream random(stream_key(1, "frames", 0));
  ByteBuffer stream;
  std::vector<Read> sent;
  for (const BodyKind& kind : every_body()) {
    if (!kind.frame || kind.name == "digest" || kind.name == "watch-members") continue;
    const auto sequence = static_cast<std::uint32_t>(sent.size());
    sent.push_back({.type = *kind.frame, .sequence = sequence, .body = kind.sample(random)});
    append(stream, encode_frame(*kind.frame, sequence, sent.back().body));
  }
  for (std::size_t bytes = 1; bytes <= stream.size(); bytes += bytes < 700 ? 1 : 97) {
    FrameReader reader = opened();
    BOOST_REQUIRE(read_in_pieces(reader, stream, bytes) == sent);
    BOOST_REQUIRE_EQUAL(reader.unknown_frames(), 0u);
  }
}

BOOST_AUTO_TEST_CASE(a_header_alone_is_the_front_of_the_frame) {
  const ByteBuffer body(100, std::byte{7});
  ByteBuffer pieces = encode_frame_header(FrameType::Chunk, 5, body.size());
  append(pieces, body);
  BOOST_TEST((encode_frame(FrameType::Chunk, 5, body) == pieces));
}

BOOST_AUTO_TEST_CASE(a_frame_may_have_an_empty_body) {
  FrameReader reader = opened();
  const auto frames = read_in_pieces(reader, encode_frame(FrameType::Chunk, 0, {}), 3);
  BOOST_TEST(frames.size() == 1u);
  BOOST_TEST(frames.at(0).body.empty());
}

BOOST_AUTO_TEST_CASE(a_type_of_a_later_version_is_skipped_by_its_length_and_counted) {
  ByteBuffer stream = header(static_cast<FrameType>(200), 0, 1000);
  stream.resize(stream.size() + 1000);
  append(stream, header(static_cast<FrameType>(0), 1, 0));
  append(stream, encode_frame(FrameType::Chunk, 2, ByteBuffer(10)));
  for (const std::size_t bytes : {1, 15, 16, 17, 5000}) {
    FrameReader reader = opened();
    const auto frames = read_in_pieces(reader, stream, bytes);
    BOOST_TEST(frames.size() == 1u);
    BOOST_TEST(frames.at(0).sequence == 2u);
    BOOST_TEST(reader.unknown_frames() == 2u);
  }
}

BOOST_AUTO_TEST_CASE(a_body_beyond_the_limit_of_its_type_is_refused_by_its_header) {
  for (int type = 0; type < 256; ++type) {
    const std::size_t limit =
        body_bytes_max(static_cast<FrameType>(type)).value_or(control_frame_bytes_max);
    const auto body_bytes = static_cast<std::uint32_t>(limit);
    ByteBuffer fits = header(static_cast<FrameType>(type), 0, body_bytes);
    Bytes in = fits;
    BOOST_REQUIRE(opened().take(in).has_value());
    BOOST_REQUIRE(error_of(opened(), header(static_cast<FrameType>(type), 0, body_bytes + 1)) ==
                  ErrorCode::Limit);
    BOOST_REQUIRE(error_of(opened(), header(static_cast<FrameType>(type), 0, ~0U)) ==
                  ErrorCode::Limit);
  }
}

BOOST_AUTO_TEST_CASE(memory_grows_with_what_arrives_and_not_with_what_is_claimed) {
  const ByteBuffer head = header(FrameType::Chunk, 0, chunk_head_bytes + chunk_bytes_max);
  FrameReader reader = opened();
  Bytes in = head;
  const std::size_t before = quadrille::test::allocation_count();
  const bool accepted = reader.take(in).has_value();
  const std::size_t after = quadrille::test::allocation_count();
  BOOST_TEST(accepted);
  BOOST_TEST(after == before);
}

BOOST_AUTO_TEST_CASE(no_body_beyond_its_limit_is_sent) {
  BOOST_TEST(quadrille::test::signal_of([] {
               (void)encode_frame_header(FrameType::Chunk, 0,
                                         chunk_head_bytes + chunk_bytes_max + 1);
             }) == SIGABRT);
  BOOST_TEST(quadrille::test::signal_of(
                 [] { (void)encode_frame_header(static_cast<FrameType>(99), 0, 0); }) == SIGABRT);
}

BOOST_AUTO_TEST_CASE(a_listener_lets_nothing_in_before_a_hello) {
  for (int type = 0; type < 256; ++type) {
    FrameReader reader;
    const ByteBuffer head = header(static_cast<FrameType>(type), 0, 0);
    Bytes in = head;
    BOOST_REQUIRE_EQUAL(reader.take(in).has_value(), type == static_cast<int>(FrameType::Hello));
  }
}

BOOST_AUTO_TEST_CASE(a_dialler_lets_nothing_in_before_welcome_or_refusal) {
  for (int type = 0; type < 256; ++type) {
    FrameReader reader(StreamEnd::Dialler);
    const ByteBuffer head = header(static_cast<FrameType>(type), 0, 0);
    Bytes in = head;
    const auto known = static_cast<FrameType>(type);
    BOOST_REQUIRE_EQUAL(reader.take(in).has_value(),
                        known == FrameType::Welcome || known == FrameType::Refusal);
  }
}

BOOST_AUTO_TEST_CASE(what_follows_the_first_frame_waits_until_the_reader_is_opened) {
  ByteBuffer stream = encode_frame(FrameType::Hello, 0, ByteBuffer(5));
  append(stream, encode_frame(FrameType::Digest, 1, ByteBuffer(5)));
  Bytes in = stream;
  FrameReader reader;
  BOOST_REQUIRE(reader.take(in)->has_value());
  reader.open();
  const auto second = reader.take(in);
  BOOST_REQUIRE(second.has_value());
  BOOST_REQUIRE(second->has_value());
  BOOST_TEST(((*second)->header.type == FrameType::Digest));
}

BOOST_AUTO_TEST_CASE(a_frame_out_of_sequence_or_of_another_protocol_breaks_the_stream) {
  BOOST_TEST((error_of(opened(), header(FrameType::Credit, 1, 0)) == ErrorCode::Corrupt));
  ByteBuffer twice = header(FrameType::Credit, 0, 0);
  append(twice, header(FrameType::Credit, 0, 0));
  BOOST_TEST((error_of(opened(), twice) == ErrorCode::Corrupt));
  ByteBuffer other = header(FrameType::Credit, 0, 0);
  other[3] = std::byte{'D'};
  BOOST_TEST((error_of(opened(), other) == ErrorCode::Corrupt));
}

BOOST_AUTO_TEST_CASE(a_version_that_we_do_not_speak_is_told_from_damage) {
  for (const int version : {0, protocol_version_max + 1}) {
    ByteBuffer head = header(FrameType::Credit, 0, 0);
    store_little(head.data() + 6, static_cast<std::uint16_t>(version));
    BOOST_TEST((error_of(opened(), head) == ErrorCode::Mismatch));
  }
}

BOOST_AUTO_TEST_CASE(a_broken_stream_stays_broken) {
  FrameReader reader = opened();
  const ByteBuffer bad = header(FrameType::Credit, 7, 0);
  Bytes in = bad;
  const auto first = reader.take(in);
  BOOST_REQUIRE(!first.has_value());
  const ByteBuffer good = header(FrameType::Credit, 0, 0);
  in = good;
  const auto second = reader.take(in);
  BOOST_REQUIRE(!second.has_value());
  BOOST_TEST((second.error() == first.error()));
}

BOOST_AUTO_TEST_SUITE_END()

// Whole frames cannot drift: a stream with one of each type, whose bodies are the golden messages
// of version 1, is read and written to the byte by every later release. Both ends of a stream share
// an enum and the head of a chunk: only such a file tells that neither has changed.
// QUADRILLE_REWRITE_GOLDEN=1 writes it anew; the commit then says why the format changed.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/scratch_directory.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/frame.hpp"

using namespace quadrille;
using namespace quadrille::wire;

BOOST_AUTO_TEST_SUITE(frame_golden)

namespace {

constexpr ChunkHead chunk_head = {.transfer = 11, .offset = 0x01020304};
constexpr std::size_t chunk_bytes = 20;

std::string golden_path(const std::string& name) {
  return QUADRILLE_SOURCE_DIR "/tests/golden/wire/v1/" + name + ".bin";
}

ByteBuffer golden(const std::string& name) {
  const std::string file = quadrille::test::contents_of(golden_path(name));
  const Bytes bytes = bytes_of(std::span<const char>(file));
  return {bytes.begin(), bytes.end()};
}

ByteBuffer a_chunk() {
  ByteBuffer body = encode(chunk_head);
  body.resize(body.size() + chunk_bytes, std::byte{0x77});
  return body;
}

struct Sent {
  FrameType type;
  ByteBuffer body;
};

std::vector<Sent> every_frame() {
  using enum FrameType;
  return {{Hello, golden("hello")},
          {Welcome, golden("welcome")},
          {Refusal, golden("refusal")},
          {RunSpec, golden("run_spec")},
          {Digest, golden("digest")},
          {State, golden("state")},
          {StateEnd, golden("state_end")},
          {Subscribe, golden("subscribe")},
          {Unsubscribe, golden("unsubscribe")},
          {PayloadBegin, golden("payload_begin")},
          {Chunk, a_chunk()},
          {Credit, golden("credit")},
          {PayloadApplied, golden("payload_applied")},
          {PayloadRefused, golden("payload_refused")},
          {ObjectQuery, golden("object_query")},
          {ObjectInfo, golden("object_info")},
          {ObjectRequest, golden("object_request")},
          {ObjectBegin, golden("object_begin")},
          {DirectBegin, golden("direct_begin")},
          {WatchBegin, golden("watch_begin")},
          {WatchMembers, golden("watch_members")},
          {WatchStatuses, golden("watch_statuses")},
          {WatchEvents, golden("watch_events")}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_stream_of_version_1_is_written_to_the_byte) {
  ByteBuffer stream;
  std::uint32_t sequence = 0;
  for (const Sent& sent : every_frame()) {
    const ByteBuffer frame = encode_frame(sent.type, sequence++, sent.body);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr)
    quadrille::test::put_contents(golden_path("stream"),
                                  {reinterpret_cast<const char*>(stream.data()), stream.size()});
  BOOST_TEST((golden("stream") == stream));
}

BOOST_AUTO_TEST_CASE(a_stream_of_version_1_is_read) {
  const ByteBuffer stream = golden("stream");
  Bytes in = stream;
  FrameReader reader;
  reader.open();
  for (const Sent& sent : every_frame()) {
    const auto taken = reader.take(in);
    BOOST_REQUIRE(taken.has_value());
    BOOST_REQUIRE(taken->has_value());
    BOOST_TEST(((*taken)->header.type == sent.type));
    BOOST_TEST(std::ranges::equal((*taken)->body, sent.body));
    if (sent.type != FrameType::Chunk) continue;
    const auto chunk = decode_chunk((*taken)->body);
    BOOST_REQUIRE(chunk.has_value());
    BOOST_TEST((chunk->head == chunk_head));
    BOOST_TEST(chunk->bytes.size() == chunk_bytes);
  }
  BOOST_TEST(in.empty());
  BOOST_TEST(reader.unknown_frames() == 0U);
}

// A type that is new here needs a frame in the stream above, or in that of its version.
BOOST_AUTO_TEST_CASE(every_type_is_in_the_stream) {
  std::size_t known = 0;
  for (int type = 0; type < 256; ++type)
    known += body_bytes_max(static_cast<FrameType>(type)) ? 1 : 0;
  BOOST_TEST(known == every_frame().size());
}

BOOST_AUTO_TEST_SUITE_END()

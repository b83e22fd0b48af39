// Replays the fuzzers' corpora, so that every build reads what once was interesting. Their first
// inputs, random messages whole and cut, are written by QUADRILLE_REWRITE_CORPUS=1.
#include "support/corpus.hpp"

#include <cstdlib>

#include "fuzz/frames_case.hpp"
#include "fuzz/message_case.hpp"
#include "wire/samples.hpp"

namespace quadrille::wire {
BOOST_AUTO_TEST_SUITE(corpora)

namespace {

void put(const std::string& name, std::byte first, Bytes rest) {
  std::string content(1, static_cast<char>(first));
  content.append(reinterpret_cast<const char*>(rest.data()), rest.size());
  quadrille::test::put_contents(QUADRILLE_SOURCE_DIR "/tests/fuzz/corpus/" + name, content);
}

void append(ByteBuffer& stream, Bytes bytes) {
  stream.insert(stream.end(), bytes.begin(), bytes.end());
}

// One of each, the large ones left out: they are as good when they are short.
void write_corpora() {
  RandomStream random(stream_key(1, "corpus", 0));
  ByteBuffer stream;
  std::uint32_t sequence = 0;
  std::uint8_t choice = 0;
  for (const test::BodyKind& kind : test::every_body()) {
    ByteBuffer body = kind.sample(random);
    for (int tries = 0; body.size() > 800 && tries < 50; ++tries) body = kind.sample(random);
    put("message/" + std::string(kind.name), std::byte{choice++}, body);
    if (!kind.frame || body.size() > 300) continue;
    append(stream, encode_frame(*kind.frame, sequence++, body));
    const auto pieces = static_cast<std::byte>(sequence << 3U | 6U);
    put("frames/up-to-" + std::string(kind.name), pieces, stream);
  }
  for (const char* name : {"message/datagram-1", "message/datagram-2", "message/datagram-3"})
    put(name, std::byte{choice}, encode(test::any_datagram(random)));
  ByteBuffer chunk = encode(ChunkHead{.transfer = 1, .offset = 2});
  chunk.resize(40);
  put("message/chunk", static_cast<std::byte>(choice + 1), chunk);
  ByteBuffer session = encode_frame(FrameType::Hello, 0, encode(Hello{.version_max = 1}));
  append(session, encode_frame(FrameType::Digest, 1, ByteBuffer(40)));
  put("frames/listener", std::byte{0x38}, session);
  session = encode_frame(FrameType::Welcome, 0, encode(Welcome{.version = 1}));
  session[session.size() - 1] ^= std::byte{1};
  put("frames/dialler", std::byte{0x39}, session);
  ByteBuffer unknown = encode_frame(FrameType::Chunk, 0, ByteBuffer(30));
  unknown[4] = std::byte{200};
  append(unknown, encode_frame(FrameType::Chunk, 1, ByteBuffer(30)));
  put("frames/unknown", std::byte{0x1A}, unknown);
}

template <auto run_case>
void run(const std::string& content) {
  run_case(bytes_of(std::span<const char>(content)));
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_message_of_the_corpus_is_survived) {
  if (std::getenv("QUADRILLE_REWRITE_CORPUS") != nullptr) write_corpora();
  quadrille::test::replay_corpus("message", run<fuzz::message_case>);
}

BOOST_AUTO_TEST_CASE(every_stream_of_the_corpus_is_survived_however_it_is_cut) {
  quadrille::test::replay_corpus("frames", run<fuzz::frames_case>);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::wire

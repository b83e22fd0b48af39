// The format cannot drift: payloads of today must be read by every later release, and without zstd
// be written the same. zstd's output is its own affair: those files are only read.
// QUADRILLE_REWRITE_GOLDEN=1 writes the files anew; the commit then says why the format changed.
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "base/bytes.hpp"
#include "codec/edge.hpp"
#include "codec/floats.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(golden)

namespace {

constexpr std::size_t count = 1000;

// Mostly small, so that zstd has something to find.
Floats golden_values(std::uint64_t seed) {
  RandomStream random(stream_key(seed, "golden", 0));
  Floats values(count);
  for (float& value : values) {
    double product = 0.2;
    for (int factor = 0; factor < 4; ++factor) product *= random.uniform();
    value = static_cast<float>(product * (random.uniform() - 0.5));
  }
  return values;
}

std::string path_of(CodecOptions options) {
  return QUADRILLE_SOURCE_DIR "/tests/golden/codec/" + describe(options) + ".bin";
}

ByteBuffer read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  BOOST_REQUIRE_MESSAGE(file, path << " cannot be read");
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const Bytes bytes = std::as_bytes(std::span(content));
  return {bytes.begin(), bytes.end()};
}

// The second payload of an edge, so that differences and versions are in it.
ByteBuffer second_payload(CodecOptions options) {
  Encoder encoder;
  SendingEdge edge(options, count);
  ByteBuffer payload;
  BOOST_REQUIRE(edge.advance(golden_values(1)).has_value());
  BOOST_REQUIRE(edge.encode(encoder, golden_values(2), payload).has_value());
  return payload;
}

Floats second_state(CodecOptions options) {
  SendingEdge edge(options, count);
  BOOST_REQUIRE(edge.advance(golden_values(1)).has_value());
  BOOST_REQUIRE(edge.advance(golden_values(2)).has_value());
  return {edge.replica().newest().begin(), edge.replica().newest().end()};
}

std::vector<CodecOptions> all_options() {
  std::vector<CodecOptions> all;
  for (std::size_t kind = 0; kind < codec_kind_count; ++kind)
    for (const bool zstd : {false, true}) all.push_back({static_cast<CodecKind>(kind), zstd});
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(payloads_are_written_as_they_always_were) {
  if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr)
    for (const CodecOptions& options : all_options()) {
      const ByteBuffer payload = second_payload(options);
      std::ofstream(path_of(options), std::ios::binary)
          .write(reinterpret_cast<const char*>(payload.data()),
                 static_cast<std::streamsize>(payload.size()));
    }
  for (const CodecOptions& options : all_options())
    if (!options.zstd)
      BOOST_TEST((second_payload(options) == read_file(path_of(options))), describe(options));
}

BOOST_AUTO_TEST_CASE(payloads_are_read_as_they_always_were) {
  Decoder decoder;
  for (const CodecOptions& options : all_options()) {
    ReceivingEdge edge(count);
    edge.restore(1, golden_values(1));
    const auto result = edge.apply(decoder, read_file(path_of(options)));
    BOOST_REQUIRE_MESSAGE(result.has_value(), describe(options));
    BOOST_TEST(same_bits(edge.replica().newest(), second_state(options)), describe(options));
  }
}

BOOST_AUTO_TEST_SUITE_END()

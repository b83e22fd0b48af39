// Hostile payloads: each is refused, whatever it claims.
#include "codec/payload.hpp"

#include <zstd.h>

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <cstring>

#include "codec/decoder.hpp"
#include "codec/edge.hpp"
#include "codec/encoder.hpp"
#include "codec/floats.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(payloads)

namespace {

constexpr std::size_t count = 300;

ByteBuffer payload_of(CodecKind kind, bool zstd) {
  Encoder encoder;
  ByteBuffer payload;
  if (kind != CodecKind::Int8Difference) {
    BOOST_REQUIRE(encoder.encode(weights(count, 1), {kind, zstd}, payload).has_value());
    return payload;
  }
  SendingEdge edge({kind, zstd}, count);
  BOOST_REQUIRE(edge.advance(weights(count, 1)).has_value());
  BOOST_REQUIRE(edge.encode(encoder, weights(count, 2), payload).has_value());
  return payload;
}

std::vector<ByteBuffer> all_payloads() {
  std::vector<ByteBuffer> all;
  for (std::size_t kind = 0; kind < codec_kind_count; ++kind)
    for (const bool zstd : {false, true})
      all.push_back(payload_of(static_cast<CodecKind>(kind), zstd));
  return all;
}

// A receiver that holds what the difference of payload_of() starts from.
ReceivingEdge receiver() {
  ReceivingEdge edge(count);
  edge.restore(1, weights(count, 1));
  return edge;
}

// Decoding alone and on an edge must both refuse it, and leave the edge as it was.
ErrorCode refused(Bytes payload) {
  Decoder decoder;
  Floats values(count);
  const auto alone = decoder.decode(payload, values);
  BOOST_REQUIRE(!alone.has_value());
  ReceivingEdge edge = receiver();
  const auto applied = edge.apply(decoder, payload);
  BOOST_REQUIRE(!applied.has_value());
  BOOST_REQUIRE_EQUAL(edge.replica().version(), 1u);
  BOOST_REQUIRE(same_bits(edge.replica().newest(), weights(count, 1)));
  return alone.error().code;
}

ByteBuffer sealed(const PayloadHeader& header, Bytes body) {
  ByteBuffer payload(header_bytes + body.size());
  std::ranges::copy(body, payload.begin() + header_bytes);
  seal(header, payload);
  return payload;
}

// A payload for `count` floats with a body of one repeated byte pattern.
template <class Pattern>
ByteBuffer filled(CodecKind kind, Pattern pattern) {
  ByteBuffer body(body_bytes(kind, count));
  for (std::size_t i = 0; i + sizeof pattern <= body.size(); i += sizeof pattern)
    std::memcpy(body.data() + i, &pattern, sizeof pattern);
  return sealed({.kind = kind, .float_count = count, .version = 2}, body);
}

ByteBuffer zstd_frame(std::size_t size) {
  const ByteBuffer zeros(size);
  ByteBuffer frame(ZSTD_compressBound(size));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), zeros.data(), size, 19));
  return frame;
}

constexpr PayloadHeader compressed_int8 = {
    .kind = CodecKind::Int8, .zstd = true, .float_count = count, .version = 2};

}  // namespace

BOOST_AUTO_TEST_CASE(a_header_comes_back_as_it_was_sealed) {
  const PayloadHeader header{.kind = CodecKind::Bf16,
                             .zstd = false,
                             .float_count = 2,
                             .version = 0x0123456789abcdef,
                             .base_checksum = 0xfedcba9876543210};
  const ByteBuffer payload = sealed(header, ByteBuffer(4));
  const auto read = read_header(payload, 2);
  BOOST_REQUIRE(read.has_value());
  BOOST_CHECK(*read == header);
}

BOOST_AUTO_TEST_CASE(any_flipped_bit_is_refused) {
  for (const ByteBuffer& payload : all_payloads())
    for (std::size_t bit = 0; bit < 8 * payload.size(); bit += bit < 8 * header_bytes ? 1 : 37) {
      ByteBuffer flipped = payload;
      flipped[bit / 8] ^= static_cast<std::byte>(1 << (bit % 8));
      refused(flipped);
    }
}

BOOST_AUTO_TEST_CASE(every_truncation_is_refused) {
  for (const ByteBuffer& payload : all_payloads())
    for (std::size_t length = 0; length < payload.size(); ++length)
      BOOST_REQUIRE(refused(Bytes(payload).first(length)) == ErrorCode::Corrupt);
}

BOOST_AUTO_TEST_CASE(a_truncation_with_a_right_checksum_is_refused) {
  for (const ByteBuffer& payload : all_payloads())
    for (std::size_t length = header_bytes; length < payload.size(); ++length) {
      ByteBuffer cut(payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(length));
      set_checksum(cut);
      refused(cut);
    }
}

BOOST_AUTO_TEST_CASE(trailing_bytes_are_refused) {
  for (ByteBuffer payload : all_payloads()) {
    payload.push_back(std::byte{0});
    BOOST_REQUIRE(refused(payload) == ErrorCode::Corrupt);
    set_checksum(payload);
    refused(payload);
  }
}

BOOST_AUTO_TEST_CASE(another_number_of_floats_is_a_mismatch) {
  Decoder decoder;
  for (const std::size_t expected : {0u, 1u, 299u, 301u, 100000u}) {
    const ByteBuffer payload = payload_of(CodecKind::Int8, false);
    Floats values(expected);
    const auto result = decoder.decode(payload, values);
    BOOST_REQUIRE(!result.has_value());
    // So much shorter a payload cannot be anything that was expected.
    BOOST_CHECK(
        result.error().code ==
        (payload.size() > payload_bytes_max(expected) ? ErrorCode::Corrupt : ErrorCode::Mismatch));
  }
}

BOOST_AUTO_TEST_CASE(an_enormous_claim_is_refused_before_memory_is_taken) {
  for (const std::uint64_t claim : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    ByteBuffer payload = payload_of(CodecKind::Fp32, true);
    std::memcpy(payload.data() + 16, &claim, sizeof claim);
    set_checksum(payload);
    BOOST_CHECK(refused(payload) == ErrorCode::Mismatch);
  }
}

BOOST_AUTO_TEST_CASE(another_format_version_is_a_mismatch_that_says_so) {
  ByteBuffer payload = payload_of(CodecKind::Fp16, false);
  payload[3] = std::byte{2};
  set_checksum(payload);
  BOOST_CHECK(refused(payload) == ErrorCode::Mismatch);
  const auto result = read_header(payload, count);
  BOOST_TEST(result.error().detail.find("format version 2") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(unknown_codecs_and_flags_are_refused) {
  for (const std::size_t offset : {4u, 5u, 6u, 7u})
    for (const int value : {5, 17, 128, 255}) {
      ByteBuffer payload = payload_of(CodecKind::Fp16, false);
      payload[offset] = static_cast<std::byte>(value);
      set_checksum(payload);
      BOOST_CHECK(refused(payload) == ErrorCode::Corrupt);
    }
}

BOOST_AUTO_TEST_CASE(a_difference_alone_is_a_mismatch) {
  Decoder decoder;
  Floats values(count);
  const auto result = decoder.decode(payload_of(CodecKind::Int8Difference, true), values);
  BOOST_REQUIRE(!result.has_value());
  BOOST_CHECK(result.error().code == ErrorCode::Mismatch);
}

BOOST_AUTO_TEST_CASE(values_that_are_not_finite_are_refused) {
  refused(filled(CodecKind::Fp32, HUGE_VALF));
  refused(filled(CodecKind::Fp32, NAN));
  refused(filled(CodecKind::Fp16, std::uint16_t{0x7c00}));
  refused(filled(CodecKind::Fp16, std::uint16_t{0xfe01}));
  refused(filled(CodecKind::Bf16, std::uint16_t{0xff80}));
  refused(filled(CodecKind::Int8, std::uint16_t{0x7f80}));  // the scales are infinite
  refused(filled(CodecKind::Int8, std::uint16_t{0x7f00}));  // the products are
  // One such value among good ones, in the last short block.
  ByteBuffer payload = payload_of(CodecKind::Fp32, false);
  const float bad = -NAN;
  std::memcpy(payload.data() + payload.size() - 4, &bad, 4);
  set_checksum(payload);
  BOOST_CHECK(refused(payload) == ErrorCode::Corrupt);
}

BOOST_AUTO_TEST_CASE(a_difference_that_leads_to_infinity_is_refused) {
  ReceivingEdge edge(count);
  edge.restore(1, Floats(count, 3e38f));
  ByteBuffer body(body_bytes(CodecKind::Int8Difference, count), std::byte{0x7c});
  const ByteBuffer payload = sealed({.kind = CodecKind::Int8Difference,
                                     .float_count = count,
                                     .version = 2,
                                     .base_checksum = checksum_of(edge.replica().newest())},
                                    body);
  Decoder decoder;
  const auto result = edge.apply(decoder, payload);
  BOOST_REQUIRE(!result.has_value());
  BOOST_CHECK(result.error().code == ErrorCode::Corrupt);
  BOOST_TEST(same_bits(edge.replica().newest(), Floats(count, 3e38f)));
}

BOOST_AUTO_TEST_CASE(a_zstd_bomb_is_refused) {
  const std::size_t expected = body_bytes(CodecKind::Int8, count);
  Decoder decoder;
  Floats values(count);
  BOOST_REQUIRE(decoder.decode(sealed(compressed_int8, zstd_frame(expected)), values).has_value());
  BOOST_CHECK(refused(sealed(compressed_int8, zstd_frame(expected - 1))) == ErrorCode::Corrupt);
  BOOST_CHECK(refused(sealed(compressed_int8, zstd_frame(expected + 1))) == ErrorCode::Corrupt);
  // 4 MB of zeros in a frame that is short enough to be looked at.
  const ByteBuffer bomb = zstd_frame(4'000'000);
  BOOST_REQUIRE_LT(bomb.size(), expected);
  BOOST_CHECK(refused(sealed(compressed_int8, bomb)) == ErrorCode::Corrupt);
}

BOOST_AUTO_TEST_CASE(anything_but_one_zstd_frame_is_refused) {
  const std::size_t expected = body_bytes(CodecKind::Int8, count);
  const std::uint32_t skippable[] = {0x184d2a50, 0};
  const Bytes skip = std::as_bytes(std::span(skippable));
  ByteBuffer skip_first(skip.begin(), skip.end());
  ByteBuffer two = zstd_frame(expected - 100);
  const ByteBuffer second = zstd_frame(100);
  two.insert(two.end(), second.begin(), second.end());
  const ByteBuffer whole = zstd_frame(expected);
  skip_first.insert(skip_first.end(), whole.begin(), whole.end());
  refused(sealed(compressed_int8, two));
  refused(sealed(compressed_int8, skip_first));
  refused(sealed(compressed_int8, skip));
  refused(sealed(compressed_int8, {}));
}

BOOST_AUTO_TEST_SUITE_END()

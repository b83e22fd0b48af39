// What a codec promises: names, sizes, how far a value may be off, and which values it refuses.
#include "codec/codec.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>

#include "codec/decoder.hpp"
#include "codec/encoder.hpp"
#include "codec/floats.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(codecs)

namespace {

std::vector<CodecOptions> whole_options() {
  std::vector<CodecOptions> all;
  for (const bool zstd : {false, true})
    for (const CodecKind kind :
         {CodecKind::Fp32, CodecKind::Fp16, CodecKind::Bf16, CodecKind::Int8})
      all.push_back({kind, zstd});
  return all;
}

ByteBuffer encoded(const Floats& values, CodecOptions options) {
  Encoder encoder;
  ByteBuffer payload;
  const auto result = encoder.encode(values, options, payload);
  BOOST_REQUIRE(result.has_value());
  return payload;
}

Floats decoded(const ByteBuffer& payload, std::size_t count) {
  Decoder decoder;
  Floats values(count);
  const auto result = decoder.decode(payload, values);
  BOOST_REQUIRE_MESSAGE(result.has_value(), (result ? std::string() : result.error().detail));
  return values;
}

Floats round_trip(const Floats& values, CodecOptions options) {
  return decoded(encoded(values, options), values.size());
}

Error refusal(const Floats& values, CodecKind kind) {
  Encoder encoder;
  ByteBuffer payload;
  const auto result = encoder.encode(values, {kind, false}, payload);
  BOOST_REQUIRE(!result.has_value());
  return result.error();
}

float largest_of(std::span<const float> values) {
  float largest = 0;
  for (const float value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_codec_is_named_as_in_a_run_file) {
  BOOST_TEST(codec_name(CodecKind::Fp32) == "fp32");
  BOOST_TEST(codec_name(CodecKind::Fp16) == "fp16");
  BOOST_TEST(codec_name(CodecKind::Bf16) == "bf16");
  BOOST_TEST(codec_name(CodecKind::Int8) == "int8");
  BOOST_TEST(codec_name(CodecKind::Int8Difference) == "int8-difference");
  BOOST_TEST(describe({CodecKind::Fp16, false}) == "fp16");
  BOOST_TEST(describe(CodecOptions{}) == "int8-difference+zstd");
}

BOOST_AUTO_TEST_CASE(fp32_is_exact_to_the_bit) {
  for (const NamedFloats& input : hard_inputs())
    for (const bool zstd : {false, true})
      BOOST_TEST(same_bits(round_trip(input.values, {CodecKind::Fp32, zstd}), input.values),
                 input.name);
}

BOOST_AUTO_TEST_CASE(fp16_is_off_by_2_to_the_minus_11_at_most) {
  const Floats values = weights(10'000, 1, 100.0f);
  const Floats back = round_trip(values, {CodecKind::Fp16, false});
  // Below 2^-14 halves are denormal, 2^-24 apart.
  for (std::size_t i = 0; i < values.size(); ++i)
    BOOST_REQUIRE_LE(std::fabs(back[i] - values[i]),
                     std::max(std::fabs(values[i]) * 0x1p-11f, 0x1p-25f));
}

BOOST_AUTO_TEST_CASE(bf16_is_off_by_2_to_the_minus_8_at_most) {
  Floats values = any_finite(10'000, 2);
  std::erase_if(values, [](float value) {
    return std::fabs(value) >= 0x1.ffp127f || std::fabs(value) < 0x1p-126f;
  });
  const Floats back = round_trip(values, {CodecKind::Bf16, false});
  for (std::size_t i = 0; i < values.size(); ++i)
    BOOST_REQUIRE_LE(std::fabs(back[i] - values[i]), std::fabs(values[i]) * 0x1p-8f);
}

BOOST_AUTO_TEST_CASE(int8_is_off_by_a_254th_of_the_largest_in_its_block_at_most) {
  for (const NamedFloats& input : hard_inputs()) {
    const Floats back = round_trip(input.values, {CodecKind::Int8, false});
    for (std::size_t start = 0; start < back.size(); start += 256) {
      const auto block = std::span(input.values)
                             .subspan(start)
                             .first(std::min<std::size_t>(256, back.size() - start));
      // The scale's own rounding adds one part in 256, a code's in 2^15; the floor is 2^-126.
      const double largest = static_cast<double>(largest_of(block));
      const double bound = std::max(largest / 254 * (1 + 0x1p-7), 0x1p-126);
      for (std::size_t i = 0; i < block.size(); ++i)
        BOOST_REQUIRE_LE(std::fabs(double(back[start + i]) - double(block[i])), bound);
    }
  }
}

BOOST_AUTO_TEST_CASE(zstd_never_changes_what_is_decoded) {
  for (const NamedFloats& input : hard_inputs()) {
    if (largest_of(input.values) >= 65520) continue;
    for (const CodecOptions& options : whole_options())
      BOOST_TEST(same_bits(round_trip(input.values, {options.kind, false}),
                           round_trip(input.values, {options.kind, true})),
                 describe(options) + " of " + input.name);
  }
}

BOOST_AUTO_TEST_CASE(a_payload_is_never_longer_than_its_limit) {
  // Random bits do not compress: zstd is left out then.
  const Floats values = any_finite(3000, 3);
  const std::size_t plain = encoded(values, {CodecKind::Fp32, false}).size();
  BOOST_TEST(plain == payload_bytes_max(values.size()));
  BOOST_TEST(encoded(values, {CodecKind::Fp32, true}).size() <= plain);
  BOOST_TEST(encoded({}, {CodecKind::Int8, true}).size() == payload_bytes_max(0));
}

BOOST_AUTO_TEST_CASE(weights_shrink_as_docs_codec_says) {
  RandomStream random(stream_key(4, "normal", 0));
  Floats values(100'000);
  for (float& value : values) value = static_cast<float>(0.063 * random.normal());
  const auto ratio = [&](CodecKind kind, bool zstd) {
    return double(values.size() * 4) / double(encoded(values, {kind, zstd}).size());
  };
  BOOST_TEST(ratio(CodecKind::Fp16, false) > 1.99);
  BOOST_TEST(ratio(CodecKind::Int8, false) > 3.95);
  BOOST_TEST(ratio(CodecKind::Fp32, true) > 1.15);
  BOOST_TEST(ratio(CodecKind::Fp16, true) > 2.2);
  BOOST_TEST(ratio(CodecKind::Bf16, true) > 2.7);
  BOOST_TEST(ratio(CodecKind::Int8, true) > 4.2);
}

BOOST_AUTO_TEST_CASE(a_value_that_is_not_finite_is_refused_by_its_index) {
  for (const CodecOptions& options : whole_options())
    for (const float bad : {NAN, HUGE_VALF, -HUGE_VALF}) {
      Floats values = weights(1000, 5);
      values[777] = bad;
      values[900] = bad;
      const Error error = refusal(values, options.kind);
      BOOST_CHECK(error.code == ErrorCode::NotFinite);
      BOOST_TEST(error.detail.find("value 777 of 1000") != std::string::npos, error.detail);
    }
}

BOOST_AUTO_TEST_CASE(a_value_that_a_kind_cannot_hold_is_refused) {
  Floats values = weights(300, 6);
  values[5] = 65520.0f;
  BOOST_TEST(refusal(values, CodecKind::Fp16).detail.find("fp16") != std::string::npos);
  values[5] = 65519.0f;
  BOOST_TEST(round_trip(values, {CodecKind::Fp16, false})[5] == 65504.0f);
  values[5] = std::numeric_limits<float>::max();
  BOOST_CHECK(refusal(values, CodecKind::Bf16).code == ErrorCode::NotFinite);
}

BOOST_AUTO_TEST_CASE(one_encoder_and_decoder_serve_all_kinds_and_sizes) {
  Encoder encoder;
  Decoder decoder;
  ByteBuffer payload;
  for (const NamedFloats& input : hard_inputs()) {
    if (largest_of(input.values) >= 65520) continue;
    for (const CodecOptions& options : whole_options()) {
      BOOST_REQUIRE(encoder.encode(input.values, options, payload).has_value());
      Floats back(input.values.size());
      BOOST_REQUIRE(decoder.decode(payload, back).has_value());
      BOOST_TEST(same_bits(back, round_trip(input.values, options)));
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

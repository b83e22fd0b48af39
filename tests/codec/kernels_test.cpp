// Every table of kernels gives the bits of the generic one, and the generic one gives what the
// format says.
#include "codec/kernels.hpp"

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "base/bytes.hpp"
#include "codec/body.hpp"
#include "codec/floats.hpp"

using namespace quadrille;
using namespace quadrille::codec;
using namespace quadrille::codec::test;

BOOST_AUTO_TEST_SUITE(kernels)

namespace {

constexpr CodecKind whole_kinds[] = {CodecKind::Fp32, CodecKind::Fp16, CodecKind::Bf16,
                                     CodecKind::Int8};

struct Outcome {
  bool encoded = false;
  ByteBuffer body;
  bool decoded = false;
  Floats values;
};

Outcome through(const Kernels& kernels, CodecKind kind, const Floats& values) {
  Outcome outcome;
  outcome.body.resize(body_bytes(kind, values.size()));
  outcome.encoded = write_body(kernels, kind, values, outcome.body).has_value();
  outcome.values.resize(values.size());
  outcome.decoded = outcome.encoded && read_body(kernels, kind, outcome.body, outcome.values);
  return outcome;
}

void require_same(const Outcome& a, const Outcome& b) {
  BOOST_REQUIRE_EQUAL(a.encoded, b.encoded);
  BOOST_REQUIRE_EQUAL(a.decoded, b.decoded);
  if (!a.encoded) return;
  BOOST_REQUIRE(a.body == b.body);
  BOOST_REQUIRE(same_bits(a.values, b.values));
}

Outcome through_difference(const Kernels& kernels, const Floats& values, const Floats& base) {
  Outcome outcome;
  outcome.body.resize(body_bytes(CodecKind::Int8Difference, values.size()));
  outcome.values.resize(values.size());
  outcome.encoded = write_difference(kernels, values, base, outcome.body, outcome.values);
  Floats decoded(values.size());
  outcome.decoded = outcome.encoded && read_difference(kernels, outcome.body, base, decoded);
  if (outcome.encoded) BOOST_REQUIRE(same_bits(decoded, outcome.values));
  return outcome;
}

// The half nearest to `value`, ties to even, computed in double; infinity when it is out of range.
double nearest_half(double value) {
  const double magnitude = std::fabs(value);
  if (magnitude >= 65520) return HUGE_VAL;
  const double place = magnitude < 0x1p-14 ? 0x1p-24 : std::ldexp(1.0, std::ilogb(magnitude) - 10);
  return std::nearbyint(value / place) * place;
}

double through_half(const Kernels& kernels, float value) {
  const float one[] = {value};
  std::byte body[2];
  float back[1];
  if (!write_body(kernels, CodecKind::Fp16, one, body)) return HUGE_VAL;
  BOOST_REQUIRE(read_body(kernels, CodecKind::Fp16, body, back));
  return static_cast<double>(back[0]);
}

}  // namespace

BOOST_AUTO_TEST_CASE(all_tables_give_the_same_bits_for_every_kind) {
  for (const Kernels* table : available_kernels())
    for (const NamedFloats& input : hard_inputs())
      for (const CodecKind kind : whole_kinds) {
        BOOST_TEST_CONTEXT(table->name << ' ' << codec_name(kind) << ' ' << input.name)
        require_same(through(generic_kernels, kind, input.values),
                     through(*table, kind, input.values));
      }
}

BOOST_AUTO_TEST_CASE(all_tables_give_the_same_bits_for_differences) {
  for (const Kernels* table : available_kernels())
    for (const NamedFloats& values : hard_inputs())
      for (const NamedFloats& bases : hard_inputs()) {
        Floats base = bases.values;
        base.resize(values.values.size(), -0.0f);
        BOOST_TEST_CONTEXT(table->name << ' ' << values.name << " from " << bases.name)
        require_same(through_difference(generic_kernels, values.values, base),
                     through_difference(*table, values.values, base));
      }
}

BOOST_AUTO_TEST_CASE(all_tables_refuse_the_same_values) {
  for (const Kernels* table : available_kernels())
    for (const CodecKind kind : whole_kinds)
      for (const float bad : {65520.0f, -65520.0f, 65519.99f, 0x1.ffp127f, 0x1.fep127f,
                              -0x1.fefffep127f, HUGE_VALF, -HUGE_VALF, NAN, -NAN})
        for (const std::size_t place : {0u, 15u, 16u, 255u, 256u, 599u}) {
          Floats values = weights(600, 1);
          values[place] = bad;
          BOOST_TEST_CONTEXT(table->name << ' ' << codec_name(kind) << ' ' << bad << ' ' << place)
          require_same(through(generic_kernels, kind, values), through(*table, kind, values));
        }
}

BOOST_AUTO_TEST_CASE(every_half_decodes_to_its_value_and_back) {
  for (const Kernels* table : available_kernels())
    for (std::uint32_t half = 0; half < 0x10000; ++half) {
      const auto low = static_cast<std::byte>(half);
      const auto high = static_cast<std::byte>(half >> 8);
      const std::byte body[] = {low, high};
      float value[1];
      const bool finite = (half & 0x7c00) != 0x7c00;
      BOOST_REQUIRE_EQUAL(read_body(*table, CodecKind::Fp16, body, value), finite);
      if (!finite) continue;
      const std::uint32_t exponent = (half >> 10) & 31;
      const double fraction = half & 0x3ff;
      const double expected = exponent == 0
                                  ? std::ldexp(fraction, -24)
                                  : std::ldexp(fraction + 1024, static_cast<int>(exponent) - 25);
      BOOST_REQUIRE_EQUAL(static_cast<double>(std::fabs(value[0])), expected);
      BOOST_REQUIRE_EQUAL(std::signbit(value[0]), half >= 0x8000);
      std::byte again[2];
      BOOST_REQUIRE(write_body(*table, CodecKind::Fp16, value, again).has_value());
      BOOST_REQUIRE(again[0] == low && again[1] == high);
    }
}

BOOST_AUTO_TEST_CASE(floats_round_to_the_nearest_half_and_ties_to_even) {
  for (const Kernels* table : available_kernels())
    for (std::uint32_t half = 0; half < 0x7c00; ++half) {
      const std::byte body[] = {static_cast<std::byte>(half), static_cast<std::byte>(half >> 8)};
      float value[1];
      BOOST_REQUIRE(read_body(*table, CodecKind::Fp16, body, value));
      // Around the middle between this half and the next larger one.
      const float place =
          value[0] < 0x1p-14f ? 0x1p-24f : std::ldexp(1.0f, std::ilogb(value[0]) - 10);
      const float middle = value[0] + place / 2;
      for (const float x : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e6f)})
        BOOST_REQUIRE_EQUAL(through_half(*table, -x), x < 65520 ? nearest_half(-x) : HUGE_VAL);
    }
}

BOOST_AUTO_TEST_CASE(a_scale_is_bf16_of_the_largest_over_127_and_no_code_passes_127) {
  for (const Kernels* table : available_kernels())
    for (std::uint32_t top = 0; top < 0x7f80; ++top) {
      const float largest = std::bit_cast<float>(top << 16 | 0xffff);
      const Floats values = {largest, -largest};
      ByteBuffer body(body_bytes(CodecKind::Int8, 2));
      BOOST_REQUIRE(write_body(*table, CodecKind::Int8, values, body).has_value());
      const float scale = std::bit_cast<float>(std::to_integer<std::uint32_t>(body[0]) << 16 |
                                               std::to_integer<std::uint32_t>(body[1]) << 24);
      BOOST_REQUIRE_GE(scale, 0x1p-126f);
      if (scale > 0x1p-126f) BOOST_REQUIRE_LE(std::fabs(scale - largest / 127), scale * 0x1.01p-8f);
      const int code = std::to_integer<std::int8_t>(body[2]);
      BOOST_REQUIRE_GE(code, scale > 0x1p-126f ? 127 : 0);
      BOOST_REQUIRE_EQUAL(code, -std::to_integer<std::int8_t>(body[3]));
    }
}

BOOST_AUTO_TEST_CASE(all_tables_compute_the_same_checksum) {
  const Floats values = any_finite(5000, 9);
  for (const Kernels* table : available_kernels())
    for (const std::size_t bytes : {0u, 1u, 16u, 100u, 240u, 241u, 1024u, 4096u, 20000u})
      BOOST_TEST(table->hash(values.data(), bytes, 7) ==
                 generic_kernels.hash(values.data(), bytes, 7));
  // XXH3-64 of nothing with seed 0, from the xxHash specification's test vectors.
  BOOST_TEST(generic_kernels.hash("", 0, 0) == 0x2d06800538d394c2u);
}

BOOST_AUTO_TEST_SUITE_END()

// The kernels in plain C++: what the others must match, and what runs where there is no x86-64.
#include <cstring>

#include "codec/block_scale.hpp"
#include "codec/kernels.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace quadrille::codec {
namespace {

std::uint32_t bits_of(float value) {
  return __builtin_bit_cast(std::uint32_t, value);
}
float float_of(std::uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}
Magnitude magnitude_of(float value) {
  return bits_of(value) & 0x7fffffff;
}
Magnitude larger(Magnitude a, Magnitude b) {
  return a < b ? b : a;
}

std::uint16_t load_u16(const std::byte* from) {
  std::uint16_t value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

void store_u16(std::byte* to, std::uint32_t value) {
  const auto narrow = static_cast<std::uint16_t>(value);
  std::memcpy(to, &narrow, sizeof narrow);
}

// To nearest even; 65520 and more gives infinity.
std::uint32_t half_of(float value) {
  const std::uint32_t sign = (bits_of(value) >> 16) & 0x8000;
  const Magnitude magnitude = magnitude_of(value);
  if (magnitude >= bits_of(65536.0f)) return sign | 0x7c00;
  // A denormal half is a multiple of 2^-24, and so is a float's last place at one half.
  if (magnitude < bits_of(0x1p-14f))
    return sign | (bits_of(float_of(magnitude) + 0.5f) - bits_of(0.5f));
  constexpr std::uint32_t rebias = (127u - 15u) << 23;
  return sign | ((magnitude - rebias + 0x0fff + ((magnitude >> 13) & 1)) >> 13);
}

float float_of_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000) << 16;
  const std::uint32_t exponent = half & 0x7c00;
  const std::uint32_t shifted = (half & 0x7fff) << 13;
  if (exponent == 0x7c00) return float_of(sign | 0x7f800000 | shifted);
  if (exponent == 0) {
    constexpr std::uint32_t smallest_normal = 113u << 23;  // 2^-14
    const float value = float_of(smallest_normal | shifted) - float_of(smallest_normal);
    return float_of(sign | bits_of(value));
  }
  return float_of(sign | (shifted + ((127u - 15u) << 23)));
}

// The nearest whole number, ties to even: at 1.5 * 2^23 a float's last place is one. Wraps silently
// on values that are not finite; those are refused by their magnitude.
std::int32_t rounded(float value) {
  return static_cast<std::int32_t>(bits_of(value + 0x1.8p23f) - bits_of(0x1.8p23f));
}

Magnitude encode_fp32(const float* values, std::size_t blocks, std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i)
    largest = larger(largest, magnitude_of(values[i]));
  std::memcpy(codes, values, blocks * block_floats * sizeof(float));
  return largest;
}

Magnitude decode_fp32(const std::byte* codes, std::size_t blocks, float* values) {
  std::memcpy(values, codes, blocks * block_floats * sizeof(float));
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i)
    largest = larger(largest, magnitude_of(values[i]));
  return largest;
}

Magnitude encode_fp16(const float* values, std::size_t blocks, std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i) {
    largest = larger(largest, magnitude_of(values[i]));
    store_u16(codes + 2 * i, half_of(values[i]));
  }
  return largest;
}

Magnitude decode_fp16(const std::byte* codes, std::size_t blocks, float* values) {
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i) {
    values[i] = float_of_half(load_u16(codes + 2 * i));
    largest = larger(largest, magnitude_of(values[i]));
  }
  return largest;
}

Magnitude encode_bf16(const float* values, std::size_t blocks, std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i) {
    largest = larger(largest, magnitude_of(values[i]));
    store_u16(codes + 2 * i, bf16_of_bits(bits_of(values[i])));
  }
  return largest;
}

Magnitude decode_bf16(const std::byte* codes, std::size_t blocks, float* values) {
  Magnitude largest = 0;
  for (std::size_t i = 0; i < blocks * block_floats; ++i) {
    values[i] = float_of(std::uint32_t{load_u16(codes + 2 * i)} << 16);
    largest = larger(largest, magnitude_of(values[i]));
  }
  return largest;
}

Magnitude encode_int8(const float* values, std::size_t blocks, std::byte* scales,
                      std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    Magnitude block_largest = 0;
    for (std::size_t i = 0; i < block_floats; ++i)
      block_largest = larger(block_largest, magnitude_of(values[i]));
    largest = larger(largest, block_largest);
    const BlockScale scale = block_scale(block_largest);
    store_u16(scales + 2 * block, scale.bits);
    for (std::size_t i = 0; i < block_floats; ++i)
      codes[i] = static_cast<std::byte>(rounded(values[i] * scale.inverse));
    values += block_floats;
    codes += block_floats;
  }
  return largest;
}

Magnitude decode_int8(const std::byte* scales, const std::byte* codes, std::size_t blocks,
                      float* values) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const float scale = float_of(std::uint32_t{load_u16(scales + 2 * block)} << 16);
    for (std::size_t i = 0; i < block_floats; ++i) {
      values[i] = static_cast<float>(static_cast<std::int8_t>(codes[i])) * scale;
      largest = larger(largest, magnitude_of(values[i]));
    }
    values += block_floats;
    codes += block_floats;
  }
  return largest;
}

Magnitude encode_difference(const float* values, const float* base, std::size_t blocks,
                            std::byte* scales, std::byte* codes, float* next) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    Magnitude block_largest = 0;
    for (std::size_t i = 0; i < block_floats; ++i)
      block_largest = larger(block_largest, magnitude_of(values[i] - base[i]));
    largest = larger(largest, block_largest);
    const BlockScale scale = block_scale(block_largest);
    store_u16(scales + 2 * block, scale.bits);
    for (std::size_t i = 0; i < block_floats; ++i) {
      const std::int32_t code = rounded((values[i] - base[i]) * scale.inverse);
      codes[i] = static_cast<std::byte>(code);
      next[i] = base[i] + static_cast<float>(code) * scale.scale;
      largest = larger(largest, magnitude_of(next[i]));
    }
    values += block_floats;
    base += block_floats;
    codes += block_floats;
    next += block_floats;
  }
  return largest;
}

Magnitude decode_difference(const std::byte* scales, const std::byte* codes, const float* base,
                            std::size_t blocks, float* next) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    const float scale = float_of(std::uint32_t{load_u16(scales + 2 * block)} << 16);
    for (std::size_t i = 0; i < block_floats; ++i) {
      next[i] = base[i] + static_cast<float>(static_cast<std::int8_t>(codes[i])) * scale;
      largest = larger(largest, magnitude_of(next[i]));
    }
    base += block_floats;
    codes += block_floats;
    next += block_floats;
  }
  return largest;
}

std::uint64_t hash(const void* bytes, std::size_t byte_count, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, byte_count, seed);
}

}  // namespace

const Kernels generic_kernels = {
    .name = "generic",
    .fp32 = {encode_fp32, decode_fp32},
    .fp16 = {encode_fp16, decode_fp16},
    .bf16 = {encode_bf16, decode_bf16},
    .encode_int8 = encode_int8,
    .decode_int8 = decode_int8,
    .encode_difference = encode_difference,
    .decode_difference = decode_difference,
    .hash = hash,
};

}  // namespace quadrille::codec

// The kernels with AVX-512 (F, BW, VL): sixteen floats a step.
#include <immintrin.h>

#include <cstring>

#include "codec/block_scale.hpp"
#include "codec/kernels.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace quadrille::codec {
namespace {

__m256i load_half_width(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
void store_half_width(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}

// The running largest magnitude of each lane.
struct Largest {
  __m512i lanes = _mm512_setzero_si512();

  void include(__m512i float_bits) {
    lanes = _mm512_max_epu32(lanes, _mm512_and_si512(float_bits, _mm512_set1_epi32(0x7fffffff)));
  }
  void include(__m512 values) { include(_mm512_castps_si512(values)); }

  Magnitude value() const { return static_cast<Magnitude>(_mm512_reduce_max_epu32(lanes)); }
};

__m512 codes_as_floats(const std::byte* codes) {
  const __m128i sixteen = _mm_loadu_si128(reinterpret_cast<const __m128i*>(codes));
  return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(sixteen));
}

void store_codes(std::byte* to, __m512i codes) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtsepi32_epi8(codes));
}

void store_scale(std::byte* to, const BlockScale& scale) {
  std::memcpy(to, &scale.bits, sizeof scale.bits);
}

__m512 load_scale(const std::byte* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return _mm512_castsi512_ps(_mm512_set1_epi32(static_cast<int>(std::uint32_t{bits} << 16)));
}

Magnitude copy(const void* from, std::size_t blocks, void* to) {
  const auto* in = static_cast<const char*>(from);
  auto* out = static_cast<char*>(to);
  Largest a, b;
  for (std::size_t i = 0; i < blocks * block_floats * sizeof(float); i += 128) {
    const __m512i x = _mm512_loadu_si512(in + i);
    const __m512i y = _mm512_loadu_si512(in + i + 64);
    a.include(x);
    b.include(y);
    _mm512_storeu_si512(out + i, x);
    _mm512_storeu_si512(out + i + 64, y);
  }
  a.include(b.lanes);
  return a.value();
}

Magnitude encode_fp32(const float* values, std::size_t blocks, std::byte* codes) {
  return copy(values, blocks, codes);
}

Magnitude decode_fp32(const std::byte* codes, std::size_t blocks, float* values) {
  return copy(codes, blocks, values);
}

Magnitude encode_fp16(const float* values, std::size_t blocks, std::byte* codes) {
  constexpr int to_nearest = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 16) {
    const __m512 x = _mm512_loadu_ps(values + i);
    largest.include(x);
    store_half_width(codes + 2 * i, _mm512_cvtps_ph(x, to_nearest));
  }
  return largest.value();
}

Magnitude decode_fp16(const std::byte* codes, std::size_t blocks, float* values) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 16) {
    const __m512 x = _mm512_cvtph_ps(load_half_width(codes + 2 * i));
    largest.include(x);
    _mm512_storeu_ps(values + i, x);
  }
  return largest.value();
}

Magnitude encode_bf16(const float* values, std::size_t blocks, std::byte* codes) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 16) {
    const __m512i bits = _mm512_loadu_si512(values + i);
    largest.include(bits);
    const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    const __m512i bias = _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff));
    const __m512i rounded = _mm512_srli_epi32(_mm512_add_epi32(bits, bias), 16);
    store_half_width(codes + 2 * i, _mm512_cvtepi32_epi16(rounded));
  }
  return largest.value();
}

Magnitude decode_bf16(const std::byte* codes, std::size_t blocks, float* values) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 16) {
    const __m512i x = _mm512_slli_epi32(_mm512_cvtepu16_epi32(load_half_width(codes + 2 * i)), 16);
    largest.include(x);
    _mm512_storeu_si512(values + i, x);
  }
  return largest.value();
}

Magnitude encode_int8(const float* values, std::size_t blocks, std::byte* scales,
                      std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    Largest a, b;
    for (std::size_t i = 0; i < block_floats; i += 32) {
      a.include(_mm512_loadu_ps(values + i));
      b.include(_mm512_loadu_ps(values + i + 16));
    }
    a.include(b.lanes);
    const Magnitude block_largest = a.value();
    if (block_largest > largest) largest = block_largest;
    const BlockScale scale = block_scale(block_largest);
    store_scale(scales + 2 * block, scale);
    const __m512 inverse = _mm512_set1_ps(scale.inverse);
    for (std::size_t i = 0; i < block_floats; i += 16)
      store_codes(codes + i,
                  _mm512_cvtps_epi32(_mm512_mul_ps(_mm512_loadu_ps(values + i), inverse)));
    values += block_floats;
    codes += block_floats;
  }
  return largest;
}

Magnitude decode_int8(const std::byte* scales, const std::byte* codes, std::size_t blocks,
                      float* values) {
  Largest largest;
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m512 scale = load_scale(scales + 2 * block);
    for (std::size_t i = 0; i < block_floats; i += 16) {
      const __m512 x = _mm512_mul_ps(codes_as_floats(codes + i), scale);
      largest.include(x);
      _mm512_storeu_ps(values + i, x);
    }
    values += block_floats;
    codes += block_floats;
  }
  return largest.value();
}

__m512 difference(const float* values, const float* base) {
  return _mm512_sub_ps(_mm512_loadu_ps(values), _mm512_loadu_ps(base));
}

Magnitude encode_difference(const float* values, const float* base, std::size_t blocks,
                            std::byte* scales, std::byte* codes, float* next) {
  Largest largest;
  for (std::size_t block = 0; block < blocks; ++block) {
    Largest a, b;
    for (std::size_t i = 0; i < block_floats; i += 32) {
      a.include(difference(values + i, base + i));
      b.include(difference(values + i + 16, base + i + 16));
    }
    a.include(b.lanes);
    largest.include(a.lanes);
    const BlockScale block_step = block_scale(a.value());
    store_scale(scales + 2 * block, block_step);
    const __m512 scale = _mm512_set1_ps(block_step.scale);
    const __m512 inverse = _mm512_set1_ps(block_step.inverse);
    for (std::size_t i = 0; i < block_floats; i += 16) {
      const __m512i rounded =
          _mm512_cvtps_epi32(_mm512_mul_ps(difference(values + i, base + i), inverse));
      const __m512 moved = _mm512_add_ps(_mm512_loadu_ps(base + i),
                                         _mm512_mul_ps(_mm512_cvtepi32_ps(rounded), scale));
      largest.include(moved);
      store_codes(codes + i, rounded);
      _mm512_storeu_ps(next + i, moved);
    }
    values += block_floats;
    base += block_floats;
    codes += block_floats;
    next += block_floats;
  }
  return largest.value();
}

Magnitude decode_difference(const std::byte* scales, const std::byte* codes, const float* base,
                            std::size_t blocks, float* next) {
  Largest largest;
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m512 scale = load_scale(scales + 2 * block);
    for (std::size_t i = 0; i < block_floats; i += 16) {
      const __m512 moved = _mm512_add_ps(_mm512_loadu_ps(base + i),
                                         _mm512_mul_ps(codes_as_floats(codes + i), scale));
      largest.include(moved);
      _mm512_storeu_ps(next + i, moved);
    }
    base += block_floats;
    codes += block_floats;
    next += block_floats;
  }
  return largest.value();
}

std::uint64_t hash(const void* bytes, std::size_t byte_count, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes, byte_count, seed);
}

}  // namespace

const Kernels avx512_kernels = {
    .name = "avx512",
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

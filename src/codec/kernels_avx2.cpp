// The kernels with AVX2 and F16C: eight floats a step.
#include <immintrin.h>

#include <cstring>

#include "codec/block_scale.hpp"
#include "codec/kernels.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace quadrille::codec {
namespace {

__m256i load_integers(const void* from) {
  return _mm256_loadu_si256(static_cast<const __m256i*>(from));
}
void store_integers(void* to, __m256i value) {
  _mm256_storeu_si256(static_cast<__m256i*>(to), value);
}
__m128i load_half_width(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}

// The running largest magnitude of each lane.
struct Largest {
  __m256i lanes = _mm256_setzero_si256();

  void include(__m256i float_bits) {
    lanes = _mm256_max_epu32(lanes, _mm256_and_si256(float_bits, _mm256_set1_epi32(0x7fffffff)));
  }
  void include(__m256 values) { include(_mm256_castps_si256(values)); }

  Magnitude value() const {
    __m128i four = _mm_max_epu32(_mm256_castsi256_si128(lanes), _mm256_extracti128_si256(lanes, 1));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0x4e));
    four = _mm_max_epu32(four, _mm_shuffle_epi32(four, 0xb1));
    return static_cast<Magnitude>(_mm_cvtsi128_si32(four));
  }
};

// Packing works within 128-bit halves; this puts the eight groups of four bytes back in order.
__m256i pack_codes(__m256i a, __m256i b, __m256i c, __m256i d) {
  const __m256i packed = _mm256_packs_epi16(_mm256_packs_epi32(a, b), _mm256_packs_epi32(c, d));
  return _mm256_permutevar8x32_epi32(packed, _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7));
}

__m256 codes_as_floats(const std::byte* codes) {
  const __m128i eight = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(codes));
  return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(eight));
}

void store_scale(std::byte* to, const BlockScale& scale) {
  std::memcpy(to, &scale.bits, sizeof scale.bits);
}

__m256 load_scale(const std::byte* from) {
  std::uint16_t bits;
  std::memcpy(&bits, from, sizeof bits);
  return _mm256_castsi256_ps(_mm256_set1_epi32(static_cast<int>(std::uint32_t{bits} << 16)));
}

Magnitude copy(const void* from, std::size_t blocks, void* to) {
  const auto* in = static_cast<const char*>(from);
  auto* out = static_cast<char*>(to);
  Largest a, b;
  for (std::size_t i = 0; i < blocks * block_floats * sizeof(float); i += 64) {
    const __m256i x = load_integers(in + i);
    const __m256i y = load_integers(in + i + 32);
    a.include(x);
    b.include(y);
    store_integers(out + i, x);
    store_integers(out + i + 32, y);
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
    const __m256 x = _mm256_loadu_ps(values + i);
    const __m256 y = _mm256_loadu_ps(values + i + 8);
    largest.include(x);
    largest.include(y);
    store_integers(codes + 2 * i, _mm256_setr_m128i(_mm256_cvtps_ph(x, to_nearest),
                                                    _mm256_cvtps_ph(y, to_nearest)));
  }
  return largest.value();
}

Magnitude decode_fp16(const std::byte* codes, std::size_t blocks, float* values) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 8) {
    const __m256 x = _mm256_cvtph_ps(load_half_width(codes + 2 * i));
    largest.include(x);
    _mm256_storeu_ps(values + i, x);
  }
  return largest.value();
}

__m256i round_to_bf16(__m256i bits) {
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i bias = _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff));
  return _mm256_srli_epi32(_mm256_add_epi32(bits, bias), 16);
}

Magnitude encode_bf16(const float* values, std::size_t blocks, std::byte* codes) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 16) {
    const __m256i x = load_integers(values + i);
    const __m256i y = load_integers(values + i + 8);
    largest.include(x);
    largest.include(y);
    const __m256i packed = _mm256_packus_epi32(round_to_bf16(x), round_to_bf16(y));
    store_integers(codes + 2 * i, _mm256_permute4x64_epi64(packed, 0xd8));
  }
  return largest.value();
}

Magnitude decode_bf16(const std::byte* codes, std::size_t blocks, float* values) {
  Largest largest;
  for (std::size_t i = 0; i < blocks * block_floats; i += 8) {
    const __m256i x = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load_half_width(codes + 2 * i)), 16);
    largest.include(x);
    store_integers(values + i, x);
  }
  return largest.value();
}

__m256i quantised(const float* values, __m256 inverse) {
  return _mm256_cvtps_epi32(_mm256_mul_ps(_mm256_loadu_ps(values), inverse));
}

Magnitude encode_int8(const float* values, std::size_t blocks, std::byte* scales,
                      std::byte* codes) {
  Magnitude largest = 0;
  for (std::size_t block = 0; block < blocks; ++block) {
    Largest a, b;
    for (std::size_t i = 0; i < block_floats; i += 16) {
      a.include(load_integers(values + i));
      b.include(load_integers(values + i + 8));
    }
    a.include(b.lanes);
    const Magnitude block_largest = a.value();
    if (block_largest > largest) largest = block_largest;
    const BlockScale scale = block_scale(block_largest);
    store_scale(scales + 2 * block, scale);
    const __m256 inverse = _mm256_set1_ps(scale.inverse);
    for (std::size_t i = 0; i < block_floats; i += 32)
      store_integers(
          codes + i,
          pack_codes(quantised(values + i, inverse), quantised(values + i + 8, inverse),
                     quantised(values + i + 16, inverse), quantised(values + i + 24, inverse)));
    values += block_floats;
    codes += block_floats;
  }
  return largest;
}

Magnitude decode_int8(const std::byte* scales, const std::byte* codes, std::size_t blocks,
                      float* values) {
  Largest largest;
  for (std::size_t block = 0; block < blocks; ++block) {
    const __m256 scale = load_scale(scales + 2 * block);
    for (std::size_t i = 0; i < block_floats; i += 8) {
      const __m256 x = _mm256_mul_ps(codes_as_floats(codes + i), scale);
      largest.include(x);
      _mm256_storeu_ps(values + i, x);
    }
    values += block_floats;
    codes += block_floats;
  }
  return largest.value();
}

__m256 difference(const float* values, const float* base) {
  return _mm256_sub_ps(_mm256_loadu_ps(values), _mm256_loadu_ps(base));
}

// Eight codes of the difference; moves `next` by them.
__m256i step(const float* values, const float* base, __m256 scale, __m256 inverse, float* next,
             Largest& largest) {
  const __m256i codes = _mm256_cvtps_epi32(_mm256_mul_ps(difference(values, base), inverse));
  const __m256 moved =
      _mm256_add_ps(_mm256_loadu_ps(base), _mm256_mul_ps(_mm256_cvtepi32_ps(codes), scale));
  largest.include(moved);
  _mm256_storeu_ps(next, moved);
  return codes;
}

Magnitude encode_difference(const float* values, const float* base, std::size_t blocks,
                            std::byte* scales, std::byte* codes, float* next) {
  Largest largest;
  for (std::size_t block = 0; block < blocks; ++block) {
    Largest a, b;
    for (std::size_t i = 0; i < block_floats; i += 16) {
      a.include(difference(values + i, base + i));
      b.include(difference(values + i + 8, base + i + 8));
    }
    a.include(b.lanes);
    largest.include(a.lanes);
    const BlockScale block_step = block_scale(a.value());
    store_scale(scales + 2 * block, block_step);
    const __m256 scale = _mm256_set1_ps(block_step.scale);
    const __m256 inverse = _mm256_set1_ps(block_step.inverse);
    for (std::size_t i = 0; i < block_floats; i += 32) {
      __m256i group[4];
      for (std::size_t g = 0; g < 4; ++g)
        group[g] =
            step(values + i + 8 * g, base + i + 8 * g, scale, inverse, next + i + 8 * g, largest);
      store_integers(codes + i, pack_codes(group[0], group[1], group[2], group[3]));
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
    const __m256 scale = load_scale(scales + 2 * block);
    for (std::size_t i = 0; i < block_floats; i += 8) {
      const __m256 moved = _mm256_add_ps(_mm256_loadu_ps(base + i),
                                         _mm256_mul_ps(codes_as_floats(codes + i), scale));
      largest.include(moved);
      _mm256_storeu_ps(next + i, moved);
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

const Kernels avx2_kernels = {
    .name = "avx2",
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

// Random numbers, sixteen Philox blocks at a time, one in each lane. The integers are those of
// base/random.hpp. Part of kernels.inl.

namespace quadrille::compute {
namespace {

constexpr std::size_t philox_lanes = 16;

// Word w of sixteen blocks at [w], one block in each lane.
using PhiloxWords = std::uint32_t[4][philox_lanes];

// Words in lanes of 64 bits, of which a product reads the lower half alone. The compiler does not
// find this instruction by itself.
#if defined(__AVX512F__)
using LongWords [[gnu::vector_size(64)]] = unsigned long long;
QUADRILLE_INLINE LongWords low_product(LongWords a, LongWords b) {
  return LongWords(_mm512_mul_epu32(__m512i(a), __m512i(b)));
}
#elif defined(__AVX2__)
using LongWords [[gnu::vector_size(32)]] = unsigned long long;
QUADRILLE_INLINE LongWords low_product(LongWords a, LongWords b) {
  return LongWords(_mm256_mul_epu32(__m256i(a), __m256i(b)));
}
#else
using LongWords [[gnu::vector_size(16)]] = unsigned long long;
QUADRILLE_INLINE LongWords low_product(LongWords a, LongWords b) {
  return (a & 0xFFFFFFFFULL) * (b & 0xFFFFFFFFULL);
}
#endif

using HalfWords [[gnu::vector_size(sizeof(LongWords) / 2)]] = std::uint32_t;
constexpr std::uint64_t lane_indices[philox_lanes] = {0, 1, 2,  3,  4,  5,  6,  7,
                                                      8, 9, 10, 11, 12, 13, 14, 15};
constexpr std::size_t long_lanes = sizeof(LongWords) / sizeof(std::uint64_t);

QUADRILLE_INLINE void philox_blocks(PhiloxKey key, std::uint64_t first, std::size_t lane,
                                    PhiloxWords& words) {
  LongWords lanes;
  __builtin_memcpy(&lanes, lane_indices + lane, sizeof lanes);
  LongWords word_0 = lanes + first;
  LongWords word_1 = word_0 >> 32;
  LongWords word_2 = {};
  LongWords word_3 = {};
  auto key_0 = static_cast<std::uint32_t>(key);
  auto key_1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    const LongWords product_0 = low_product(word_0, LongWords{} + 0xD2511F53ULL);
    const LongWords product_2 = low_product(word_2, LongWords{} + 0xCD9E8D57ULL);
    word_0 = (product_2 >> 32) ^ word_1 ^ key_0;
    word_2 = (product_0 >> 32) ^ word_3 ^ key_1;
    word_1 = product_2;
    word_3 = product_0;
    key_0 += 0x9E3779B9U;
    key_1 += 0xBB67AE85U;
  }
  const LongWords last[4] = {word_0, word_1, word_2, word_3};
  for (std::size_t w = 0; w < 4; ++w) {
    const auto lower = __builtin_convertvector(last[w], HalfWords);
    __builtin_memcpy(words[w] + lane, &lower, sizeof lower);
  }
}

// sqrt(-2 log u), u = (word + 1) / 2^32. Near u = 1 the logarithm is taken of 1 - u, whose integer
// is exact: rounding u itself would leave no small radius.
QUADRILLE_INLINE float normal_radius(std::uint32_t word) {
  const bool upper = word >= 0x80000000U;
  const auto rest =
      static_cast<float>(static_cast<std::int32_t>((upper ? ~word : word) & 0x7FFFFFFFU));
  const float f = rest * -0x1p-32F;  // u - 1 in the upper half
  const float u = upper ? 1.0F + f : (rest + 1.0F) * 0x1p-32F;
  const float log_u = word >= 0xC0000000U ? f + log_correction(f) : log_of(u);
  const float square = -2.0F * log_u;
  return __builtin_sqrtf(square < 0.0F ? 0.0F : square);
}

struct NormalPair {
  float cosine, sine;
};

// The angle is 2 pi word / 2^32, reduced to a quarter turn as an integer.
QUADRILLE_INLINE NormalPair normal_pair(std::uint32_t radius_word, std::uint32_t angle_word) {
  const std::uint32_t quarter = (angle_word + 0x20000000U) >> 30;
  const auto rest = static_cast<std::int32_t>(angle_word - (quarter << 30));
  const float x = static_cast<float>(rest) * 1.46291808e-9F;  // 2 pi / 2^32
  const float radius = normal_radius(radius_word);
  const float sine = small_sin(x) * radius;
  const float cosine = small_cos(x) * radius;
  const bool odd = (quarter & 1) != 0;
  const float c = odd ? sine : cosine;
  const float s = odd ? cosine : sine;
  const std::uint32_t negate_c = ((quarter + 1) & 2) << 30;
  const std::uint32_t negate_s = (quarter & 2) << 30;
  return {float_of(bits_of(c) ^ negate_c), float_of(bits_of(s) ^ negate_s)};
}

struct MakeNormals {
  QUADRILLE_INLINE void operator()(const PhiloxWords& words, float (&out)[4 * philox_lanes]) const {
    float lanes[4][philox_lanes];
    for (std::size_t lane = 0; lane < philox_lanes; ++lane) {
      const NormalPair a = normal_pair(words[0][lane], words[1][lane]);
      const NormalPair b = normal_pair(words[2][lane], words[3][lane]);
      lanes[0][lane] = a.cosine;
      lanes[1][lane] = a.sine;
      lanes[2][lane] = b.cosine;
      lanes[3][lane] = b.sine;
    }
    for (std::size_t lane = 0; lane < philox_lanes; ++lane)
      for (std::size_t w = 0; w < 4; ++w) out[4 * lane + w] = lanes[w][lane];
  }
};

struct MakeUniforms {
  QUADRILLE_INLINE void operator()(const PhiloxWords& words, float (&out)[4 * philox_lanes]) const {
    for (std::size_t lane = 0; lane < philox_lanes; ++lane)
      for (std::size_t w = 0; w < 4; ++w)
        out[4 * lane + w] =
            static_cast<float>(static_cast<std::int32_t>(words[w][lane] >> 8)) * 0x1p-24F;
  }
};

template <class Make>
QUADRILLE_INLINE void fill_random(PhiloxKey key, std::uint64_t first_block, std::size_t count,
                                  float* to, Make make) {
  constexpr std::size_t batch = 4 * philox_lanes;
  for (std::size_t done = 0; done < count; done += batch) {
    PhiloxWords words;
    float out[batch];
    for (std::size_t lane = 0; lane < philox_lanes; lane += long_lanes)
      philox_blocks(key, first_block + done / 4, lane, words);
    make(words, out);
    const std::size_t left = count - done;
    __builtin_memcpy(to + done, out, (left < batch ? left : batch) * sizeof(float));
  }
}

void random_normal(PhiloxKey key, std::uint64_t first_block, std::size_t count, float* to) {
  fill_random(key, first_block, count, to, MakeNormals{});
}

void random_uniform(PhiloxKey key, std::uint64_t first_block, std::size_t count, float* to) {
  fill_random(key, first_block, count, to, MakeUniforms{});
}

}  // namespace
}  // namespace quadrille::compute

// Random numbers, sixteen Philox blocks at a time, one in each lane. The integers are those of
// base/random.hpp. Part of kernels.inl.

namespace quadrille::compute {
namespace {

constexpr std::size_t philox_lanes = 16;

// words[w][lane] is word w of block first + lane.
using PhiloxLanes = std::uint32_t[4][philox_lanes];

QUADRILLE_INLINE void philox_blocks(PhiloxKey key, std::uint64_t first, PhiloxLanes& words) {
  for (std::size_t lane = 0; lane < philox_lanes; ++lane) {
    const std::uint64_t index = first + lane;
    words[0][lane] = static_cast<std::uint32_t>(index);
    words[1][lane] = static_cast<std::uint32_t>(index >> 32);
    words[2][lane] = 0;
    words[3][lane] = 0;
  }
  auto key_0 = static_cast<std::uint32_t>(key);
  auto key_1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < 10; ++round) {
    for (std::size_t lane = 0; lane < philox_lanes; ++lane) {
      const std::uint64_t product_0 = std::uint64_t{0xD2511F53U} * words[0][lane];
      const std::uint64_t product_1 = std::uint64_t{0xCD9E8D57U} * words[2][lane];
      words[0][lane] = static_cast<std::uint32_t>(product_1 >> 32) ^ words[1][lane] ^ key_0;
      words[2][lane] = static_cast<std::uint32_t>(product_0 >> 32) ^ words[3][lane] ^ key_1;
      words[1][lane] = static_cast<std::uint32_t>(product_1);
      words[3][lane] = static_cast<std::uint32_t>(product_0);
    }
    key_0 += 0x9E3779B9U;
    key_1 += 0xBB67AE85U;
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
  QUADRILLE_INLINE void operator()(const PhiloxLanes& words, float (&out)[4 * philox_lanes]) const {
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
  QUADRILLE_INLINE void operator()(const PhiloxLanes& words, float (&out)[4 * philox_lanes]) const {
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
    PhiloxLanes words;
    float out[batch];
    philox_blocks(key, first_block + done / 4, words);
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

#include "base/random.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/check.hpp"

namespace quadrille {
namespace {

constexpr std::uint32_t philox_multiplier_0 = 0xD2511F53;
constexpr std::uint32_t philox_multiplier_1 = 0xCD9E8D57;
constexpr std::uint32_t philox_weyl_0 = 0x9E3779B9;
constexpr std::uint32_t philox_weyl_1 = 0xBB67AE85;
constexpr int philox_rounds = 10;
constexpr std::uint64_t no_block = ~std::uint64_t{0};

// splitmix64's finaliser: every input bit reaches every output bit.
std::uint64_t scramble(std::uint64_t x) {
  x += 0x9E3779B97F4A7C15;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
  return x ^ (x >> 31);
}

}  // namespace

std::array<std::uint32_t, 4> philox(PhiloxKey key, std::uint64_t index, std::uint64_t index_high) {
  std::array<std::uint32_t, 4> c{
      static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
      static_cast<std::uint32_t>(index_high), static_cast<std::uint32_t>(index_high >> 32)};
  auto k0 = static_cast<std::uint32_t>(key);
  auto k1 = static_cast<std::uint32_t>(key >> 32);
  for (int round = 0; round < philox_rounds; ++round) {
    const std::uint64_t p0 = std::uint64_t{philox_multiplier_0} * c[0];
    const std::uint64_t p1 = std::uint64_t{philox_multiplier_1} * c[2];
    c = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(p1),
         static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(p0)};
    k0 += philox_weyl_0;
    k1 += philox_weyl_1;
  }
  return c;
}

PhiloxKey stream_key(std::uint64_t seed, std::string_view purpose, std::uint64_t owner) {
  // Without one, seed and owner would be interchangeable.
  CHECK(!purpose.empty());
  std::uint64_t hash = scramble(seed);
  for (const char letter : purpose) hash = scramble(hash ^ static_cast<unsigned char>(letter));
  return scramble(hash ^ scramble(owner));
}

RandomStream::RandomStream(PhiloxKey key, std::uint64_t position)
    : key_(key), position_(position), block_index_(no_block) {}

void RandomStream::seek(std::uint64_t position) {
  position_ = position;
}

std::uint32_t RandomStream::next_u32() {
  const std::uint64_t index = position_ / 4;
  if (index != block_index_) {
    block_ = philox(key_, index);
    block_index_ = index;
  }
  return block_[position_++ % 4];
}

std::uint64_t RandomStream::next_u64() {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t{next_u32()} << 32;
}

double RandomStream::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1p-53;
}

double RandomStream::normal() {
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::uint32_t RandomStream::below(std::uint32_t count) {
  CHECK(count > 0);
  // Lemire's multiplication, with rejection of the short remainder.
  const std::uint32_t threshold = (0u - count) % count;
  for (;;) {
    const std::uint64_t product = std::uint64_t{next_u32()} * count;
    if (static_cast<std::uint32_t>(product) >= threshold)
      return static_cast<std::uint32_t>(product >> 32);
  }
}

void RandomStream::shuffle(std::span<std::uint32_t> values) {
  CHECK(values.size() <= std::numeric_limits<std::uint32_t>::max(), values.size());
  for (std::size_t remaining = values.size(); remaining > 1; --remaining)
    std::swap(values[remaining - 1], values[below(static_cast<std::uint32_t>(remaining))]);
}

}  // namespace quadrille

#include "sim/quick_hash.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/hash.hpp"

namespace quadrille::sim {
namespace {

constexpr std::size_t lanes = 4;
constexpr std::size_t word_bytes = sizeof(std::uint64_t);
constexpr std::size_t block_bytes = lanes * word_bytes;

using Lanes = std::array<std::uint64_t, lanes>;

// The shift brings what differs in high bits down to where the next product spreads it.
void mix(Lanes& state, const std::byte* block) {
  Lanes words{};
  std::memcpy(words.data(), block, block_bytes);
  for (std::size_t lane = 0; lane < lanes; ++lane)
    state[lane] = (state[lane] ^ words[lane]) * 0x9E37'79B9'7F4A'7C15U;
  for (std::uint64_t& lane : state) lane ^= lane >> 32U;
}

}  // namespace

std::uint64_t quick_hash(Bytes bytes, std::uint64_t before) {
  Lanes state{1, 2, 3, 4};
  std::uint64_t hash = chain(before, bytes.size());
  while (bytes.size() >= block_bytes) {
    mix(state, bytes.data());
    bytes = bytes.subspan(block_bytes);
  }
  std::array<std::byte, block_bytes> rest{};
  std::ranges::copy(bytes, rest.begin());
  mix(state, rest.data());
  for (const std::uint64_t lane : state) hash = chain(hash, lane);
  return hash;
}

}  // namespace quadrille::sim

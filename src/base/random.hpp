// Random numbers: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel Random
// Numbers: As Easy as 1, 2, 3", SC 2011). Counter-based: the n-th block of a
// stream is a pure function of key and n, so that a stream is saved as one
// number, skips in no time, and gives the same integers on a CPU and on a GPU.
//
// Streams are split by purpose and cell: what one consumer draws never shifts another's numbers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace quadrille {

using PhiloxKey = std::uint64_t;

// Block `index` of the stream `key`: four uniform 32-bit words. Our streams never reach
// `index_high`, the upper half of the 128-bit counter; the published known answers do.
std::array<std::uint32_t, 4> philox(PhiloxKey key, std::uint64_t index,
                                    std::uint64_t index_high = 0);

// The key of a stream: a hash of the run's seed, what
// the numbers are for (some name), and whose they are.
PhiloxKey stream_key(std::uint64_t seed, std::string_view purpose, std::uint64_t owner);

// A sequential reader of one stream for host code. Its whole state is `position` (in 32-bit words).
class RandomStream {
 public:
  explicit RandomStream(PhiloxKey key, std::uint64_t position = 0);

  PhiloxKey key() const { return key_; }
  std::uint64_t position() const { return position_; }
  void seek(std::uint64_t position);

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  double uniform();                               // in [0, 1), 53 bits
  double normal();                                // N(0, 1), Box-Muller; takes four words
  std::uint32_t below(std::uint32_t count);       // in [0, count), unbiased; count > 0
  void shuffle(std::span<std::uint32_t> values);  // Fisher-Yates; below 2^32 values

 private:
  PhiloxKey key_;
  std::uint64_t position_;
  std::array<std::uint32_t, 4> block_{};
  std::uint64_t block_index_;
};

}  // namespace quadrille

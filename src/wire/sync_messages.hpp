// Anti-entropy: two peers compare their views by 256 hashes and exchange what differs.
//
//   dialler                         listener
//   Hello, Digest        ------->
//                        <-------   Welcome, State..., StateEnd   (of the buckets that differ)
//   State..., StateEnd   ------->                                 (the dialler's of the same)
#pragma once

#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "wire/update.hpp"

namespace quadrille::wire {

inline constexpr std::size_t digest_buckets = 256;

struct Digest {
  std::array<std::uint64_t, digest_buckets> buckets{};
  bool operator==(const Digest&) const = default;
};

// Some of the sender's view. Alive ones with their record; Dead and Left ones without.
struct State {
  std::vector<Update> updates;
  bool operator==(const State&) const = default;
};

struct StateEnd {
  std::bitset<digest_buckets> differing;  // the buckets that were sent, and are wanted back
  bool operator==(const StateEnd&) const = default;
};

ByteBuffer encode(const Digest& message);
// CHECKs that it fits a control frame: see encoded_bytes_bound().
ByteBuffer encode(const State& message);
ByteBuffer encode(const StateEnd& message);
Result<Digest> decode_digest(Bytes body);
Result<State> decode_state(Bytes body);
Result<StateEnd> decode_state_end(Bytes body);

}  // namespace quadrille::wire

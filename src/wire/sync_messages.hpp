// Anti-entropy: two peers compare their views by hashes and exchange what differs.
//
//   dialler                         listener
//   Hello, Digest        ------->
//                        <-------   Welcome, State..., StateEnd   (of the buckets that differ)
//   State..., StateEnd   ------->                                 (the dialler's of the same)
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "wire/frame_type.hpp"
#include "wire/update.hpp"

namespace quadrille::wire {

// About one bucket for each member that the dialler knows, so that a difference of one member is
// one member sent and not all that share its bucket. A power of two.
inline constexpr std::size_t digest_buckets_min = 16;
inline constexpr std::size_t digest_buckets_max = 4096;
bool is_digest_size(std::size_t bucket_count);

struct Digest {
  static constexpr FrameType frame_type = FrameType::Digest;
  std::vector<std::uint64_t> buckets;
  bool operator==(const Digest&) const = default;
};

// Some of the sender's view. Alive ones with their record; Dead and Left ones without.
struct State {
  static constexpr FrameType frame_type = FrameType::State;
  std::vector<Update> updates;
  bool operator==(const State&) const = default;
};

struct StateEnd {
  static constexpr FrameType frame_type = FrameType::StateEnd;
  std::vector<bool> differing;  // the buckets that were sent, and are wanted back
  bool operator==(const StateEnd&) const = default;
};

// CHECKs, here and of StateEnd, that its size is_digest_size().
ByteBuffer encode(const Digest& message);
// CHECKs that it fits a control frame: see encoded_bytes_bound().
ByteBuffer encode(const State& message);
ByteBuffer encode(const StateEnd& message);
Result<Digest> decode_digest(Bytes body);
Result<State> decode_state(Bytes body);
Result<StateEnd> decode_state_end(Bytes body);

}  // namespace quadrille::wire

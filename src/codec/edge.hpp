// The two ends of an edge: the floats that a publisher's neighbour holds, kept the same to the bit
// at both ends while compressed payloads travel.
//
// A difference is always taken from the replica, which is what the
// receiver has and not what the sender meant, so that what one round
// loses to rounding the next ones make good: errors do not add up.
//
// The replica's course depends on the published values alone, never on which payloads were lost: a
// keyframe carries the sender's replica as it is. So a run in one process, where readers look
// at SendingEdge::replica() and nothing is serialised, gives the same bits as one over a network.
//
//   worker of the sender                       worker of the receiver
//     SendingEdge::encode   ----- payload ---->  ReceivingEdge::apply
//     SendingEdge::keyframe <---- Mismatch ----    (lost, restarted, or just joined)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"
#include "codec/decoder.hpp"
#include "codec/encoder.hpp"

namespace quadrille::codec {

// The newest state of what the receiver holds and the one before it: in synchronous mode a fast
// cell is at most one round ahead of a neighbour that still reads.
class Replica {
 public:
  explicit Replica(std::size_t float_count);

  std::size_t float_count() const { return newest_.size(); }
  // Counts the states since the edge began; 0 while there is none.
  std::uint64_t version() const { return version_; }
  // Empty while there is none. The memory stays as it is until the second draft() from now.
  std::span<const float> newest() const;
  // The one before; empty while there is none, and from draft() to commit().
  std::span<const float> previous() const;

  // Where the next state is written, over the previous one; commit() makes it the newest one.
  std::span<float> draft();
  void commit(std::uint64_t version);
  // The newest state as a checkpoint kept it.
  void restore(std::uint64_t version, std::span<const float> values);

 private:
  std::uint64_t version_ = 0;
  bool has_previous_ = false;
  std::vector<float> newest_;
  std::vector<float> older_;
};

class SendingEdge {
 public:
  SendingEdge(CodecOptions options, std::size_t float_count);

  // Moves the replica to what the codec makes of `values`. NotFinite: the newest state stays, the
  // one before it is gone.
  // With Int8Difference the first state is exact, and so is one whose difference overflows.
  Result<void> advance(std::span<const float> values);
  // The same, to the bit, and `payload` becomes what
  // takes a receiver there that holds the state before.
  Result<void> encode(Encoder& encoder, std::span<const float> values, ByteBuffer& payload);
  // The newest state, exactly, for a receiver that holds any other. There has to be one.
  void keyframe(Encoder& encoder, ByteBuffer& payload) const;

  const Replica& replica() const { return replica_; }
  void restore(std::uint64_t version, std::span<const float> values);

 private:
  bool takes_difference() const;
  bool try_difference(Encoder& encoder, std::span<const float> values, ByteBuffer& payload);

  CodecOptions options_;
  Replica replica_;
};

class ReceivingEdge {
 public:
  explicit ReceivingEdge(std::size_t float_count) : replica_(float_count) {}

  // Moves the replica to the payload's state. After an error the newest state is what it was; the
  // one before it may be gone. Mismatch: a payload was lost, or the ends differ; a keyframe mends
  // it. Corrupt: damaged; a keyframe, or the payload again.
  Result<void> apply(Decoder& decoder, Bytes payload);

  const Replica& replica() const { return replica_; }
  void restore(std::uint64_t version, std::span<const float> values);

 private:
  Result<void> check_base(const PayloadHeader& header) const;

  Replica replica_;
};

}  // namespace quadrille::codec

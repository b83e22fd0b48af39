// Floats to a payload. An encoder keeps its scratch memory and the zstd context: one for each
// thread that encodes, used for everything, and no call allocates once it has seen the size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"
#include "codec/compression.hpp"
#include "codec/payload.hpp"

namespace quadrille::codec {

class Encoder {
 public:
  // Replaces `payload`. NotFinite names the first value that is NaN, infinite,
  // or too large for the kind (fp16 from 65520, bf16 from 2^128 - 2^119);
  // `payload` is scrap then. Differences need an edge (edge.hpp).
  Result<void> encode(std::span<const float> values, CodecOptions options, ByteBuffer& payload);

  // The two halves of it for a body that somebody else writes: first where to write, then what it
  // was. `header` is the same in both, but for versions and checksums that are known late.
  std::span<std::byte> begin(const PayloadHeader& header, ByteBuffer& payload);
  void finish(PayloadHeader header, ByteBuffer& payload);

 private:
  Compressor compressor_;
  ByteBuffer body_;    // what zstd is to compress
  ByteBuffer planes_;  // the same with its bytes shuffled
};

}  // namespace quadrille::codec

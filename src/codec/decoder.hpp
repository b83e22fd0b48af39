// A payload to floats. The caller says how many there are to be; a payload is hostile until its
// length, header, checksum and values have been checked. Keeps its scratch memory like the encoder.
#pragma once

#include <cstddef>
#include <span>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "codec/compression.hpp"
#include "codec/payload.hpp"

namespace quadrille::codec {

// A payload that is whole: its header, and its body as the kernels read it.
struct OpenPayload {
  PayloadHeader header;
  Bytes body;
};

class Decoder {
 public:
  // Fills `values`, which are scrap after an error. Corrupt: the bytes are damaged, or decode to
  // something that is not finite. Mismatch: sound, but for another count of floats, of another
  // format version, or a difference, which means nothing alone.
  Result<void> decode(Bytes payload, std::span<float> values);

  // What decode() and an edge begin with. The body is a view of `payload` or of this decoder's
  // memory, until its next call.
  Result<OpenPayload> open(Bytes payload, std::size_t float_count);

 private:
  Decompressor decompressor_;
  ByteBuffer planes_;  // as zstd gave it
  ByteBuffer body_;    // with its bytes in order again
};

}  // namespace quadrille::codec

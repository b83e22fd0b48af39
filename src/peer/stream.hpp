// Streams as the peer's parts see them: by number, in whole frames.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "base/bytes.hpp"
#include "peer/worker.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

// Given by the peer for a stream that it opens (odd numbers), by the driver for one that it
// accepted (even ones); never used twice.
struct StreamId {
  std::uint64_t value = 0;
  auto operator<=>(const StreamId&) const = default;
};
inline std::ostream& operator<<(std::ostream& out, StreamId stream) {
  return out << "stream " << stream.value;
}

// A frame to be sent: `body`, and after it a piece of a payload where it lies.
struct OutFrame {
  StreamId stream;
  wire::FrameType type = wire::FrameType::Hello;
  ByteBuffer body;
  Payload tail;
  std::size_t tail_offset = 0;
  std::size_t tail_bytes = 0;
};

// The other end of a stream broke the protocol; the stream is hung up.
struct Offence {
  StreamId stream;
  std::string reason;
};

}  // namespace quadrille::peer

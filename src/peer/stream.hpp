// Streams as the peer's parts see them: by number, in whole frames.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>

#include "base/bytes.hpp"
#include "base/result.hpp"
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

// A message in a frame of its own.
template <class Message>
OutFrame frame_of(StreamId stream, const Message& message) {
  return {.stream = stream, .type = Message::frame_type, .body = encode(message), .tail = {}};
}

// A frame that does not belong on a stream of that purpose: `from` is who sent it.
inline Failure out_of_place(const wire::Frame& frame, std::string_view from) {
  return failure(ErrorCode::Corrupt, "a frame of type " +
                                         std::to_string(static_cast<int>(frame.header.type)) +
                                         " does not come from " + std::string(from));
}

// The other end of a stream broke the protocol; the stream is hung up.
struct Offence {
  StreamId stream;
  std::string reason;
};

}  // namespace quadrille::peer

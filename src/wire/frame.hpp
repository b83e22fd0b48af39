// Frames: what a stream is cut into, and the reader that takes a stream in pieces of any size.
//
//   +------+------+-------+---------+--------+----------+-----------------------------+
//   | QDRS | type | flags | version | length | sequence | body: a FlatBuffer, or the  |
//   | 4    | 1    | 1     | 2       | 4      | 4        | bytes of a chunk            |
//   +------+------+-------+---------+--------+----------+-----------------------------+
//
// A length is compared with the limit of its type before a byte is stored, and memory grows with
// what arrived, not with what was claimed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "wire/frame_type.hpp"
#include "wire/limits.hpp"

namespace quadrille::wire {

// What the body of a type may take. Nothing for a type that this version does not know: it is
// skipped by its length, which control_frame_bytes_max bounds.
std::optional<std::size_t> body_bytes_max(FrameType type);

struct FrameHeader {
  FrameType type = FrameType::Hello;
  std::uint8_t flags = 0;
  std::uint16_t version = 0;
  std::uint32_t body_bytes = 0;
  std::uint32_t sequence = 0;  // counts the frames of one direction of a stream, from 0
};

// Header and body. CHECKs that the body is within its type's limit.
ByteBuffer encode_frame(FrameType type, std::uint32_t sequence, Bytes body);
// The header alone, for a body that is sent from where it lies.
ByteBuffer encode_frame_header(FrameType type, std::uint32_t sequence, std::size_t body_bytes);

struct Frame {
  FrameHeader header;
  Bytes body;  // valid until the reader is called again
};

enum class StreamEnd : std::uint8_t { Listener, Dialler };

class FrameReader {
 public:
  // At which end of the stream it reads.
  explicit FrameReader(StreamEnd end = StreamEnd::Listener) : end_(end) {}

  // Until then nothing is let in but a Hello at the listener's end, and a Welcome or Refusal at the
  // dialler's; each is of first_frame_bytes_max at most.
  void open() { open_ = true; }

  // Takes bytes of the stream, up to the end of one frame, from the front of `in`. A frame when one
  // is complete: call again until there is none and `in` is empty. After an error the stream is of
  // no more use. Corrupt: not a frame, a sequence number skipped, a stream that begins otherwise.
  // Limit: a body that is too long. Mismatch: of a version that we do not speak.
  Result<std::optional<Frame>> take(Bytes& in);

  std::uint64_t unknown_frames() const { return unknown_frames_; }

 private:
  Result<void> begin_body();
  bool may_come_first(FrameType type) const;

  StreamEnd end_;
  bool open_ = false;
  bool skipping_ = false;  // a type of a later version
  std::uint32_t next_sequence_ = 0;
  std::uint64_t unknown_frames_ = 0;
  std::array<std::byte, frame_header_bytes> head_{};
  std::size_t head_bytes_ = 0;  // of it that are there
  FrameHeader header_;          // once the head is complete
  std::size_t body_left_ = 0;
  ByteBuffer body_;
  std::optional<Error> broken_;
};

}  // namespace quadrille::wire

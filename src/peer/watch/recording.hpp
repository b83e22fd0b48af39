// Recordings, version 1: what a watcher was sent, with times, to be looked at again. The overlay
// tool writes and replays them; the simulator writes the same (docs/watching.md has the bytes).
//
//   header   QDRW | version u16 | 0 u16 | run id u64 u64 | start u64 (unix milliseconds)
//   entry    nanoseconds since the start u64 | a frame as on the wire, counted from 0 here
//   entry    ...
//
// A recording is written to its end only when its writer ended well: one that was cut off is read
// up to its last whole entry.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

inline constexpr std::size_t recording_header_bytes = 32;
inline constexpr std::size_t recording_time_bytes = 8;
inline constexpr std::uint16_t recording_version = 1;

struct RecordingHeader {
  RunId run;
  std::uint64_t start_unix_milliseconds = 0;
  bool operator==(const RecordingHeader&) const = default;
};

// Makes bytes; whoever has the file appends them.
class RecordingWriter {
 public:
  static ByteBuffer header(const RecordingHeader& header);
  // CHECKs that time does not go back, and that the body is within its type's limit.
  ByteBuffer entry(Duration since_start, wire::FrameType type, Bytes body);

 private:
  Duration last_{};
  std::uint32_t next_sequence_ = 0;
};

class RecordingReader {
 public:
  // Corrupt: no recording. Mismatch: of a version that this build does not read. The bytes must
  // outlive the reader.
  static Result<RecordingReader> open(Bytes recording);

  const RecordingHeader& header() const { return header_; }

  struct Entry {
    Duration since_start{};
    wire::FrameType type = wire::FrameType::WatchBegin;
    Bytes body;  // valid until the next call
  };
  // Nothing at the end. Entries of types that this build does not know are passed over. After an
  // error the rest cannot be read. Corrupt: no frame, one is missing, time goes back. Limit: a body
  // that is too long.
  Result<std::optional<Entry>> next();
  // At the end: the last entry is not whole.
  bool is_cut_off() const { return is_cut_off_; }

 private:
  RecordingReader(RecordingHeader header, Bytes entries);

  RecordingHeader header_;
  Bytes rest_;
  std::uint64_t last_nanoseconds_ = 0;
  bool is_cut_off_ = false;
  wire::FrameReader frames_;
};

}  // namespace quadrille::peer

#include "peer/watch/recording.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>

#include "base/check.hpp"

// Numbers are stored as this machine holds them, and the format is little-endian.
static_assert(std::endian::native == std::endian::little);

namespace quadrille::peer {
namespace {

constexpr std::array<char, 4> magic = {'Q', 'D', 'R', 'W'};

struct RawHeader {
  std::array<char, 4> magic;
  std::uint16_t version;
  std::uint16_t zero;
  std::uint64_t run_high;
  std::uint64_t run_low;
  std::uint64_t start_unix_milliseconds;
};
static_assert(sizeof(RawHeader) == recording_header_bytes);

template <class T>
T load(Bytes bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class T>
void append(ByteBuffer& to, const T& value) {
  const Bytes bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

}  // namespace

ByteBuffer RecordingWriter::header(const RecordingHeader& header) {
  ByteBuffer bytes;
  append(bytes, RawHeader{.magic = magic,
                          .version = recording_version,
                          .zero = 0,
                          .run_high = header.run.high,
                          .run_low = header.run.low,
                          .start_unix_milliseconds = header.start_unix_milliseconds});
  return bytes;
}

ByteBuffer RecordingWriter::entry(Duration since_start, wire::FrameType type, Bytes body) {
  CHECK(since_start >= last_, since_start.count(), last_.count());
  last_ = since_start;
  ByteBuffer bytes;
  append(bytes, static_cast<std::uint64_t>(since_start.count()));
  const ByteBuffer frame = wire::encode_frame(type, next_sequence_++, body);
  bytes.insert(bytes.end(), frame.begin(), frame.end());
  return bytes;
}

RecordingReader::RecordingReader(RecordingHeader header, Bytes entries)
    : header_(header), rest_(entries) {
  frames_.open();
}

Result<RecordingReader> RecordingReader::open(Bytes recording) {
  if (recording.size() < recording_header_bytes)
    return failure(ErrorCode::Corrupt, "a recording has " + std::to_string(recording_header_bytes) +
                                           " bytes at least; this has " +
                                           std::to_string(recording.size()));
  const auto raw = load<RawHeader>(recording);
  if (raw.magic != magic)
    return failure(ErrorCode::Corrupt, "this is no recording: it does not begin with QDRW");
  if (raw.version != recording_version)
    return failure(ErrorCode::Mismatch,
                   "this recording has version " + std::to_string(raw.version) +
                       "; this program reads version " + std::to_string(recording_version));
  const RecordingHeader header{.run = {.high = raw.run_high, .low = raw.run_low},
                               .start_unix_milliseconds = raw.start_unix_milliseconds};
  return RecordingReader(header, recording.subspan(recording_header_bytes));
}

Result<std::optional<RecordingReader::Entry>> RecordingReader::next() {
  while (rest_.size() >= recording_time_bytes) {
    const auto nanoseconds = load<std::uint64_t>(rest_);
    if (nanoseconds < last_nanoseconds_ ||
        nanoseconds > static_cast<std::uint64_t>(Duration::max().count()))
      return failure(ErrorCode::Corrupt, "the recording's time goes back");
    Bytes frames = rest_.subspan(recording_time_bytes);
    const std::uint64_t unknown_before = frames_.unknown_frames();
    TRY(frame, frames_.take(frames));
    const bool is_unknown = frames_.unknown_frames() > unknown_before;
    if (!frame && !is_unknown) break;
    last_nanoseconds_ = nanoseconds;
    rest_ = frames;
    if (is_unknown) continue;
    return Entry{
        .since_start = Duration(nanoseconds), .type = frame->header.type, .body = frame->body};
  }
  is_cut_off_ = !rest_.empty();
  rest_ = {};
  return std::optional<Entry>();
}

}  // namespace quadrille::peer

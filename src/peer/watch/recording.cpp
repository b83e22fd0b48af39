#include "peer/watch/recording.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"

namespace quadrille::peer {
namespace {

constexpr std::string_view magic = "QDRW";
constexpr std::size_t entry_head_bytes = recording_time_bytes + wire::frame_header_bytes;
constexpr std::uint64_t nanoseconds_max = Duration::max().count();

}  // namespace

ByteBuffer RecordingWriter::header(const RecordingHeader& header) {
  ByteBuffer bytes(recording_header_bytes);
  std::ranges::copy(std::as_bytes(std::span(magic)), bytes.begin());
  wire::store_little(bytes.data() + 4, recording_version);
  wire::store_little(bytes.data() + 8, header.run.high);
  wire::store_little(bytes.data() + 16, header.run.low);
  wire::store_little(bytes.data() + 24, header.start_unix_milliseconds);
  return bytes;
}

ByteBuffer RecordingWriter::entry(Duration since_start, wire::FrameType type, Bytes body) {
  CHECK(since_start >= last_, since_start.count(), last_.count());
  last_ = since_start;
  ByteBuffer bytes(recording_time_bytes);
  wire::store_little(bytes.data(), static_cast<std::uint64_t>(since_start.count()));
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
  if (!std::ranges::equal(recording.first(magic.size()), std::as_bytes(std::span(magic))))
    return failure(ErrorCode::Corrupt, "this is no recording: it does not begin with QDRW");
  const auto version = wire::load_little<std::uint16_t>(recording.data() + 4);
  if (version != recording_version)
    return failure(ErrorCode::Mismatch, "this recording has version " + std::to_string(version) +
                                            "; this program reads version " +
                                            std::to_string(recording_version));
  const RecordingHeader header{
      .run = {.high = wire::load_little<std::uint64_t>(recording.data() + 8),
              .low = wire::load_little<std::uint64_t>(recording.data() + 16)},
      .start_unix_milliseconds = wire::load_little<std::uint64_t>(recording.data() + 24)};
  return RecordingReader(header, recording.subspan(recording_header_bytes));
}

Result<std::optional<RecordingReader::Entry>> RecordingReader::next() {
  while (rest_.size() >= entry_head_bytes) {
    const auto nanoseconds = wire::load_little<std::uint64_t>(rest_.data());
    if (nanoseconds < last_nanoseconds_ || nanoseconds > nanoseconds_max)
      return failure(ErrorCode::Corrupt, "the recording's time goes back");
    last_nanoseconds_ = nanoseconds;
    // The head alone, which is refused if it cannot be; then no more than the body that it claims.
    Bytes head = rest_.subspan(recording_time_bytes, wire::frame_header_bytes);
    const auto body_bytes = wire::load_little<std::uint32_t>(head.data() + 8);
    TRY(frame, frames_.take(head));
    if (rest_.size() - entry_head_bytes < body_bytes) break;
    Bytes body = rest_.subspan(entry_head_bytes, body_bytes);
    rest_ = rest_.subspan(entry_head_bytes + body_bytes);
    if (!frame) {
      TRY(whole, frames_.take(body));
      frame = whole;
    }
    if (frame)  // else of a type that this build does not know
      return Entry{
          .since_start = Duration(nanoseconds), .type = frame->header.type, .body = frame->body};
  }
  is_cut_off_ = !rest_.empty();
  rest_ = {};
  return std::optional<Entry>();
}

}  // namespace quadrille::peer

#include "wire/frame.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/check.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"
#include "wire/little_endian.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

constexpr std::string_view stream_magic = "QDRS";

FrameHeader header_in(Bytes head) {
  return {.type = static_cast<FrameType>(head[4]),
          .flags = std::to_integer<std::uint8_t>(head[5]),
          .version = load_little<std::uint16_t>(head.data() + 6),
          .body_bytes = load_little<std::uint32_t>(head.data() + 8),
          .sequence = load_little<std::uint32_t>(head.data() + 12)};
}

std::string describe(const FrameHeader& header) {
  return "frame " + std::to_string(header.sequence) + " of type " +
         std::to_string(static_cast<unsigned>(header.type));
}

// The front of `in`, no more than `bytes_max` of it, taken off.
Bytes take_front(Bytes& in, std::size_t bytes_max) {
  const Bytes front = in.first(std::min(in.size(), bytes_max));
  in = in.subspan(front.size());
  return front;
}

}  // namespace

std::optional<std::size_t> body_bytes_max(FrameType type) {
  switch (type) {
    case FrameType::Hello:
    case FrameType::Welcome:
    case FrameType::Refusal:
      return first_frame_bytes_max;
    case FrameType::RunSpec:
      return run_spec_bytes_max + text_overhead_bytes;
    case FrameType::Chunk:
      return chunk_head_bytes + chunk_bytes_max;
    case FrameType::Digest:
    case FrameType::State:
    case FrameType::StateEnd:
    case FrameType::Subscribe:
    case FrameType::Unsubscribe:
    case FrameType::PayloadBegin:
    case FrameType::Credit:
    case FrameType::PayloadApplied:
    case FrameType::PayloadRefused:
    case FrameType::ObjectQuery:
    case FrameType::ObjectInfo:
    case FrameType::ObjectRequest:
    case FrameType::ObjectBegin:
    case FrameType::DirectBegin:
    case FrameType::WatchBegin:
    case FrameType::WatchMembers:
    case FrameType::WatchStatuses:
    case FrameType::WatchEvents:
      return control_frame_bytes_max;
  }
  return std::nullopt;
}

ByteBuffer encode_frame_header(FrameType type, std::uint32_t sequence, std::size_t body_bytes) {
  const std::optional<std::size_t> limit = body_bytes_max(type);
  CHECK(limit.has_value());
  CHECK(body_bytes <= *limit, body_bytes, *limit);
  ByteBuffer head(frame_header_bytes);
  std::ranges::copy(std::as_bytes(std::span(stream_magic)), head.begin());
  head[4] = static_cast<std::byte>(type);
  store_little(head.data() + 6, protocol_version_min);
  store_little(head.data() + 8, static_cast<std::uint32_t>(body_bytes));
  store_little(head.data() + 12, sequence);
  return head;
}

ByteBuffer encode_frame(FrameType type, std::uint32_t sequence, Bytes body) {
  ByteBuffer frame = encode_frame_header(type, sequence, body.size());
  frame.insert(frame.end(), body.begin(), body.end());
  return frame;
}

Result<std::optional<Frame>> FrameReader::take(Bytes& in) {
  if (broken_) return Failure(*broken_);
  while (true) {
    if (head_bytes_ < frame_header_bytes) {
      const Bytes front = take_front(in, frame_header_bytes - head_bytes_);
      std::ranges::copy(front, head_.begin() + static_cast<std::ptrdiff_t>(head_bytes_));
      head_bytes_ += front.size();
      if (head_bytes_ < frame_header_bytes) return std::nullopt;
      if (auto begun = begin_body(); !begun) {
        broken_ = begun.error();
        return Failure(*broken_);
      }
    }
    const Bytes front = take_front(in, body_left_);
    body_left_ -= front.size();
    if (!skipping_) body_.insert(body_.end(), front.begin(), front.end());
    if (body_left_ != 0) return std::nullopt;
    head_bytes_ = 0;
    if (!skipping_) return Frame{.header = header_, .body = body_};
  }
}

Result<void> FrameReader::begin_body() {
  if (!std::ranges::equal(Bytes(head_).first(stream_magic.size()),
                          std::as_bytes(std::span(stream_magic))))
    return failure(ErrorCode::Corrupt, "no frame begins like this");
  header_ = header_in(head_);
  if (header_.sequence != next_sequence_)
    return corrupt(describe(header_), "expected number " + std::to_string(next_sequence_));
  if (header_.version == 0 || header_.version > protocol_version_max)
    return failure(ErrorCode::Mismatch,
                   describe(header_) + ": of version " + std::to_string(header_.version));
  ++next_sequence_;
  if (!open_ && !may_come_first(header_.type))
    return corrupt(describe(header_), "the first must say who is there");
  const std::optional<std::size_t> known_max = body_bytes_max(header_.type);
  const std::size_t bytes_max = known_max.value_or(control_frame_bytes_max);
  if (header_.body_bytes > bytes_max)
    return failure(ErrorCode::Limit, describe(header_) + ": " + std::to_string(header_.body_bytes) +
                                         " bytes; at most " + std::to_string(bytes_max));
  skipping_ = !known_max.has_value();
  if (skipping_) ++unknown_frames_;
  body_left_ = header_.body_bytes;
  body_.clear();
  return {};
}

bool FrameReader::may_come_first(FrameType type) const {
  if (end_ == StreamEnd::Listener) return type == FrameType::Hello;
  return type == FrameType::Welcome || type == FrameType::Refusal;
}

}  // namespace quadrille::wire

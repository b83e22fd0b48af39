// What travels on a stream of purpose Exchange, which the reader's peer dialled: subscriptions and
// acknowledgements one way, payloads in chunks the other way, under credit. And on one of purpose
// Object: questions and requests one way, answers and objects in chunks the other way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/frame_type.hpp"

namespace quadrille::wire {

// One ordered pair of neighbouring cells: `reader` reads what `source` publishes.
struct EdgeId {
  CellIndex source;
  CellIndex reader;

  auto operator<=>(const EdgeId&) const = default;
};

// The reader wants the edge, and says what it holds of it: version 0 for nothing.
struct Subscribe {
  static constexpr FrameType frame_type = FrameType::Subscribe;
  EdgeId edge;
  std::uint64_t version = 0;
  std::uint64_t checksum = 0;  // of the replica at that version
  std::uint16_t degree = 0;    // of the reading cell: how many cells it reads
  bool operator==(const Subscribe&) const = default;
};
struct Unsubscribe {
  static constexpr FrameType frame_type = FrameType::Unsubscribe;
  EdgeId edge;
  bool operator==(const Unsubscribe&) const = default;
};

// A payload follows in chunks.
struct PayloadBegin {
  static constexpr FrameType frame_type = FrameType::PayloadBegin;
  EdgeId edge;
  std::uint32_t transfer = 0;  // names it in its chunks; unique within the stream
  Round round;
  std::uint16_t degree = 0;         // of the source cell
  std::optional<Round> heard;       // the newest round of the reader that the source held then
  std::uint64_t base_version = 0;   // 0: a keyframe
  std::uint64_t base_checksum = 0;  // of the replica before
  std::uint64_t version = 0;        // that it leads to
  std::uint64_t bytes = 0;
  ByteBuffer exact;  // the snapshot's exact part, exact_bytes_max at most
  bool operator==(const PayloadBegin&) const = default;
};

// The body of a Chunk frame is no FlatBuffer: transfer u32, then the offset u64, then the bytes.
inline constexpr std::size_t chunk_head_bytes = 12;
struct ChunkHead {
  static constexpr FrameType frame_type = FrameType::Chunk;
  std::uint32_t transfer = 0;
  std::uint64_t offset = 0;
  bool operator==(const ChunkHead&) const = default;
};
struct Chunk {
  ChunkHead head;
  Bytes bytes;
};
ByteBuffer encode(const ChunkHead& head);
Result<Chunk> decode_chunk(Bytes body);

// So many more bytes of chunks may be sent on this stream.
struct Credit {
  static constexpr FrameType frame_type = FrameType::Credit;
  std::uint64_t bytes = 0;
  bool operator==(const Credit&) const = default;
};

struct PayloadApplied {
  static constexpr FrameType frame_type = FrameType::PayloadApplied;
  EdgeId edge;
  std::uint64_t version = 0;
  bool operator==(const PayloadApplied&) const = default;
};
enum class PayloadFault : std::uint8_t {
  Unknown,
  Mismatch,   // the reader holds another replica: a keyframe mends it
  Corrupt,    // damaged on the way: a keyframe
  NotFinite,  // NaN or infinity in the decoded weights
  OutOfNorm,  // its norm is far from what the edge carried so far
};
struct PayloadRefused {
  static constexpr FrameType frame_type = FrameType::PayloadRefused;
  EdgeId edge;
  std::uint64_t version = 0;
  PayloadFault fault = PayloadFault::Unknown;
  bool operator==(const PayloadRefused&) const = default;
};

// Objects: what is asked for once.
enum class ObjectKind : std::uint8_t {
  Unknown,
  Snapshot,  // the newest snapshot of a cell that the other end holds, its own or a neighbour's
  State,     // a cell's complete state: its owner's, at a round boundary, or an understudy's copy
  Sheet,     // a PNG of samples
};
// Do you have it, and of which round?
struct ObjectQuery {
  static constexpr FrameType frame_type = FrameType::ObjectQuery;
  std::uint32_t request = 0;
  ObjectKind kind = ObjectKind::Unknown;
  CellIndex cell;
  bool operator==(const ObjectQuery&) const = default;
};
struct ObjectInfo {
  static constexpr FrameType frame_type = FrameType::ObjectInfo;
  std::uint32_t request = 0;
  bool found = false;
  Round round;
  bool operator==(const ObjectInfo&) const = default;
};
// Answered by ObjectBegin and chunks, or by ObjectInfo that it was not found.
struct ObjectRequest {
  static constexpr FrameType frame_type = FrameType::ObjectRequest;
  std::uint32_t request = 0;
  ObjectKind kind = ObjectKind::Unknown;
  CellIndex cell;
  bool hand_over = false;  // State: the asker takes the cell; its owner trains it no further
  bool operator==(const ObjectRequest&) const = default;
};
struct ObjectBegin {
  static constexpr FrameType frame_type = FrameType::ObjectBegin;
  std::uint32_t request = 0;
  std::uint32_t transfer = 0;
  Round round;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // hash_of() all bytes
  bool operator==(const ObjectBegin&) const = default;
};

// Bytes that one cell sends to one other (a chunk of an all-reduce); they follow in chunks.
struct DirectBegin {
  static constexpr FrameType frame_type = FrameType::DirectBegin;
  CellIndex from;
  CellIndex to;
  std::uint32_t transfer = 0;
  Round round;
  std::uint64_t bytes = 0;
  bool operator==(const DirectBegin&) const = default;
};

ByteBuffer encode(const Subscribe& message);
ByteBuffer encode(const Unsubscribe& message);
ByteBuffer encode(const PayloadBegin& message);
ByteBuffer encode(const Credit& message);
ByteBuffer encode(const PayloadApplied& message);
ByteBuffer encode(const PayloadRefused& message);
ByteBuffer encode(const ObjectQuery& message);
ByteBuffer encode(const ObjectInfo& message);
ByteBuffer encode(const ObjectRequest& message);
ByteBuffer encode(const ObjectBegin& message);
ByteBuffer encode(const DirectBegin& message);
Result<Subscribe> decode_subscribe(Bytes body);
Result<Unsubscribe> decode_unsubscribe(Bytes body);
Result<PayloadBegin> decode_payload_begin(Bytes body);  // Limit: bytes over object_bytes_max
Result<Credit> decode_credit(Bytes body);
Result<PayloadApplied> decode_payload_applied(Bytes body);
Result<PayloadRefused> decode_payload_refused(Bytes body);
Result<ObjectQuery> decode_object_query(Bytes body);
Result<ObjectInfo> decode_object_info(Bytes body);
Result<ObjectRequest> decode_object_request(Bytes body);
Result<ObjectBegin> decode_object_begin(Bytes body);  // Limit, as above
Result<DirectBegin> decode_direct_begin(Bytes body);  // Limit, as above

}  // namespace quadrille::wire

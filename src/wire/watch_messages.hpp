// What a watcher is shown: the whole once, then what changed. The recording format (version 1) is
// the same frames with times (peer/watch/recording.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/cell_status.hpp"
#include "wire/frame_type.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::wire {

// First, and again when the grid grew.
struct WatchBegin {
  static constexpr FrameType frame_type = FrameType::WatchBegin;
  RunId run;
  PeerId watched;  // whose view this is
  std::string run_name;
  GridEpoch grid;
  std::uint16_t column_stride = 1;
  bool operator==(const WatchBegin&) const = default;
};

enum class MemberState : std::uint8_t { Unknown, Alive, Suspect, Dead, Left };
struct WatchedMember {
  MemberState state = MemberState::Unknown;
  PeerId id;
  std::uint32_t since_seconds = 0;  // how long it has been so
  ByteBuffer record;                // encoded PeerRecord; empty when Dead or Left
  bool operator==(const WatchedMember&) const = default;
};
struct WatchMembers {
  static constexpr FrameType frame_type = FrameType::WatchMembers;
  std::vector<WatchedMember> members;
  bool operator==(const WatchMembers&) const = default;
};

struct WatchStatuses {
  static constexpr FrameType frame_type = FrameType::WatchStatuses;
  std::vector<CellStatus> statuses;
  bool operator==(const WatchStatuses&) const = default;
};

enum class EventKind : std::uint8_t {
  Unknown,
  Joined,
  Suspected,
  Refuted,
  Died,
  Left,
  CellGained,
  CellLost,
  CellAdopted,
  GridGrew,
  EdgeKeyframe,
  EdgeFault,
  PeerIgnored,
  Notice,
};
// Something that happened, as the watched peer saw it.
struct WatchEvent {
  std::uint64_t sequence = 0;  // of the watched peer's events; gaps are events that were dropped
  std::uint64_t unix_milliseconds = 0;
  EventKind kind = EventKind::Unknown;
  PeerId peer;
  std::optional<CellIndex> cell;  // that it is about; of an edge, its source
  std::string text;               // one line, reason_bytes_max at most; made so when it is encoded
  bool operator==(const WatchEvent&) const = default;
};
struct WatchEvents {
  static constexpr FrameType frame_type = FrameType::WatchEvents;
  std::vector<WatchEvent> events;
  bool operator==(const WatchEvents&) const = default;
};

ByteBuffer encode(const WatchBegin& message);
ByteBuffer encode(const WatchMembers& message);
ByteBuffer encode(const WatchStatuses& message);
ByteBuffer encode(const WatchEvents& message);
Result<WatchBegin> decode_watch_begin(Bytes body);
Result<WatchMembers> decode_watch_members(Bytes body);
Result<WatchStatuses> decode_watch_statuses(Bytes body);
Result<WatchEvents> decode_watch_events(Bytes body);

}  // namespace quadrille::wire

// What a frame of a stream says. Each message that has one names it as its `frame_type`.
#pragma once

#include <cstdint>

namespace quadrille::wire {

enum class FrameType : std::uint8_t {
  // Every stream begins with a Hello, answered by Welcome or Refusal.
  Hello = 1,
  Welcome = 2,
  Refusal = 3,
  RunSpec = 4,
  // Anti-entropy.
  Digest = 8,
  State = 9,
  StateEnd = 10,
  // Exchange.
  Subscribe = 16,
  Unsubscribe = 17,
  PayloadBegin = 18,
  Chunk = 19,
  Credit = 20,
  PayloadApplied = 21,
  PayloadRefused = 22,
  ObjectQuery = 23,
  ObjectInfo = 24,
  ObjectRequest = 25,
  ObjectBegin = 26,
  DirectBegin = 27,
  // Watching.
  WatchBegin = 32,
  WatchMembers = 33,
  WatchStatuses = 34,
  WatchEvents = 35,
};

}  // namespace quadrille::wire

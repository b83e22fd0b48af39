// How every stream begins: who is there, which versions it speaks, what it wants.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/frame_type.hpp"

namespace quadrille::wire {

enum class StreamPurpose : std::uint8_t {
  Unknown,   // a later version's: refused
  Probe,     // are you there, when datagrams do not arrive? Welcome is the answer
  RunSpec,   // what are we training? The run may be unknown
  Sync,      // anti-entropy; a newcomer's first one is its state transfer
  Exchange,  // the dialler reads the other's cells; data flows to it, control back
  Object,    // the dialler fetches states, snapshots, sheets
  Watch,     // a client that looks
};

struct Hello {
  static constexpr FrameType frame_type = FrameType::Hello;
  std::uint16_t version_min = 0;
  std::uint16_t version_max = 0;
  RunId run;  // unknown only to ask for the run spec, or to watch
  PeerId sender;
  StreamPurpose purpose = StreamPurpose::Unknown;
  std::uint64_t features = 0;
  ByteBuffer record;  // the sender's; empty when it is no member

  bool operator==(const Hello&) const = default;
};

struct Welcome {
  static constexpr FrameType frame_type = FrameType::Welcome;
  std::uint16_t version = 0;  // the largest that both speak; a frame has the least that reads it
  RunId run;
  PeerId sender;
  std::uint64_t features = 0;

  bool operator==(const Welcome&) const = default;
};

enum class RefusalReason : std::uint8_t {
  Unknown,
  OtherRun,      // text says which run this is
  OtherVersion,  // no version in common
  OtherPeer,     // the dialler has dialled itself
  Busy,          // too many streams: try again later
  NotReady,      // itself still joining
  Malformed,     // what came before it was not understood
  Leaving,
};

// The last frame of a stream.
struct Refusal {
  static constexpr FrameType frame_type = FrameType::Refusal;
  RefusalReason reason = RefusalReason::Unknown;
  std::string text;  // for people: one line, reason_bytes_max at most; made so when it is encoded
  RunId run;

  bool operator==(const Refusal&) const = default;
};

// The run file that the run was started with, as TOML. The run's id is made of its keys that
// define the run (docs/run-file.md), not of the text.
struct RunSpecText {
  static constexpr FrameType frame_type = FrameType::RunSpec;
  RunId run;
  std::string toml;

  bool operator==(const RunSpecText&) const = default;
};

ByteBuffer encode(const Hello& message);
ByteBuffer encode(const Welcome& message);
ByteBuffer encode(const Refusal& message);
ByteBuffer encode(const RunSpecText& message);
// Corrupt when they are not what they should be. decode_hello checks that version_min <=
// version_max, and leaves the record as bytes.
Result<Hello> decode_hello(Bytes body);
Result<Welcome> decode_welcome(Bytes body);
Result<Refusal> decode_refusal(Bytes body);
Result<RunSpecText> decode_run_spec(Bytes body);

}  // namespace quadrille::wire

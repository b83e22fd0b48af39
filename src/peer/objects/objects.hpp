// Objects: what is asked for once, on streams of purpose Object. A cell's complete state (to take the
// cell over, or as its understudy's copy), a snapshot of it that somebody holds, a sheet of samples.
// Both ends: fetching, and serving from the worker.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/exchange/link.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer {

// Names a fetch or a question of this peer's; never used twice.
struct FetchId {
  std::uint32_t value = 0;
  auto operator<=>(const FetchId&) const = default;
};

struct ObjectsOutput {
  std::vector<OutFrame> frames;
  std::vector<PeerId> dials;  // open a stream of purpose Object to this peer
  std::vector<StreamId> hang_ups;
  std::vector<WorkerCommand> commands;
  // Exactly one for every ask() and fetch().
  struct Answer {
    FetchId fetch;
    CellIndex cell;
    bool found = false;  // false too when the peer could not be reached, or took too long
    Round round;
    Payload payload;  // of a fetch
  };
  std::vector<Answer> answers;
  struct Offence {
    StreamId stream;
    std::string reason;
  };
  std::vector<Offence> offences;
};

class Objects {
 public:
  explicit Objects(PeerId self);

  // Does that peer hold one, and of which round?
  FetchId ask(PeerId peer, wire::ObjectKind kind, CellIndex cell, TimePoint now,
              ObjectsOutput& out);
  FetchId fetch(PeerId peer, const wire::ObjectRequest& what, TimePoint now, ObjectsOutput& out);

  void on_dialled(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_dial_failed(PeerId peer, TimePoint now, ObjectsOutput& out);
  void on_accepted(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_closed(StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ObjectsOutput& out);

  // All of the worker's: what is held here follows from them.
  void on_report(const WorkerReport& report, TimePoint now, ObjectsOutput& out);
  void on_released(CellIndex cell);  // no longer ours to serve the state of
  // States that this peer may hand over to that peer (placement's Yielding and Returned).
  void allow_handover(CellIndex cell, std::optional<PeerId> to);
  void on_time(TimePoint now, ObjectsOutput& out);
  TimePoint wake_at() const;
};

}  // namespace quadrille::peer

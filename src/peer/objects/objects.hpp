// Objects: what is asked for once, on streams of purpose Object. A cell's complete state (to take
// the cell over, or as its understudy's copy), a snapshot of it that somebody holds, a sheet of
// samples. Both ends: fetching from others, and serving from the worker.
//
// This peer may ask itself, too: no stream is opened then, and everything else is the same.
#pragma once

#include <optional>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/objects/object_fetcher.hpp"
#include "peer/objects/object_server.hpp"
#include "peer/objects/objects_output.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer {

class Objects {
 public:
  Objects(ObjectsOptions options, PeerId self) : self_(self), fetcher_(options) {}

  // Does that peer hold one, and of which round?
  FetchId ask(PeerId peer, wire::ObjectKind kind, CellIndex cell, TimePoint now,
              ObjectsOutput& out);
  // `what.request` is set here.
  FetchId fetch(PeerId peer, const wire::ObjectRequest& what, TimePoint now, ObjectsOutput& out);

  void on_dialled(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_dial_failed(PeerId peer, ObjectsOutput& out);
  void on_busy(PeerId peer, TimePoint now);  // a dial was refused so
  void on_accepted(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_closed(StreamId stream, ObjectsOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ObjectsOutput& out);

  // All of the worker's: what is held here follows from them.
  void on_report(const WorkerReport& report, ObjectsOutput& out);
  void on_released(CellIndex cell);  // no longer ours to serve the state of
  // A KeepState was issued; no round: the copy was dropped.
  void on_kept(CellIndex cell, std::optional<Round> round);
  // States that this peer may hand over to that peer (placement's Yielding and Returned). A cell
  // that was parked for a handover which is no longer allowed is resumed.
  void allow_handover(CellIndex cell, std::optional<PeerId> to, ObjectsOutput& out);

  void on_time(TimePoint now, ObjectsOutput& out);
  TimePoint wake_at() const;

 private:
  PeerId self_;
  std::uint32_t fetches_ = 0;
  ObjectFetcher fetcher_;
  ObjectServer server_;
};

}  // namespace quadrille::peer

// The answering end of object streams: what this peer holds, as the worker's reports tell it, and
// the requests that the worker makes objects for.
//
// A state is handed over only to the peer that placement yields the cell to. From then on the cell
// is parked: it trains no further, unless the handover is withdrawn.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/objects/objects_output.hpp"
#include "peer/stream.hpp"
#include "peer/transfer/link.hpp"
#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

class ObjectServer {
 public:
  // Requests of all streams, with what the worker still makes for those that closed; further ones
  // are not found. A handover, which has one asker, does not wait for others.
  static constexpr std::size_t served_in_all_max = 128;
  static constexpr std::size_t served_self_max = 256;  // this peer's own
  static constexpr Duration worker_patience = std::chrono::seconds(60);
  // Without a chunk while something waits for credit, else without a frame; askers hang up before.
  static constexpr Duration idle_max = std::chrono::seconds(120);

  // Of which round, if it is here.
  std::optional<Round> held(wire::ObjectKind kind, CellIndex cell) const;
  // For this peer: answered without a stream.
  void serve_self(FetchId fetch, const wire::ObjectRequest& what, TimePoint now,
                  ObjectsOutput& out);

  // A second stream of one asker takes the first one's place; whether it may, Sessions decided.
  void on_accepted(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_closed(StreamId stream);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ObjectsOutput& out);

  void on_report(const WorkerReport& report, ObjectsOutput& out);
  void on_released(CellIndex cell);
  void on_kept(CellIndex cell, std::optional<Round> round);
  void allow_handover(CellIndex cell, std::optional<PeerId> to, ObjectsOutput& out);
  void on_time(TimePoint now, ObjectsOutput& out);
  TimePoint wake_at() const;

 private:
  struct Asker {
    PeerId peer;
    OutgoingLink link;
    std::size_t at_worker = 0;
    TimePoint active_at;

    std::size_t served() const { return at_worker + link.size(); }
  };
  // What the worker was asked for.
  struct Order {
    std::optional<StreamId> stream;  // none: for this peer itself
    PeerId asker;
    wire::ObjectRequest what;
    TimePoint give_up_at;
  };

  Result<void> take(StreamId stream, Asker& asker, const wire::Frame& frame, TimePoint now,
                    ObjectsOutput& out);
  void take_query(StreamId stream, const wire::ObjectQuery& query, ObjectsOutput& out) const;
  Result<void> take_request(StreamId stream, Asker& asker, const wire::ObjectRequest& request,
                            TimePoint now, ObjectsOutput& out);
  bool has_room_for(const Asker& asker, bool hand_over) const;  // one more request
  bool may_have(PeerId peer, const wire::ObjectRequest& what) const;
  void order(const Order& order, ObjectsOutput& out);
  void withdraw_handovers(CellIndex cell, ObjectsOutput& out);
  // The worker's answer, or none in time.
  void deliver(const Order& order, Round round, const Payload& payload, ObjectsOutput& out);
  void send(StreamId stream, const Order& order, Round round, const Payload& payload,
            ObjectsOutput& out);

  std::map<CellIndex, Round> own_;     // trained here
  std::map<EdgeId, Round> replicas_;   // of neighbours' cells
  std::map<CellIndex, Round> copies_;  // kept as an understudy
  std::map<CellIndex, PeerId> handovers_;
  std::set<CellIndex> parked_;
  std::map<StreamId, Asker> askers_;
  std::uint32_t orders_given_ = 0;
  std::size_t self_orders_ = 0;
  std::map<std::uint32_t, Order> orders_;  // the earliest first
};

}  // namespace quadrille::peer

// What neighbours hold of each other: every edge with its own replica, version and codec.
//
// A difference is encoded at the moment it can be sent, against what the other end has acknowledged,
// so that rounds which were missed merge into one and a slow edge just sends fewer. One payload of
// an edge is on its way at a time; it is kept until it is acknowledged, so that a broken connection
// costs that payload again and no keyframe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/exchange/link.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

struct ExchangeOptions {
  bool synchronous = false;  // every round of every edge, each a difference against the one before
};

// What a cell reads, as the torus and its owners are now. With owner = self the edge stays within
// the process: encoded and applied all the same.
struct EdgeSource {
  CellIndex cell;
  PeerId owner;
  bool operator==(const EdgeSource&) const = default;
};

struct EdgeStatistics {
  std::uint64_t payloads = 0;
  std::uint64_t keyframes = 0;
  std::uint64_t faults = 0;
  std::uint64_t bytes = 0;          // of payloads that were applied
  std::uint64_t rounds_merged = 0;  // rounds that travelled within a later one's difference
  Round newest;                     // applied
  Duration last_delay{};            // from the begin of the last payload until it was applied
};

struct ExchangeOutput {
  std::vector<OutFrame> frames;
  std::vector<PeerId> dials;  // open a stream of purpose Exchange to this peer
  std::vector<StreamId> hang_ups;
  std::vector<WorkerCommand> commands;
  struct Fault {  // reported with the sender
    EdgeId edge;
    PeerId sender;
    wire::PayloadFault fault;
  };
  std::vector<Fault> faults;
  struct Offence {  // the other end broke the protocol
    StreamId stream;
    std::string reason;
  };
  std::vector<Offence> offences;
};

class Exchange {
 public:
  Exchange(ExchangeOptions options, PeerId self);

  // An own cell and what it reads from now on; a source that is no longer among them is
  // unsubscribed. A source whose owner changed keeps its replica.
  void set_sources(CellIndex reader, std::vector<EdgeSource> sources, TimePoint now,
                   ExchangeOutput& out);
  // The cell is no longer ours: its edges end, in both directions.
  void drop(CellIndex cell, TimePoint now, ExchangeOutput& out);

  // Streams: one that was dialled (this peer reads), or accepted (the other end reads).
  void on_dialled(PeerId owner, StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_accepted(PeerId reader, StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_dial_failed(PeerId owner, TimePoint now, ExchangeOutput& out);
  void on_closed(StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ExchangeOutput& out);

  void on_report(const WorkerReport& report, TimePoint now, ExchangeOutput& out);
  void on_time(TimePoint now, ExchangeOutput& out);
  TimePoint wake_at() const;

  std::optional<Round> newest_round(EdgeId edge) const;  // that this peer holds as its reader
  std::map<EdgeId, EdgeStatistics> statistics() const;   // of the edges that it reads
};

}  // namespace quadrille::peer

// What neighbours hold of each other: every edge with its own replica and version, at its own pace.
//
// A difference is encoded at the moment it can be sent, against what the other end has
// acknowledged, so that rounds which were missed merge into one and a slow edge just sends fewer.
// One payload of an edge is on its way at a time; it is kept until it is acknowledged, so that a
// broken connection costs that payload again and no keyframe. docs/exchange.md tells the whole.
//
//     worker --CellPublished--> Publisher ==frames==> Subscriber --AdvanceCell--> worker
//              PayloadEncoded   of the source         of the reader  ApplyPayload
//
// Every peer is both. Between two of its own cells the same messages go without frames.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/exchange/exchange_output.hpp"
#include "peer/exchange/publisher.hpp"
#include "peer/exchange/receiving_edge.hpp"
#include "peer/exchange/subscriber.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

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
  void on_dial_failed(PeerId owner, TimePoint now);
  void on_closed(StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ExchangeOutput& out);

  // All of the worker's. Every EncodePayload and ApplyPayload has exactly one report, in their
  // order, even of an edge that was closed since. A cell counts from its CellStarted until drop():
  // what else is reported of it is of an earlier time. One that was restored reports the snapshots
  // that it holds as published, oldest first.
  void on_report(const WorkerReport& report, TimePoint now, ExchangeOutput& out);
  void on_time(TimePoint now, ExchangeOutput& out);
  TimePoint wake_at() const;

  std::optional<Round> newest_round(EdgeId edge) const;  // that this peer holds as its reader
  // The newest round of the reader that the source held when it published that; none as well.
  std::optional<Round> heard(EdgeId edge) const;
  // How many cells the one at the other end reads, as it last said.
  std::optional<std::uint16_t> source_degree(EdgeId edge) const;  // of an edge that this peer reads
  std::optional<std::uint16_t> reader_degree(EdgeId edge) const;  // of one that it publishes
  std::map<EdgeId, EdgeStatistics> statistics() const;            // of the edges that it reads
  // That this peer sent of an own cell to others, since the cell is its own.
  std::uint64_t sent_bytes(CellIndex cell) const { return publisher_.sent_bytes(cell); }

 private:
  void settle(TimePoint now, ExchangeOutput& out);

  Publisher publisher_;
  Subscriber subscriber_;
  std::set<CellIndex> started_;
};

}  // namespace quadrille::peer

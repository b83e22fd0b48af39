// The reading half of an exchange: what the own cells read, from whom, and when they have enough.
//
// Edges whose source is an own cell speak to the publisher through take_local() and on_local();
// the others through one dialled stream for each owner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/exchange/edge_messages.hpp"
#include "peer/exchange/exchange_output.hpp"
#include "peer/exchange/inbox.hpp"
#include "peer/exchange/owner_link.hpp"
#include "peer/exchange/receiving_edge.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

class Subscriber {
 public:
  Subscriber(ExchangeOptions options, PeerId self) : options_(options), self_(self) {}

  void add_cell(CellIndex cell);
  // Each source once, and not the reader itself.
  void set_sources(CellIndex reader, const std::vector<EdgeSource>& sources, TimePoint now,
                   ExchangeOutput& out);
  void drop(CellIndex reader, TimePoint now, ExchangeOutput& out);

  void on_dialled(PeerId owner, StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_dial_failed(PeerId owner, TimePoint now);
  // Streams that are not of this half change nothing.
  void on_closed(StreamId stream, TimePoint now);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ExchangeOutput& out);
  // What was not asked for, or not any more, is dropped.
  void on_local(Arrival arrival, TimePoint now, ExchangeOutput& out);
  std::vector<ReaderMessage> take_local();

  void on_need(const Need& need, TimePoint now, ExchangeOutput& out);
  void on_taken(const PayloadTaken& taken, TimePoint now, ExchangeOutput& out);
  void on_time(TimePoint now, ExchangeOutput& out);
  TimePoint wake_at() const;

  const ReceivingEdgeState* find(EdgeId edge) const;
  std::map<EdgeId, EdgeStatistics> statistics() const;

 private:
  struct Edge {
    PeerId owner;
    PeerId sender;  // of the payload under way
    bool subscribed = false;
    ReceivingEdgeState state;
  };
  using Edges = std::map<EdgeId, Edge>;

  void end(EdgeId id, TimePoint now, ExchangeOutput& out);
  void join(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out);
  void leave(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out);
  void subscribe(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out);
  void answer(EdgeId id, Edge& edge, const std::optional<ReaderMessage>& message, TimePoint now,
              ExchangeOutput& out);

  void dial(PeerId owner, TimePoint now, ExchangeOutput& out);
  void detach(OwnerLink& link);
  void lose(PeerId owner, TimePoint now, ExchangeOutput& out);
  void renew(PeerId owner, TimePoint now, ExchangeOutput& out);
  void end_quarantines(TimePoint now, ExchangeOutput& out);

  Result<void> take_frame(PeerId owner, const wire::Frame& frame, TimePoint now,
                          ExchangeOutput& out);
  Result<void> take_payload_begin(PeerId owner, const wire::PayloadBegin& begin, TimePoint now,
                                  ExchangeOutput& out);
  Result<void> take_direct_begin(PeerId owner, const wire::DirectBegin& begin, TimePoint now);
  void take_arrival(Arrival arrival, TimePoint now, ExchangeOutput& out);

  void apply_ready(CellIndex reader, ExchangeOutput& out);
  void advance_if_met(CellIndex reader, TimePoint now, ExchangeOutput& out);

  ExchangeOptions options_;
  PeerId self_;
  std::map<CellIndex, Inbox> cells_;
  Edges edges_;
  std::map<PeerId, OwnerLink> links_;  // of every owner but this peer
  std::map<StreamId, PeerId> streams_;
  std::set<EdgeId> quarantined_;
  // Reports that are still to come for edges that ended: they mean nothing to a new beginning.
  std::map<EdgeId, std::uint32_t> stale_reports_;
  std::vector<ReaderMessage> local_;
};

}  // namespace quadrille::peer

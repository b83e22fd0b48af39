// The publishing half of an exchange: who reads the own cells, and what each reader gets next.
//
// A subscription outlives what it waits for: it may come before the cell's first publication, and
// it stays while the cell is away. The worker's end of the edge is open only in between. Of two who
// both believe that they own the reading cell, the later one is served, and the other after it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/exchange/direct_queue.hpp"
#include "peer/exchange/edge_messages.hpp"
#include "peer/exchange/edge_version.hpp"
#include "peer/exchange/exchange_output.hpp"
#include "peer/exchange/sending_edge.hpp"
#include "peer/transfer/link.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

class Publisher {
 public:
  // How long the worker keeps the replica of a reader that is gone without a word.
  static constexpr Duration lost_reader_patience = std::chrono::minutes(5);

  // What was refused for good is offered again with the next round, or after this: in synchronous
  // mode there may be no next round without it.
  static constexpr Duration refusal_pause = std::chrono::seconds(10);

  // How long a stream may be without a subscription: a reader dials when it wants an edge.
  static constexpr Duration idle_max = std::chrono::seconds(60);

  explicit Publisher(ExchangeOptions options) : options_(options) {}

  void set_degree(CellIndex cell, std::uint16_t degree) { degrees_[cell] = degree; }
  void drop(CellIndex source, ExchangeOutput& out);

  // A second stream of one reader takes the first one's place; whether it may, Sessions decided.
  void on_accepted(PeerId reader, StreamId stream, TimePoint now, ExchangeOutput& out);
  // Streams that are not of this half change nothing.
  void on_closed(StreamId stream, TimePoint now, ExchangeOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ExchangeOutput& out);
  void on_local(const ReaderMessage& message, TimePoint now, ExchangeOutput& out);
  std::vector<Arrival> take_local();

  void on_published(const CellPublished& published, ExchangeOutput& out);
  void on_encoded(const PayloadEncoded& encoded, ExchangeOutput& out);
  void on_direct(const DirectChunk& chunk, ExchangeOutput& out);
  void on_time(TimePoint now, ExchangeOutput& out);
  TimePoint wake_at() const;

  // Of the own cell's payloads and messages to other peers, since it is its own.
  std::uint64_t sent_bytes(CellIndex source) const;
  // Of the reading cell, as it said when it subscribed.
  std::optional<std::uint16_t> reader_degree(EdgeId edge) const;

 private:
  using Line = std::optional<StreamId>;  // none: within the process

  // One who wants the edge.
  struct Seat {
    Line line;
    std::uint16_t degree = 0;  // of the reading cell
    EdgeVersion held;
    std::optional<EdgeVersion> awaiting;  // what it was sent and has not answered
    std::uint32_t transfer = 0;           // of the last payload
    std::uint32_t direct_transfer = 0;    // of the last message
  };
  struct Edge {
    std::vector<Seat> seats;  // the last is served; one of an own cell is always the last
    std::optional<SendingEdgeState> worker;  // while its end is open
    DirectQueue direct;
    TimePoint lost_at;  // when the last seat was lost

    Seat* find(Line line);
    bool serves(const Seat& seat) const { return &seat == &seats.back(); }
  };
  using Edges = std::map<EdgeId, Edge>;

  struct Stream {
    PeerId reader;
    OutgoingLink link;
    std::map<EdgeId, bool> subscriptions;  // false: it ended
    std::vector<EdgeId> waiting;           // for a place among the link's transfers, each once
    std::optional<TimePoint> idle_since;   // while it has no subscription

    void wait(EdgeId edge);
    bool is_subscribed() const;
  };
  struct Published {
    std::optional<Round> previous;
    Round newest;
  };

  Result<void> take_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                          ExchangeOutput& out);
  Result<void> take(Line line, const wire::Subscribe& message, TimePoint now, ExchangeOutput& out);
  Result<void> take(Line line, const wire::Unsubscribe& message, TimePoint now,
                    ExchangeOutput& out);
  Result<void> take(Line line, const wire::PayloadApplied& message, TimePoint now,
                    ExchangeOutput& out);
  Result<void> take(Line line, const wire::PayloadRefused& message, TimePoint now,
                    ExchangeOutput& out);
  // Whose message on an edge this is; none if it is stale. Corrupt: it never subscribed.
  Result<Seat*> seat_of(Line line, EdgeId id);
  // The same for an answer. Corrupt, too: to what was not sent.
  Result<Seat*> answering_seat(Line line, EdgeId id, std::uint64_t version);
  std::size_t reader_count(CellIndex source) const;

  void hang_up(StreamId stream, TimePoint now, ExchangeOutput& out);
  void unseat(EdgeId id, Line line, ExchangeOutput& out);
  void serve(EdgeId id, Edge& edge, ExchangeOutput& out);
  void open(EdgeId id, Edge& edge, ExchangeOutput& out);
  void close(EdgeId id, Edge& edge, ExchangeOutput& out);
  void erase_if_unused(EdgeId id);

  void work(EdgeId id, Edge& edge, ExchangeOutput& out);
  void work_payload(EdgeId id, Edge& edge, Stream* stream, ExchangeOutput& out);
  void work_direct(EdgeId id, Edge& edge, Stream* stream, ExchangeOutput& out);
  void work_waiting(StreamId stream, ExchangeOutput& out);

  ExchangeOptions options_;
  std::map<CellIndex, Published> published_;  // own cells
  std::map<CellIndex, std::uint16_t> degrees_;
  std::map<CellIndex, std::uint64_t> sent_bytes_;
  Edges edges_;
  std::map<StreamId, Stream> streams_;
  std::set<EdgeId> lost_;                 // open, without a seat
  std::map<EdgeId, TimePoint> retry_at_;  // of those that were refused
  // Reports that are still to come for ends that were closed.
  std::map<EdgeId, std::uint32_t> stale_reports_;
  std::vector<Arrival> local_;
};

}  // namespace quadrille::peer

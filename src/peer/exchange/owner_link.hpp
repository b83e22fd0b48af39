// The line to one peer whose cells are read here: dialled while an edge wants it, and again after
// it broke, later each time.
//
// An edge is subscribed at most once in the life of a stream. So nothing that still comes for an
// edge that was given up can be mistaken, and who wants it again begins a new stream.
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
#include "peer/exchange/edge_messages.hpp"
#include "peer/stream.hpp"
#include "peer/transfer/link.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

class OwnerLink {
 public:
  static constexpr Duration back_off_min = std::chrono::seconds(1);
  static constexpr Duration back_off_max = std::chrono::seconds(60);

  // Edges that are read through it, subscribed or not.
  std::set<EdgeId>& edges() { return edges_; }

  // Whether to dial now; the caller does so then.
  bool start_dialling(TimePoint now);
  bool is_dialling() const { return dialling_; }
  std::optional<TimePoint> wake_at() const;  // to dial, or to see a stall
  // False: there is a stream already, this one is not wanted.
  bool on_dialled(StreamId stream, std::vector<OutFrame>& out);
  // The stream or the attempt came to nothing: dial again later, or at once.
  void on_lost(TimePoint now);
  void on_given_up(TimePoint now);
  bool stalled(TimePoint now) const;

  std::optional<StreamId> stream() const;

  enum class Subscription { Never, Live, Ended };  // in the life of this stream
  Subscription subscription(EdgeId edge) const;
  bool is_used_up() const;  // no further subscription on this stream
  // Used up, while a new stream would have room for edges that wait.
  bool is_worth_renewing() const;
  // On the stream that there is, which is not used up, and never had the edge.
  void subscribe(const wire::Subscribe& message, std::vector<OutFrame>& out);
  // What is under way of it is dropped. Nothing where it is not live.
  void unsubscribe(EdgeId edge, std::vector<OutFrame>& out);

  // From here on: of the stream that there is. A transfer begins; one of an edge that ended is let
  // pass and dropped. Errors as IncomingLink::begin().
  Result<void> begin(const Begin& begin, TimePoint now);
  // What arrived, with its last chunk. Errors as IncomingLink::take().
  Result<std::optional<Arrival>> take(const wire::Chunk& chunk, TimePoint now,
                                      std::vector<OutFrame>& out);
  bool is_receiving_message(EdgeId along) const;
  // What still comes of it is not wanted.
  void abandon(std::uint32_t transfer);

 private:
  struct Connection {
    explicit Connection(StreamId opened) : stream(opened), incoming(opened) {}
    StreamId stream;
    IncomingLink incoming;
    std::map<EdgeId, Subscription> subscriptions;
    std::size_t ended = 0;
    std::map<std::uint32_t, Begin> arriving;  // by transfer
  };

  void abandon_all_of(EdgeId edge);

  std::set<EdgeId> edges_;
  std::optional<Connection> connection_;
  bool dialling_ = false;
  TimePoint dial_at_;
  Duration back_off_ = back_off_min;
};

}  // namespace quadrille::peer

// The asking end of object streams: one to each peer that something is wanted of, dialled when it
// is needed and closed when it was idle for a while.
//
// Every wish gets exactly one answer, whatever happens to the stream. A request that took too long
// is answered and forgotten by the asker while the other end may still serve it: it keeps its place
// until that has come, or until the stream is given up.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/objects/objects_output.hpp"
#include "peer/stream.hpp"
#include "peer/transfer/link.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer {

class ObjectFetcher {
 public:
  static constexpr std::size_t in_flight_max = 16;  // on one stream; further ones wait
  static constexpr std::size_t waiting_max = 4096;  // for one peer; further ones are not found
  static constexpr Duration patience = std::chrono::seconds(60);  // until an answer begins
  static constexpr Duration idle_max = std::chrono::seconds(30);
  // The other end has no place for a stream of this peer's yet: dialled again after this, while
  // what is wanted has patience.
  static constexpr Duration busy_pause = std::chrono::seconds(2);
  // An object that has begun has this rate at least, on top of the patience; and it never stalls
  // (IncomingLink::stall_max).
  static constexpr std::uint64_t bytes_per_second_min = 64 << 10;

  explicit ObjectFetcher(ObjectsOptions options) : options_(options) {}

  struct Wish {
    FetchId fetch;
    wire::ObjectRequest what;  // its request is the fetch's number
    bool is_question = false;  // whether the other end has it; nothing is fetched
  };
  void want(PeerId peer, const Wish& wish, TimePoint now, ObjectsOutput& out);

  void on_dialled(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out);
  void on_dial_failed(PeerId peer, ObjectsOutput& out);
  void on_busy(PeerId peer, TimePoint now);  // the dial failed, since it was refused as Busy
  void on_closed(StreamId stream, ObjectsOutput& out);
  void on_frame(StreamId stream, const wire::Frame& frame, TimePoint now, ObjectsOutput& out);
  void on_time(TimePoint now, ObjectsOutput& out);
  TimePoint wake_at() const;

 private:
  struct Request {
    Wish wish;
    TimePoint give_up_at;
    bool has_begun = false;    // its object is arriving
    bool is_answered = false;  // given up: what comes of it is thrown away
  };
  struct Arrival {
    std::uint32_t request = 0;
    Round round;
    std::uint64_t checksum = 0;
  };
  struct Source {
    std::optional<StreamId> stream;    // none: being dialled, or
    std::optional<TimePoint> dial_at;  // to be dialled again
    std::optional<IncomingLink> link;
    std::deque<Request> waiting;
    std::map<std::uint32_t, Request> in_flight;
    std::map<std::uint32_t, Arrival> arrivals;  // by transfer
    TimePoint idle_since;

    bool is_idle() const { return stream && waiting.empty() && in_flight.empty(); }
  };

  void send_waiting(Source& source, TimePoint now, ObjectsOutput& out);
  Result<void> take(Source& source, const wire::Frame& frame, TimePoint now, ObjectsOutput& out);
  Result<void> take_info(Source& source, Bytes body, ObjectsOutput& out);
  Result<void> take_begin(Source& source, Bytes body, TimePoint now);
  std::uint64_t bytes_max(wire::ObjectKind kind) const;
  Result<void> take_chunk(Source& source, Bytes body, TimePoint now, ObjectsOutput& out);
  // False: the stream has failed its requests for too long.
  static bool give_up_late(Source& source, TimePoint now, ObjectsOutput& out);
  // All that it owes is not found.
  void lose(PeerId peer, ObjectsOutput& out);
  void hang_up(PeerId peer, ObjectsOutput& out);

  ObjectsOptions options_;
  std::map<PeerId, Source> sources_;
  std::map<StreamId, PeerId> peers_;
};

}  // namespace quadrille::peer

// A client that looks, as a person would: it dials a peer over a simulated stream, takes
// what it is shown under credit, and makes a recording of it. When its peer goes, it dials the
// next.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/stream.hpp"
#include "peer/watch/recording.hpp"
#include "sim/event_queue.hpp"
#include "sim/sim_stream.hpp"
#include "wire/frame.hpp"

namespace quadrille::sim {

class Watcher {
 public:
  static constexpr Duration redial_after = std::chrono::seconds(1);
  static constexpr std::uint64_t credit_bytes = std::uint64_t{4} << 20;

  struct Self {
    NodeIndex node = 0;
    RunId run;
    NodeIndex hosts = 0;  // that it may dial: 0 to hosts - 1
    std::uint64_t start_unix_milliseconds = 0;
  };
  using Sink = std::function<void(Bytes)>;  // of the recording's bytes, in order
  Watcher(Self self, SimStreams& streams, EventQueue& events, Sink sink);

  void start(TimePoint now);
  void on_stream(const StreamNews& news, TimePoint now);
  void on_wake(TimePoint now);

 private:
  void dial(TimePoint now);
  void dial_later(TimePoint now);
  void send(wire::FrameType type, const ByteBuffer& body, TimePoint now);
  Result<void> take(Bytes bytes, TimePoint now);

  Self self_;
  SimStreams& streams_;
  EventQueue& events_;
  Sink sink_;
  peer::RecordingWriter writer_;
  peer::StreamId stream_{};
  std::optional<wire::FrameReader> reader_;
  std::uint32_t next_sequence_ = 0;
  NodeIndex next_host_ = 0;
};

}  // namespace quadrille::sim

// Reliable streams over the simulated network, as TCP gives them: opening takes a round trip, bytes
// arrive in order and in pieces cut anywhere, and who stops answering is noticed late.
//
// Bytes stay where the sender put them until they arrive, so a stream's memory is what was sent and
// not yet received. How much that may be is the matter of who sends.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/hash.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "sim/event_queue.hpp"
#include "sim/sim_network.hpp"

namespace quadrille::sim {

// What a host is to be told of one of its streams. `bytes` last until the next call.
struct StreamNews {
  enum class Kind : std::uint8_t { Opened, OpenFailed, Accepted, Bytes, Closed };
  Kind kind = Kind::Bytes;
  NodeIndex node = 0;
  peer::StreamId stream;
  NodeIndex from = 0;  // Accepted: who dialled
  Bytes bytes{};
};

class SimStreams {
 public:
  static constexpr std::size_t piece_bytes_max = std::size_t{16} << 10;
  static constexpr std::size_t streams_max = std::size_t{1} << 20;
  static constexpr Duration connect_patience = std::chrono::seconds(5);
  static constexpr Duration silence_patience = std::chrono::seconds(20);

  SimStreams(SimNetwork& network, EventQueue& events, RandomStream random);

  void open(NodeIndex node, peer::StreamId stream, NodeIndex to, TimePoint now);
  struct Sending {
    ByteBuffer head;
    peer::Payload tail;
    std::size_t tail_offset = 0;
    std::size_t tail_bytes = 0;
  };
  // Nothing when there is no such stream any more: its end may have been on its way.
  void send(NodeIndex node, peer::StreamId stream, Sending sending, TimePoint now);
  void close(NodeIndex node, peer::StreamId stream, TimePoint now);

  // Carries out an event of the stream kinds; what a host is to be told of it, if anything.
  std::optional<StreamNews> carry_out(const Event& event, TimePoint now);

  // The process on that node ended: its machine closes its streams, or is gone itself.
  void on_process_ended(NodeIndex node, TimePoint now);
  // Some path was opened or closed, or a machine came or went.
  void on_paths_changed(TimePoint now);

  std::size_t open_count() const { return streams_.size() - free_.size(); }
  // Of a node.
  struct Load {
    std::uint32_t streams = 0;        // that its process has, and is opening
    std::uint32_t accepted = 0;       // of these, that others dialled
    std::size_t largest_backlog = 0;  // bytes that one of its streams ever held on their way out
  };
  const Load& load_of(NodeIndex node) const { return loads_[node]; }

 private:
  struct End {
    NodeIndex node = 0;
    peer::StreamId id{};
    bool open = false;  // the process has it and hears of it
    bool dead = false;  // the process ended with it open
  };
  struct Segment {
    ByteBuffer owned{};
    peer::Payload shared{};  // null: `owned`
    std::size_t begin = 0;
    std::size_t end = 0;
    Bytes bytes() const;
  };
  // From ends[d] to ends[1 - d].
  struct Direction {
    std::deque<Segment> segments;   // sent and not yet arrived
    std::size_t held_bytes = 0;     // in them
    std::size_t waiting_bytes = 0;  // of these, not yet on their way
    TimePoint last_arrival;
    bool is_pumping = false;
    bool ends = false;  // closed after what is held
    bool ended = false;
  };
  struct Stream {
    End ends[2];  // the dialler's, and the other one
    Direction directions[2];
    TimePoint began;
    std::uint32_t events = 0;  // that name it
    std::uint32_t stall = 0;   // counts them
    bool is_stalled = false;
    bool is_open = false;  // accepted
    bool in_use = false;
  };
  struct Key {
    NodeIndex node = 0;
    std::uint64_t id = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept {
      return mix64(key.id ^ (std::uint64_t{key.node} << 40U));
    }
  };

  std::optional<std::uint32_t> find(NodeIndex node, peer::StreamId stream) const;
  std::uint32_t take_slot();
  void schedule(std::uint32_t slot, TimePoint time, Event event);
  void pump_soon(std::uint32_t slot, std::uint32_t direction, TimePoint now);
  void pump(std::uint32_t slot, std::uint32_t direction, TimePoint now);
  std::size_t next_piece(const Stream& stream, std::uint32_t direction);
  TimePoint arrival(Stream& stream, std::uint32_t direction, TimePoint departure);
  std::optional<StreamNews> knock(std::uint32_t slot, std::uint32_t attempt, TimePoint now);
  std::optional<StreamNews> arrive(Stream& stream, std::uint32_t direction, std::size_t bytes);
  std::optional<StreamNews> end_at(Stream& stream, std::uint32_t end, StreamNews::Kind kind);
  std::optional<StreamNews> time_out(std::uint32_t slot, TimePoint now);
  void take_end(End& end, bool is_accepted);
  void gather(Direction& direction, std::size_t bytes);
  void finish(std::uint32_t slot, std::uint32_t direction, TimePoint now);
  void release_if_over(std::uint32_t slot);
  void look_at_path(std::uint32_t slot, TimePoint now);

  SimNetwork& network_;
  EventQueue& events_;
  RandomStream random_;
  std::vector<Stream> streams_;
  std::vector<std::uint32_t> free_;
  std::unordered_map<Key, std::uint32_t, KeyHash> by_id_;  // looked up, never walked
  std::uint64_t next_accepted_ = 2;
  ByteBuffer piece_;
  std::vector<Load> loads_;  // by node
};

}  // namespace quadrille::sim

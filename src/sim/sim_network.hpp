// The network between hosts: what becomes of a datagram, and which paths are open. Every ordered
// pair of hosts has the common quality; only those with a fault of their own take memory.
//
// Datagrams pass by what streams have queued on the same uplink, as they do under fair queueing.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "sim/event_queue.hpp"

namespace quadrille::sim {

// Of every ordered pair of hosts.
struct NetworkQuality {
  double loss = 0;
  double duplication = 0;
  Duration delay = std::chrono::microseconds(250);   // at least
  Duration jitter = std::chrono::microseconds(500);  // and up to so much more: datagrams overtake
  double straggling = 0;                             // of datagrams: come `straggle` later
  Duration straggle = std::chrono::milliseconds(200);
  std::uint64_t bytes_per_second = 125'000'000;  // of a host's uplink, shared by its streams
};

// What is worse about one ordered pair.
struct LinkFault {
  double loss = 0;
  std::uint64_t bytes_per_second = 0;  // 0: as fast as the uplink
  bool blocked = false;
};

enum class Presence : std::uint8_t {
  Absent,     // the machine is gone: nothing answers
  Refusing,   // the machine is there, the process is not
  Listening,  // somebody takes what arrives
};

class SimNetwork {
 public:
  static constexpr std::size_t groups_max = 8;
  // So much a socket's receive buffer holds while nobody reads (Linux's default).
  static constexpr std::size_t receive_buffer_bytes = std::size_t{208} << 10;

  SimNetwork(std::size_t node_count, NetworkQuality quality, RandomStream random);

  // Datagrams.
  void send(NodeIndex from, NodeIndex to, ByteBuffer bytes, TimePoint now, EventQueue& events);
  struct Datagram {
    NodeIndex from = 0;
    ByteBuffer bytes;
  };
  Datagram take(std::uint32_t slot);
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t in_flight() const { return slots_.size() - free_slots_.size(); }

  // Paths. A stream needs both directions.
  bool is_blocked(NodeIndex from, NodeIndex to) const;
  bool can_stream(NodeIndex a, NodeIndex b) const;
  Duration draw_delay();
  bool draw_loss(NodeIndex from, NodeIndex to);
  // When `bytes` of a stream have left, if they wait for what left before.
  TimePoint transmit(NodeIndex from, NodeIndex to, std::size_t bytes, TimePoint now);
  std::uint64_t bytes_per_second(NodeIndex from, NodeIndex to) const;

  // Faults.
  void set_quality(NetworkQuality quality) { quality_ = quality; }
  void set_fault(NodeIndex from, NodeIndex to, const LinkFault& fault);
  void clear_faults();
  // Hosts of different groups hear nothing of each other, until join_groups(). All begin in 0.
  void set_group(NodeIndex node, std::uint8_t group);
  void set_heard(std::uint8_t from_group, std::uint8_t to_group, bool heard);
  void join_groups();
  void set_presence(NodeIndex node, Presence presence) { nodes_[node].presence = presence; }
  Presence presence(NodeIndex node) const { return nodes_[node].presence; }

  struct Traffic {
    std::uint64_t datagrams = 0;
    std::uint64_t datagram_bytes = 0;  // with 28 bytes of IP and UDP each
    std::uint64_t stream_bytes = 0;
  };
  const Traffic& sent_by(NodeIndex node) const { return nodes_[node].sent; }

 private:
  struct Node {
    Traffic sent;
    TimePoint uplink_free;
    Presence presence = Presence::Absent;
    std::uint8_t group = 0;
  };
  struct Link {
    LinkFault fault;
    TimePoint free;
  };

  static std::uint64_t pair_key(NodeIndex from, NodeIndex to) {
    return std::uint64_t{from} << 32U | to;
  }
  const Link* find_link(NodeIndex from, NodeIndex to) const;
  bool chance(double probability);
  void put_in_flight(NodeIndex from, NodeIndex to, ByteBuffer bytes, TimePoint now,
                     EventQueue& events);

  NetworkQuality quality_;
  RandomStream random_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint64_t, Link> links_;  // with a fault; looked up, never walked
  std::array<std::array<bool, groups_max>, groups_max> unheard_{};
  std::vector<Datagram> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace quadrille::sim

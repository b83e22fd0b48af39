// Datagrams: probes and their answers, gossip, and the small messages of placement. Any of them
// carries updates and statuses along.
//
//   envelope (24 bytes, in clear)              body (FlatBuffer, 1,120 bytes at most)
//   +------+---------+-------+--------+        +--------------------------------------+
//   | QDRD | version | flags | run id |        | sender, incarnation, message, updates |
//   | 4    | 2       | 2     | 16     |        | statuses                             |
//   +------+---------+-------+--------+        +--------------------------------------+
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/cell_status.hpp"
#include "wire/endpoint.hpp"
#include "wire/update.hpp"

namespace quadrille::wire {

// Nothing but what is carried along.
struct Gossip {
  bool operator==(const Gossip&) const = default;
};
// Are you there? A peer that is not `target` (it took over the address) does not answer.
struct Ping {
  std::uint32_t sequence = 0;
  PeerId target;
  bool operator==(const Ping&) const = default;
};
// Ask the target for me: I hear nothing from it.
struct PingRequest {
  std::uint32_t sequence = 0;
  PeerId target;
  Endpoint endpoint;  // of one host
  bool operator==(const PingRequest&) const = default;
};
// The answer to a Ping, and to a PingRequest when the target answered in time.
struct Ack {
  std::uint32_t sequence = 0;
  bool operator==(const Ack&) const = default;
};
// The answer to a PingRequest when it did not: the helper at least is there (Lifeguard).
struct Nack {
  std::uint32_t sequence = 0;
  bool operator==(const Nack&) const = default;
};
// The hash over the sender's view. Who differs says so with its own, and the first then opens a
// stream for anti-entropy.
struct CompareViews {
  std::uint64_t view_hash = 0;
  bool is_answer = false;
  bool operator==(const CompareViews&) const = default;
};
// I hold so many cells, fewer than I should while you hold more than your share: yield some to me.
struct YieldRequest {
  std::uint32_t sequence = 0;
  std::uint32_t cells_held = 0;
  bool operator==(const YieldRequest&) const = default;
};
// The donor's answer; what it yields stands in its record, which is among the updates.
struct YieldReply {
  std::uint32_t sequence = 0;
  bool granted = false;
  bool operator==(const YieldReply&) const = default;
};

// The last is a message of a later version: what it carries along is still read.
using Message = std::variant<Gossip, Ping, PingRequest, Ack, Nack, CompareViews, YieldRequest,
                             YieldReply, std::monostate>;

struct Datagram {
  RunId run;
  PeerId sender;
  std::uint64_t incarnation = 0;  // the sender's
  Message message;
  std::vector<Update> updates;
  std::vector<CellStatus> statuses;

  bool operator==(const Datagram&) const = default;
};

// What a body takes without updates and statuses, at most. Each status adds cell_status_bytes, each
// update its encoded_bytes_bound().
inline constexpr std::size_t datagram_overhead_bytes = 136;

// Envelope and body. CHECKs that they are within their limits.
ByteBuffer encode(const Datagram& datagram);

struct Envelope {
  std::uint16_t version = 0;
  std::uint16_t flags = 0;
  RunId run;
};
// Corrupt: too short, too long or not ours. Mismatch: of a version that we do not speak.
Result<Envelope> read_envelope(Bytes datagram);
// The same errors. Updates and statuses are well-formed then; a record within an update is not yet
// decoded: intern it (peer/membership/record_pool.hpp) or call decode_peer_record().
Result<Datagram> decode_datagram(Bytes datagram);

}  // namespace quadrille::wire

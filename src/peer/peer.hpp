// One peer, whole, without I/O: messages, time, reports and commands in; effects out. The same
// object runs under sockets and in a simulation.
//
// Bytes are decoded here, and nothing in them is believed before it was checked. Who sends what
// cannot be understood is counted, and after repeated offences ignored for a while.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/exchange/exchange.hpp"
#include "peer/membership/membership.hpp"
#include "peer/objects/objects_output.hpp"
#include "peer/placement/placement.hpp"
#include "peer/status/status_board.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

struct PeerOptions {
  RunId run;
  std::string run_name;
  std::string run_spec;  // TOML for those who ask: lines, wire::run_spec_bytes_max at most
  std::string name;
  std::string zone;
  // Where others reach it, each is_of_one_host(); the first is its identity's.
  std::vector<wire::Endpoint> endpoints;
  std::vector<wire::Endpoint> seeds;
  MembershipOptions membership;
  PlacementOptions placement;
  ExchangeOptions exchange;
  ObjectsOptions objects;
  wire::DeviceKind device = wire::DeviceKind::Unknown;  // that its cells are trained on
  Round understudy_every{.index = 10};  // rounds between two copies of a cell's state to its spare
};

// What an earlier process of this peer left on its disk.
struct StoredPeer {
  std::vector<wire::Endpoint> known_peers;  // further seeds
  std::vector<StoredCell> cells;            // with their checkpoints' rounds
};

// What time it is, by both clocks.
struct Now {
  TimePoint time;
  std::uint64_t unix_milliseconds = 0;
};

class Peer {
 public:
  // `random_seed` must differ between any two processes: the peer's id is drawn from it.
  Peer(PeerOptions options, StoredPeer stored, RecordPool& pool, std::uint64_t random_seed,
       Now now);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  void start(Now now, Effects& out);
  void on_datagram(const wire::Endpoint& from, Bytes bytes, Now now, Effects& out);

  // A stream that OpenStream asked for is connected, or could not be.
  void on_opened(StreamId stream, Now now, Effects& out);
  void on_open_failed(StreamId stream, Now now, Effects& out);
  // One that somebody else opened; the driver gives it an even number.
  void on_accepted(StreamId stream, const wire::Endpoint& from, Now now, Effects& out);
  void on_bytes(StreamId stream, Bytes bytes, Now now, Effects& out);
  // By the other end or the network; not after CloseStream.
  void on_closed(StreamId stream, Now now, Effects& out);

  void on_report(const WorkerReport& report, Now now, Effects& out);
  void on_time(Now now, Effects& out);
  TimePoint wake_at() const;  // call on_time() then, or soon after

  // Hands its cells over, says so, and goes: Effects::has_left.
  void leave(Now now, Effects& out);

  PeerId id() const;
  const Membership& membership() const;
  const Placement& placement() const;
  const Exchange& exchange() const;
  const StatusBoard& statuses() const;
  // Cells that it trains now (owned, started, not parked), ascending.
  std::vector<CellIndex> training_cells() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace quadrille::peer

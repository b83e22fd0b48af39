// What must hold at every moment, checked after every event for the host that it touched: I1 to I10
// of docs/simulation.md, but for I7, which takes two disks.
//
// Whole views are compared with that memory for every host of a small world, and of a large one for
// a few hosts, once a second: all of them would cost more than the peers do.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/peer.hpp"
#include "sim/claim_history.hpp"
#include "sim/gate_history.hpp"
#include "sim/host.hpp"
#include "sim/view_history.hpp"
#include "sim/violation.hpp"

namespace quadrille::sim {

class Invariants {
 public:
  static constexpr std::uint32_t small_world_hosts = 128;
  static constexpr std::uint32_t watched_hosts = 16;  // of a large world

  // Each of the hosts can hold `capacity` cells.
  Invariants(std::uint32_t hosts, std::uint32_t capacity);

  void on_started(const Host& host, TimePoint now);
  // The first thing that does not hold at this host.
  std::optional<Violation> check(const Host& host, TimePoint now);

 private:
  struct Memory {
    peer::RecordRef own;
    TimePoint next_look;
  };
  using Finding = std::optional<Violation>;

  Finding check_own_record(const Host& host, Memory& memory);
  Finding check_sizes(const Host& host) const;
  void look_at_gate(const Host& host, TimePoint now);
  Finding look_at_view(const Host& host, Memory& memory, TimePoint now);

  bool is_watched(const Host& host) const { return host.node() % stride_ == 0; }

  std::uint32_t stride_;
  std::uint32_t capacity_;
  std::vector<Memory> memories_;
  GateHistory gates_;
  ClaimHistory claims_;
  ViewHistory views_;
};

}  // namespace quadrille::sim

// Membership's parameters. The defaults are memberlist's for a LAN, but for what its users' reports
// taught: docs/membership.md says why each is what it is.
#pragma once

#include <chrono>
#include <cstdint>

#include "base/time.hpp"

namespace quadrille::peer {

struct MembershipOptions {
  Duration probe_interval = std::chrono::seconds(1);
  Duration probe_timeout = std::chrono::milliseconds(500);
  std::uint32_t indirect_probes = 3;
  std::uint32_t suspicion_multiplier = 4;      // minimum: this * max(1, log10 n) * probe_interval
  std::uint32_t suspicion_max_multiplier = 6;  // maximum: this * minimum
  std::uint32_t awareness_levels = 8;
  Duration gossip_interval = std::chrono::milliseconds(200);
  std::uint32_t gossip_fanout = 3;
  std::uint32_t retransmit_multiplier = 4;
  std::uint32_t retransmits_min = 8;
  Duration gossip_to_dead = std::chrono::seconds(60);
  Duration tombstone_life = std::chrono::hours(24);
  Duration compare_interval = std::chrono::seconds(10);
  Duration recontact_interval = std::chrono::seconds(10);      // of seeds, by a stream
  Duration recontact_dead_interval = std::chrono::seconds(1);  // by a datagram
  Duration leave_linger = std::chrono::seconds(2);
  Duration join_retry_min = std::chrono::seconds(1);
  Duration join_retry_max = std::chrono::seconds(30);
};

}  // namespace quadrille::peer

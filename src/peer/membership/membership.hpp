// Who is there: SWIM (Das, Gupta, Motivala, DSN 2002) with Lifeguard (Dadgar, Phillips, Currey,
// 2017), a full view, and anti-entropy. Pure: the caller owns time, sockets and streams.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/membership/view.hpp"
#include "wire/datagram.hpp"
#include "wire/peer_record.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {

// Defaults: memberlist's for a LAN, but for what its users' reports taught (docs/membership.md).
struct MembershipOptions {
  Duration probe_interval = std::chrono::seconds(1);
  Duration probe_timeout = std::chrono::milliseconds(500);
  std::uint32_t indirect_probes = 3;
  std::uint32_t suspicion_multiplier = 4;      // minimum: this * max(1, log10 n) * probe_interval
  std::uint32_t suspicion_max_multiplier = 6;  // maximum: this * minimum
  std::uint32_t awareness_max = 8;
  Duration gossip_interval = std::chrono::milliseconds(200);
  std::uint32_t gossip_fanout = 3;
  std::uint32_t retransmit_multiplier = 4;
  std::uint32_t retransmits_min = 8;
  Duration gossip_to_dead = std::chrono::seconds(60);
  Duration tombstone_life = std::chrono::hours(24);
  Duration compare_interval = std::chrono::seconds(10);
  Duration recontact_interval = std::chrono::seconds(10);
  Duration leave_linger = std::chrono::seconds(2);
  Duration join_retry_min = std::chrono::seconds(1);
  Duration join_retry_max = std::chrono::seconds(30);
};

// What membership wants done, in order.
struct MembershipOutput {
  struct Sending {
    wire::Endpoint to;
    wire::Datagram datagram;
  };
  // A stream to open: Probe to a member that does not answer datagrams, Sync to compare views with
  // it, or with a seed that is nobody yet.
  struct Dial {
    wire::Endpoint to;
    std::optional<PeerId> expected;
    wire::StreamPurpose purpose = wire::StreamPurpose::Sync;
  };
  struct Note {  // for the log and for watchers
    wire::EventKind kind;
    PeerId peer;
    std::string text;
  };
  std::vector<Sending> datagrams;
  std::vector<Dial> dials;
  std::vector<MemberChange> changes;  // of others, and of itself
  std::vector<Note> notes;
};

class Membership {
 public:
  struct Self {
    RunId run;
    wire::PeerRecord record;  // as it begins: incarnation set, no claims
    std::vector<wire::Endpoint> seeds;
  };
  // `unix_milliseconds` is not read here: Self::record.incarnation was made of it.
  Membership(MembershipOptions options, Self self, RecordPool& pool, RandomStream random);

  void start(TimePoint now, MembershipOutput& out);
  void on_datagram(const wire::Endpoint& from, const wire::Datagram& datagram, TimePoint now,
                   MembershipOutput& out);
  void on_time(TimePoint now, MembershipOutput& out);
  TimePoint wake_at() const;

  // Streams that were dialled for it. A probe: a Welcome came back from that peer, or nothing did.
  void on_stream_probe(PeerId target, bool answered, TimePoint now, MembershipOutput& out);
  // Anti-entropy, whoever began it.
  const wire::Digest& digest() const;
  std::vector<wire::State> state_of(const wire::StateEnd& buckets) const;
  static wire::StateEnd differing(const wire::Digest& a, const wire::Digest& b);
  void merge(const wire::State& state, TimePoint now, MembershipOutput& out);
  void on_sync_done(TimePoint now, MembershipOutput& out);
  void on_sync_failed(const wire::Endpoint& to, TimePoint now, MembershipOutput& out);

  // What the own record says from now on; gossiped at once.
  struct Claims {
    std::vector<wire::ClaimRun> runs;
    std::vector<wire::CellYield> yields;
    wire::GridEpoch grid;
  };
  void set_claims(Claims claims, TimePoint now, MembershipOutput& out);
  void set_leaving(TimePoint now, MembershipOutput& out);
  // Says Left to everybody; done when has_left() after options.leave_linger.
  void leave(TimePoint now, MembershipOutput& out);
  bool has_left(TimePoint now) const;

  const View& view() const;
  const RecordRef& self() const;
  // A first state transfer has been completed, or there is no seed but itself.
  bool joined() const;
  std::uint32_t awareness() const;  // Lifeguard's local health: 0 is well
};

}  // namespace quadrille::peer

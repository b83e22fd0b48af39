// Who is there: SWIM (Das, Gupta, Motivala, DSN 2002) with Lifeguard (Dadgar, Phillips, Currey,
// 2017), a full view, and anti-entropy. Pure: the caller owns time, sockets and streams.
//
// This class is the conversation; what is said about members and what follows is the Roster's.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/membership/awareness.hpp"
#include "peer/membership/comparison_schedule.hpp"
#include "peer/membership/membership_options.hpp"
#include "peer/membership/membership_output.hpp"
#include "peer/membership/probe_order.hpp"
#include "peer/membership/prober.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/membership/relays.hpp"
#include "peer/membership/reply_budget.hpp"
#include "peer/membership/roster.hpp"
#include "peer/membership/seeds.hpp"
#include "peer/membership/state_frames.hpp"
#include "peer/membership/view.hpp"
#include "wire/datagram.hpp"
#include "wire/peer_record.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer {

class Membership {
 public:
  struct Self {
    RunId run;
    wire::PeerRecord record;  // as it begins: incarnation set, no claims
    std::vector<wire::Endpoint> seeds;
  };
  Membership(MembershipOptions options, Self self, RecordPool& pool, RandomStream random);
  Membership(const Membership&) = delete;
  Membership& operator=(const Membership&) = delete;

  void start(TimePoint now, MembershipOutput& out);
  void on_datagram(const wire::Endpoint& from, const wire::Datagram& datagram, TimePoint now,
                   MembershipOutput& out);
  void on_time(TimePoint now, MembershipOutput& out);
  TimePoint wake_at() const;

  // A stream that was dialled as a probe: a Welcome came back from that peer.
  void on_stream_answer(PeerId target) { prober_.on_stream_answer(target); }
  // What who dialled this peer said of itself: a newcomer, of whom gossip has not come here yet.
  void meet(const wire::Update& self, TimePoint now, MembershipOutput& out);
  // Anti-entropy, whoever began it: done is said of each exchange, with the address if this peer
  // dialled it, failed of those that it dialled.
  void send_state(const wire::StateEnd& buckets, std::span<const wire::State> heard,
                  const StateSink& send) const;
  // Where this view differs from one of that digest.
  wire::StateEnd differing_from(const wire::Digest& other) const;
  void begin_sync() { roster_.begin_sync(); }
  void merge(const wire::State& state, TimePoint now, MembershipOutput& out);
  void on_sync_done(const std::optional<wire::Endpoint>& dialled);
  // Behind the address of a seed is this peer itself (a public name, a translated address).
  void on_own_seed(const wire::Endpoint& seed, TimePoint now);
  void on_sync_failed(const wire::Endpoint& to, TimePoint now);

  // What the own record says from now on; gossiped at once. Nothing after leave().
  struct Claims {
    std::vector<wire::ClaimRun> runs;
    std::vector<wire::CellYield> yields;
    wire::GridEpoch grid;
    std::uint32_t capacity = 0;
  };
  void set_claims(Claims claims, TimePoint now, MembershipOutput& out);
  void set_leaving(TimePoint now, MembershipOutput& out);
  // Says Left to everybody; done when has_left() after options.leave_linger.
  void leave(TimePoint now, MembershipOutput& out);
  bool has_left(TimePoint now) const;

  // A datagram to that member, with what gossip has to say besides.
  wire::Datagram compose(PeerId to, wire::Message message);

  const View& view() const { return roster_.view(); }
  const RecordRef& self() const { return roster_.self(); }
  // A first state transfer has been completed, or there is no seed but itself.
  bool joined() const { return joined_; }
  std::uint32_t awareness() const { return awareness_.score(); }  // local health: 0 is well

 private:
  struct Sender {  // of a datagram
    wire::Endpoint endpoint;
    PeerId id;
  };

  // What came in (membership_inbound.cpp).
  void on_message(const Sender& from, const wire::Message& message, TimePoint now,
                  MembershipOutput& out);
  void on_ping(const Sender& from, const wire::Ping& ping, MembershipOutput& out);
  void on_ping_request(const Sender& from, const wire::PingRequest& request, TimePoint now,
                       MembershipOutput& out);
  void on_ack(const Sender& from, const wire::Ack& ack, MembershipOutput& out);
  void on_compare(const Sender& from, const wire::CompareViews& compare, TimePoint now,
                  MembershipOutput& out);
  void apply(const wire::Update& update, const Sender* from, Roster::Source source, TimePoint now,
             MembershipOutput& out);
  void introduce_again(const Sender& to, TimePoint now, MembershipOutput& out);
  void tell(const wire::Endpoint& to, PeerId id, TimePoint now, MembershipOutput& out);
  void answer_to_face(const Sender& from, TimePoint now, MembershipOutput& out);

  // What is due (membership_rounds.cpp).
  void gossip(TimePoint now, MembershipOutput& out);
  void probe(TimePoint now, MembershipOutput& out);
  void begin_probe(TimePoint now, MembershipOutput& out);
  void call_for_help(const Prober::Plan& plan, MembershipOutput& out);
  void conclude(const Prober::Verdict& verdict, TimePoint now, MembershipOutput& out);
  void compare(TimePoint now, MembershipOutput& out);
  void recontact(TimePoint now, MembershipOutput& out);
  void end_due_relays(TimePoint now, MembershipOutput& out);
  void recover_from_sleep(TimePoint now);

  void send(const wire::Endpoint& to, PeerId id, wire::Message message, MembershipOutput& out);
  void dial_sync(const wire::Endpoint& to, std::optional<PeerId> expected, TimePoint now,
                 MembershipOutput& out);
  void finish_joining();
  bool is_my_turn();
  bool is_self(PeerId id) const { return id == self()->record.id; }

  MembershipOptions options_;
  RunId run_;
  RandomStream random_;
  Roster roster_;
  Awareness awareness_;
  ProbeOrder order_;
  Prober prober_;
  Relays relays_;
  Seeds seeds_;
  ComparisonSchedule comparisons_;
  ReplyBudget replies_;
  std::uint32_t next_sequence_;
  bool running_ = false;  // from start() until it has left
  bool joined_ = false;
  TimePoint next_probe_;
  TimePoint next_gossip_;
  TimePoint next_recontact_;
  TimePoint next_dead_recontact_;
  std::optional<TimePoint> leaving_since_;
  std::uint32_t leave_rounds_ = 0;
  std::uint64_t merges_ = 0;
};

}  // namespace quadrille::peer

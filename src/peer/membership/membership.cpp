#include "peer/membership/membership.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

constexpr std::uint32_t leave_rounds_min = 10;

}  // namespace

Membership::Membership(MembershipOptions options, Self self, RecordPool& pool, RandomStream random)
    : options_(options),
      run_(self.run),
      random_(random),
      roster_(options, self.record, pool),
      awareness_(options.awareness_levels),
      seeds_(self.seeds, self.record.endpoints),
      comparisons_(options.compare_interval),
      next_sequence_(random_.next_u32()) {}

// Peers that start together must not march together.
void Membership::start(TimePoint now, MembershipOutput& out) {
  const auto within = [&](Duration interval) {
    return now + std::chrono::nanoseconds(random_.below(1U << 20U)) * (interval.count() >> 20U);
  };
  running_ = true;
  joined_ = seeds_.empty();
  roster_.begin(now, out);
  seeds_.begin(now, random_);
  comparisons_.begin(now, random_);
  next_probe_ = within(options_.probe_interval);
  next_gossip_ = within(options_.gossip_interval);
  next_recontact_ = within(options_.recontact_interval);
  next_dead_recontact_ = within(options_.recontact_dead_interval);
  on_time(now, out);
}

void Membership::on_time(TimePoint now, MembershipOutput& out) {
  if (has_left(now)) running_ = false;
  if (!running_) return;
  if (now - wake_at() > options_.probe_timeout) recover_from_sleep(now);
  roster_.on_time(now, out);
  end_due_relays(now, out);
  if (!leaving_since_) {
    probe(now, out);
    compare(now, out);
    recontact(now, out);
  }
  if (next_gossip_ <= now) gossip(now, out);
}

// A timer that comes late says that it was this peer that slept: answers and refutations may lie
// unread, so nothing is concluded from their absence.
void Membership::recover_from_sleep(TimePoint now) {
  awareness_.worsen(1);
  prober_.abandon();
  next_probe_ = now;
  roster_.postpone_suspicions(now + options_.probe_interval);
}

TimePoint Membership::wake_at() const {
  if (!running_) return TimePoint::never();
  TimePoint at = next_gossip_;
  const auto sooner = [&](std::optional<TimePoint> other) {
    if (other) at = std::min(at, *other);
  };
  sooner(roster_.wake_at());
  sooner(relays_.wake_at());
  if (leaving_since_) return at;
  sooner(prober_.wake_at());
  if (!prober_.wake_at()) sooner(next_probe_);
  sooner(comparisons_.wake_at());
  sooner(seeds_.wake_at());
  sooner(next_recontact_);
  sooner(next_dead_recontact_);
  return at;
}

// --- Sending ---

wire::Datagram Membership::compose(PeerId to, wire::Message message) {
  wire::Datagram datagram{.run = run_,
                          .sender = self()->record.id,
                          .incarnation = self()->record.incarnation,
                          .message = std::move(message),
                          .updates = {},
                          .statuses = {}};
  std::size_t room_bytes = wire::datagram_body_bytes_max - wire::datagram_overhead_bytes;
  // What is held against a member it hears from everybody who speaks to it (Lifeguard's buddy
  // system), so that it refutes at once.
  if (std::optional<wire::Update> accusation = roster_.accusation(to)) {
    room_bytes -= encoded_bytes_bound(*accusation);
    datagram.updates.push_back(*std::move(accusation));
  }
  const std::uint32_t sends_max =
      sends_for(view().live_count(), options_.retransmit_multiplier, options_.retransmits_min);
  roster_.broadcasts().pick(room_bytes, sends_max, datagram.updates);
  return datagram;
}

void Membership::send(const wire::Endpoint& to, PeerId id, wire::Message message,
                      MembershipOutput& out) {
  out.datagrams.push_back({.to = to, .datagram = compose(id, std::move(message))});
}

void Membership::dial_sync(const wire::Endpoint& to, std::optional<PeerId> expected, TimePoint now,
                           MembershipOutput& out) {
  if (!comparisons_.begin_sync(to, now)) return;
  out.dials.push_back({.to = to, .expected = expected, .purpose = wire::StreamPurpose::Sync});
}

// --- The own record ---

void Membership::set_claims(Claims claims, TimePoint now, MembershipOutput& out) {
  const wire::PeerRecord& own = self()->record;
  if (leaving_since_) return;
  if (own.claims == claims.runs && own.yields == claims.yields && own.grid == claims.grid &&
      own.capacity == claims.capacity)
    return;
  const auto change = [&](wire::PeerRecord& record) {
    record.claims = std::move(claims.runs);
    record.yields = std::move(claims.yields);
    record.grid = claims.grid;
    record.capacity = claims.capacity;
  };
  roster_.revise(change, now, out);
  next_gossip_ = now;
}

void Membership::set_leaving(TimePoint now, MembershipOutput& out) {
  if (leaving_since_ || self()->record.leaving) return;
  roster_.revise([](wire::PeerRecord& record) { record.leaving = true; }, now, out);
  next_gossip_ = now;
}

void Membership::leave(TimePoint now, MembershipOutput& out) {
  if (leaving_since_) return;
  leaving_since_ = now;
  prober_.abandon();
  roster_.leave(now, out);
  next_gossip_ = now;
}

bool Membership::has_left(TimePoint now) const {
  return leaving_since_ && now - *leaving_since_ >= options_.leave_linger &&
         leave_rounds_ >= leave_rounds_min;
}

}  // namespace quadrille::peer

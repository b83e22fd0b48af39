// What Membership does with what comes in: datagrams, the ends of streams, anti-entropy.
#include <utility>

#include "base/overloaded.hpp"
#include "peer/membership/membership.hpp"

namespace quadrille::peer {
namespace {

// Of the probe's time-out, so that a Nack reaches the asker before its own probe ends.
constexpr int relay_patience_percent = 80;

}  // namespace

void Membership::on_datagram(const wire::Endpoint& endpoint, const wire::Datagram& datagram,
                             TimePoint now, MembershipOutput& out) {
  if (!running_ || datagram.run != run_ || is_self(datagram.sender)) return;
  const Sender from{.endpoint = endpoint, .id = datagram.sender};
  const Member* member = view().find(from.id);
  const bool is_member = member != nullptr && is_live(member->state());
  const auto source = is_member ? Roster::Source::Member : Roster::Source::Stranger;
  for (const wire::Update& update : datagram.updates) apply(update, &from, source, now, out);
  on_message(from, datagram.message, now, out);
  if (!leaving_since_) answer_to_face(from, now, out);
}

void Membership::on_message(const Sender& from, const wire::Message& message, TimePoint now,
                            MembershipOutput& out) {
  const auto on_other = [](const auto&) {};  // gossip, placement's, a later version's
  std::visit(
      Overloaded{
          [&](const wire::Ping& ping) { on_ping(from, ping, out); },
          [&](const wire::PingRequest& request) { on_ping_request(from, request, now, out); },
          [&](const wire::Ack& ack) { on_ack(from, ack, out); },
          [&](const wire::Nack& nack) { prober_.on_nack(nack.sequence, from.id); },
          [&](const wire::CompareViews& compare) { on_compare(from, compare, now, out); },
          on_other},
      message);
}

// A ping for whoever had this address before gets no answer, so that it is found dead.
void Membership::on_ping(const Sender& from, const wire::Ping& ping, MembershipOutput& out) {
  if (is_self(ping.target)) send(from.endpoint, from.id, wire::Ack{.sequence = ping.sequence}, out);
}

void Membership::on_ping_request(const Sender& from, const wire::PingRequest& request,
                                 TimePoint now, MembershipOutput& out) {
  if (is_self(request.target)) {
    send(from.endpoint, from.id, wire::Ack{.sequence = request.sequence}, out);
    return;
  }
  if (relays_.full()) return;
  const Member* target = view().find(request.target);
  const bool is_known = target != nullptr && is_live(target->state());
  const Relay relay{.sequence = next_sequence_++,
                    .target = request.target,
                    .asker = from.id,
                    .asker_endpoint = from.endpoint,
                    .asker_sequence = request.sequence,
                    .deadline = now + options_.probe_timeout * relay_patience_percent / 100};
  relays_.begin(relay);
  send(is_known ? target->record->record.endpoints.front() : request.endpoint, relay.target,
       wire::Ping{.sequence = relay.sequence, .target = relay.target}, out);
}

void Membership::on_ack(const Sender& from, const wire::Ack& ack, MembershipOutput& out) {
  if (prober_.on_ack(ack.sequence, from.id)) awareness_.improve();
  if (const std::optional<Relay> relay = relays_.take_answered(ack.sequence, from.id)) {
    send(relay->asker_endpoint, relay->asker, wire::Ack{.sequence = relay->asker_sequence}, out);
  }
}

void Membership::on_compare(const Sender& from, const wire::CompareViews& compare, TimePoint now,
                            MembershipOutput& out) {
  if (leaving_since_) return;
  const std::uint64_t hash = view().hash();
  if (compare.view_hash == hash) {
    // Nobody needs to give this peer what it has; a stranger's word for it is worth nothing.
    const Member* member = view().find(from.id);
    if (member != nullptr && is_live(member->state())) finish_joining();
    return;
  }
  if (compare.is_answer) {
    dial_sync(from.endpoint, from.id, now, out);
  } else {
    send(from.endpoint, from.id, wire::CompareViews{.view_hash = hash, .is_answer = true}, out);
  }
}

// --- Statements ---

void Membership::apply(const wire::Update& update, const Sender* from, Roster::Source source,
                       TimePoint now, MembershipOutput& out) {
  const std::uint64_t refutations = roster_.refutations();
  const Roster::Outcome outcome = roster_.apply(update, source, now, out);
  if (roster_.refutations() != refutations) {
    awareness_.worsen(1);
    next_gossip_ = now;
  }
  switch (outcome) {
    case Roster::Outcome::Accused:
      if (from != nullptr) introduce_again(*from, now, out);
      break;
    case Roster::Outcome::Doubted:
      if (const Member* member = view().find(update.subject))
        tell(member->record->record.endpoints.front(), update.subject, now, out);
      break;
    case Roster::Outcome::Outdated:
      if (const RecordRef record = roster_.record_of(update, out))
        tell(record->record.endpoints.front(), update.subject, now, out);
      break;
    case Roster::Outcome::Returned:
      // It answers this peer's call, from the far side of a split: level the two views.
      if (const Member* member = view().find(update.subject))
        dial_sync(member->record->record.endpoints.front(), member->id, now, out);
      break;
    case Roster::Outcome::News:
    case Roster::Outcome::Nothing:
      break;
  }
}

// Somebody has not heard that it was refuted: say so to it, and anew to everybody.
void Membership::introduce_again(const Sender& to, TimePoint now, MembershipOutput& out) {
  if (!replies_.take(now)) return;
  roster_.announce();
  send(to.endpoint, to.id, wire::Gossip{}, out);
}

// So that it refutes what is held against it here.
void Membership::tell(const wire::Endpoint& to, PeerId id, TimePoint now, MembershipOutput& out) {
  if (replies_.take(now)) send(to, id, wire::Gossip{}, out);
}

// Whoever speaks to this peer hears what is held against it; of a stranger the whole view is asked.
void Membership::answer_to_face(const Sender& from, TimePoint now, MembershipOutput& out) {
  const Member* member = view().find(from.id);
  if (member == nullptr) {
    if (joined_) dial_sync(from.endpoint, from.id, now, out);
  } else if (roster_.accusation(from.id)) {
    tell(from.endpoint, from.id, now, out);
  }
}

// --- Streams ---

void Membership::meet(const wire::Update& self, TimePoint now, MembershipOutput& out) {
  if (running_ && !leaving_since_) apply(self, nullptr, Roster::Source::Stranger, now, out);
}

void Membership::send_state(const wire::StateEnd& buckets, std::span<const wire::State> heard,
                            const StateSink& send) const {
  state_frames(roster_, buckets, merges_, heard, send);
}

wire::StateEnd Membership::differing_from(const wire::Digest& other) const {
  const wire::Digest own = view().digest_of(other.buckets.size());
  wire::StateEnd end{std::vector<bool>(own.buckets.size())};
  for (std::size_t bucket = 0; bucket < own.buckets.size(); ++bucket)
    end.differing[bucket] = own.buckets[bucket] != other.buckets[bucket];
  return end;
}

void Membership::merge(const wire::State& state, TimePoint now, MembershipOutput& out) {
  if (!running_ || leaving_since_) return;
  ++merges_;
  for (const wire::Update& update : state.updates)
    apply(update, nullptr, Roster::Source::Sync, now, out);
}

void Membership::on_sync_done(const std::optional<wire::Endpoint>& dialled) {
  finish_joining();
  if (dialled) comparisons_.end_sync(*dialled);
}

void Membership::finish_joining() {
  joined_ = true;
  seeds_.end();
}

void Membership::on_sync_failed(const wire::Endpoint& to, TimePoint now) {
  comparisons_.end_sync(to);
  seeds_.on_failed(to, options_, now, random_);
}

void Membership::on_own_seed(const wire::Endpoint& seed, TimePoint now) {
  on_sync_failed(seed, now);
  seeds_.forget(seed);
  joined_ = joined_ || seeds_.empty();
}

}  // namespace quadrille::peer

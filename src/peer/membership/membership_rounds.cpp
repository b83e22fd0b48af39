// What Membership does when time passes: gossip, probes, comparisons, calls to those out of sight.
#include <algorithm>
#include <utility>

#include "peer/membership/membership.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// Distinct live members at random, `count` at most, of those that `wanted` accepts. Some may be
// missed where few are wanted.
template <class Wanted>
std::vector<const Member*> sample(const View& view, std::size_t count, RandomStream& random,
                                  Wanted wanted) {
  constexpr std::size_t draws_each = 8;
  std::vector<const Member*> chosen;
  const auto live = view.live();
  for (std::size_t draw = 0; draw < draws_each * count && chosen.size() < count; ++draw) {
    const Member* member = &live[random.below(static_cast<std::uint32_t>(live.size()))];
    if (!wanted(*member) || std::ranges::find(chosen, member) != chosen.end()) continue;
    chosen.push_back(member);
  }
  return chosen;
}

const wire::Endpoint& endpoint_of(const Member& member) {
  return member.record->record.endpoints.front();
}

}  // namespace

// --- Gossip ---

// To live members, and for a while to the dead as if they lived: they may only have been slow.
void Membership::gossip(TimePoint now, MembershipOutput& out) {
  next_gossip_ = now + options_.gossip_interval;
  roster_.broadcasts().advance(now);
  if (leaving_since_) ++leave_rounds_;
  comparisons_.on_changes(roster_.changes(), view().live_count(), now, random_);
  DepartedList& departed = roster_.departed();
  const std::size_t recent = departed.count_after(now + -options_.gossip_to_dead);
  std::size_t living = options_.gossip_fanout;
  if (recent > 0) {
    const auto all = static_cast<std::uint32_t>(view().live_count() + recent);
    for (std::uint32_t i = 0; i < options_.gossip_fanout; ++i) {
      if (random_.below(all) >= recent) continue;
      --living;
      const Departed& dead = departed.call_recent(recent, now, random_);
      send(dead.endpoint, dead.id, wire::Gossip{}, out);
    }
  }
  if (view().live_count() == 0) return;
  const auto is_other = [this](const Member& member) { return !is_self(member.id); };
  for (const Member* member : sample(view(), living, random_, is_other))
    send(endpoint_of(*member), member->id, wire::Gossip{}, out);
}

// --- Probes ---

void Membership::probe(TimePoint now, MembershipOutput& out) {
  if (const std::optional<Prober::Plan> plan = prober_.take_call_for_help(now))
    call_for_help(*plan, out);
  if (const std::optional<Prober::Verdict> verdict = prober_.take_verdict(now))
    conclude(*verdict, now, out);
  if (next_probe_ <= now && !prober_.wake_at()) begin_probe(now, out);
}

void Membership::begin_probe(TimePoint now, MembershipOutput& out) {
  const Duration interval = awareness_.scaled(options_.probe_interval);
  next_probe_ = now + interval;
  const auto live = view().live();
  if (live.size() < 2) return;
  const auto count = static_cast<std::uint32_t>(live.size());
  const Member* target = &live[order_.next(count, random_)];
  while (is_self(target->id)) target = &live[order_.next(count, random_)];
  const Prober::Plan plan{.target = target->id,
                          .sequence = next_sequence_++,
                          .help_at = now + awareness_.scaled(options_.probe_timeout),
                          .end_at = now + interval};
  prober_.begin(plan);
  send(endpoint_of(*target), plan.target,
       wire::Ping{.sequence = plan.sequence, .target = plan.target}, out);
}

void Membership::call_for_help(const Prober::Plan& plan, MembershipOutput& out) {
  const Member* target = view().find(plan.target);
  if (target == nullptr || !is_live(target->state())) {
    prober_.abandon();
    return;
  }
  const wire::Endpoint endpoint = endpoint_of(*target);
  const auto may_help = [&](const Member& member) {
    return member.state() == MemberState::Alive && !is_self(member.id) && member.id != plan.target;
  };
  for (const Member* helper : sample(view(), options_.indirect_probes, random_, may_help)) {
    prober_.add_helper(helper->id);
    const wire::PingRequest request{
        .sequence = plan.sequence, .target = plan.target, .endpoint = endpoint};
    send(endpoint_of(*helper), helper->id, request, out);
  }
  out.dials.push_back(
      {.to = endpoint, .expected = plan.target, .purpose = wire::StreamPurpose::Probe});
}

void Membership::conclude(const Prober::Verdict& verdict, TimePoint now, MembershipOutput& out) {
  if (verdict.heard_by_stream) {
    out.notes.push_back({.kind = wire::EventKind::Notice,
                         .peer = verdict.target,
                         .text = "answers streams, but no datagrams; is UDP let through?"});
    return;
  }
  // Helpers that are silent, too, are a sign that it is this peer that hears nothing.
  awareness_.worsen(verdict.helpers > 0 ? verdict.silent_helpers : 1);
  if (!roster_.accuse(verdict.target, now, out)) awareness_.worsen(1);
}

void Membership::end_due_relays(TimePoint now, MembershipOutput& out) {
  while (const std::optional<Relay> relay = relays_.take_due(now))
    send(relay->asker_endpoint, relay->asker, wire::Nack{.sequence = relay->asker_sequence}, out);
}

// --- Anti-entropy, and calls to those out of sight ---

void Membership::compare(TimePoint now, MembershipOutput& out) {
  if (const std::optional<wire::Endpoint> seed = seeds_.take_due(now))
    out.dials.push_back(
        {.to = *seed, .expected = std::nullopt, .purpose = wire::StreamPurpose::Sync});
  if (!comparisons_.take_due(view().live_count(), now, random_)) return;
  const auto is_other = [this](const Member& member) { return !is_self(member.id); };
  for (const Member* member : sample(view(), 1, random_, is_other))
    send(endpoint_of(*member), member->id,
         wire::CompareViews{.view_hash = view().hash(), .is_answer = false}, out);
}

// All peers together make `calls_of_all` attempts an interval, however many they are.
void Membership::recontact(TimePoint now, MembershipOutput& out) {
  if (next_dead_recontact_ <= now) {
    next_dead_recontact_ = now + options_.recontact_dead_interval;
    DepartedList& departed = roster_.departed();
    if (!departed.empty() && is_my_turn()) {
      const Departed& dead = departed.call_any(now, random_);
      send(dead.endpoint, dead.id, wire::Gossip{}, out);
    }
  }
  if (next_recontact_ <= now) {
    next_recontact_ = now + options_.recontact_interval;
    if (!joined_ || seeds_.empty() || !is_my_turn()) return;
    const wire::Endpoint& seed = seeds_.any(random_);
    if (view().find_live(seed) == nullptr) dial_sync(seed, std::nullopt, now, out);
  }
}

bool Membership::is_my_turn() {
  constexpr std::uint32_t calls_of_all = 3;
  const auto live = static_cast<std::uint32_t>(view().live_count());
  return random_.below(std::max(calls_of_all, live)) < calls_of_all;
}

}  // namespace quadrille::peer

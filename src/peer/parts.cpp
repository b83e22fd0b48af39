#include "peer/parts.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

constexpr Duration store_interval = std::chrono::seconds(60);
constexpr std::size_t known_peers_max = 32;
// A spot instance has two minutes; its checkpoints have to be uploaded, too (docs/placement.md).
constexpr Duration hand_over_max = std::chrono::seconds(75);
// No input makes parts answer each other for longer than this; more is a loop of ours.
constexpr int settle_rounds_max = 1000;

PeerId draw_id(RandomStream& random) {
  return {.high = random.next_u64(), .low = random.next_u64()};
}

wire::PeerRecord first_record(const PeerOptions& options, PeerId self, Now now) {
  return {.id = self,
          .incarnation = now.unix_milliseconds,
          .version = 0,
          .name = options.name,
          .zone = options.zone,
          .endpoints = options.endpoints,
          .capacity = options.placement.capacity,
          .grid = options.placement.genesis.epoch};
}

std::vector<wire::Endpoint> all_seeds(const PeerOptions& options, const StoredPeer& stored) {
  std::vector<wire::Endpoint> seeds = options.seeds;
  seeds.insert(seeds.end(), stored.known_peers.begin(), stored.known_peers.end());
  return seeds;
}

PlacementOptions placement_options(const PeerOptions& options, const StoredPeer& stored) {
  PlacementOptions result = options.placement;
  for (const StoredCell& cell : stored.cells) result.stored.push_back(cell.cell);
  result.has_other_seeds =
      std::ranges::any_of(all_seeds(options, stored), [&](const wire::Endpoint& seed) {
        return std::ranges::find(options.endpoints, seed) == options.endpoints.end();
      });
  return result;
}

RandomStream part_stream(std::uint64_t seed, std::string_view part) {
  return RandomStream(stream_key(seed, part, 0));
}

}  // namespace

Peer::Parts::Parts(PeerOptions all_options, StoredPeer stored_state, RecordPool& pool,
                   std::uint64_t random_seed, Now now)
    : options(std::move(all_options)),
      stored(std::move(stored_state)),
      random(part_stream(random_seed, "peer")),
      self(draw_id(random)),
      membership(options.membership,
                 {.run = options.run,
                  .record = first_record(options, self, now),
                  .seeds = all_seeds(options, stored)},
                 pool, part_stream(random_seed, "membership")),
      placement(placement_options(options, stored), self, part_stream(random_seed, "placement")),
      statuses(self),
      exchange(options.exchange, self),
      objects(self),
      acquisition({.copy_every_rounds = options.understudy_every.index}, self, stored.cells),
      next_wards(now.time),
      next_store(now.time + store_interval) {}

// --- Between the parts ---

void Peer::Parts::settle(Now now, Effects& out) {
  int rounds = 0;
  while (settle_once(now, out)) CHECK(++rounds < settle_rounds_max, rounds);
}

// Carries what the parts left once around; false when there was nothing.
bool Peer::Parts::settle_once(Now now, Effects& out) {
  const bool membership_waits = !from_membership.datagrams.empty() ||
                                !from_membership.dials.empty() ||
                                !from_membership.changes.empty() || !from_membership.notes.empty();
  const bool placement_waits = from_placement.claims_changed || !from_placement.messages.empty() ||
                               !from_placement.actions.empty();
  const bool exchange_waits = !from_exchange.frames.empty() || !from_exchange.dials.empty() ||
                              !from_exchange.hang_ups.empty() || !from_exchange.commands.empty() ||
                              !from_exchange.faults.empty() || !from_exchange.offences.empty();
  const bool objects_wait = !from_objects.frames.empty() || !from_objects.dials.empty() ||
                            !from_objects.hang_ups.empty() || !from_objects.commands.empty() ||
                            !from_objects.answers.empty() || !from_objects.offences.empty() ||
                            !from_acquisition.commands.empty() || !from_acquisition.results.empty();
  const bool watch_waits = !from_watch.frames.empty() || !from_watch.wishes.empty() ||
                           !from_watch.hang_ups.empty() || !from_watch.offences.empty();
  if (membership_waits) carry_membership(now, out);
  if (!told_joined && membership.joined()) {
    told_joined = true;
    placement.on_joined(now.time);
  }
  if (placement_waits) carry_placement(now, out);
  const bool sources_wait = std::exchange(owners_changed, false);
  if (sources_wait) refresh_sources(now);
  if (exchange_waits) carry_exchange(now, out);
  if (objects_wait) carry_objects(now, out);
  if (watch_waits) carry_watch(now, out);
  return membership_waits || placement_waits || sources_wait || exchange_waits || objects_wait ||
         watch_waits || owners_changed;
}

void Peer::Parts::carry_membership(Now now, Effects& out) {
  MembershipOutput output = std::exchange(from_membership, {});
  for (const MemberChange& change : output.changes) {
    placement.on_member_changed(change, now.time, from_placement);
    for (auto& [stream, watcher] : watchers) watcher.note_member(change.id);
    owners_changed = true;
  }
  if (!output.changes.empty())
    statuses.set_scale(membership.view().live_count(), placement.grid().cell_count());
  for (const MembershipOutput::Dial& wish : output.dials) {
    const auto stream = sessions.dial(
        {.to = wish.to, .expected = wish.expected, .purpose = wish.purpose}, now.time, out);
    if (stream) continue;
    if (wish.purpose == wire::StreamPurpose::Probe && wish.expected)
      membership.on_stream_probe(*wish.expected, false, now.time, from_membership);
    else
      membership.on_sync_failed(wish.to, now.time, from_membership);
  }
  for (MembershipOutput::Sending& sending : output.datagrams)
    send_datagram(sending.to, std::move(sending.datagram), now, out);
  for (MembershipOutput::Note& each : output.notes)
    note(each.kind, each.peer, {}, std::move(each.text), now, out);
}

void Peer::Parts::carry_placement(Now now, Effects& out) {
  PlacementOutput output = std::exchange(from_placement, {});
  for (const PlacementOutput::Action& action : output.actions) on_action(action, now, out);
  if (output.claims_changed)
    membership.set_claims(
        {.runs = placement.runs(), .yields = placement.yields(), .grid = placement.grid().epoch},
        now.time, from_membership);
  for (const PlacementOutput::Sending& sending : output.messages) send_message(sending, now, out);
  owners_changed = true;
}

void Peer::Parts::carry_exchange(Now now, Effects& out) {
  ExchangeOutput output = std::exchange(from_exchange, {});
  for (const ExchangeOutput::Offence& offence : output.offences)
    on_stream_offence(offence.stream, offence.reason, now, out);
  for (const OutFrame& frame : output.frames) sessions.send(frame, out);
  for (const StreamId stream : output.hang_ups) sessions.close(stream, out);
  for (WorkerCommand& each : output.commands) command(std::move(each), out);
  for (const PeerId peer : output.dials) dial(peer, wire::StreamPurpose::Exchange, now, out);
  for (const ExchangeOutput::Fault& fault : output.faults)
    note(wire::EventKind::EdgeFault, fault.sender, fault.edge.source,
         "a payload was refused where it was to be applied", now, out);
}

void Peer::Parts::carry_objects(Now now, Effects& out) {
  ObjectsOutput output = std::exchange(from_objects, {});
  for (const ObjectsOutput::Offence& offence : output.offences)
    on_stream_offence(offence.stream, offence.reason, now, out);
  for (const OutFrame& frame : output.frames) sessions.send(frame, out);
  for (const StreamId stream : output.hang_ups) sessions.close(stream, out);
  for (WorkerCommand& each : output.commands) command(std::move(each), out);
  for (const PeerId peer : output.dials) dial(peer, wire::StreamPurpose::Object, now, out);
  for (const ObjectsOutput::Answer& answer : output.answers) {
    if (const auto sheet = sheet_fetches.extract(answer.fetch))
      on_sheet(sheet.mapped(), answer);
    else
      acquisition.on_answer(answer, now.time, objects, from_objects, from_acquisition);
  }
  AcquisitionOutput acquired = std::exchange(from_acquisition, {});
  for (WorkerCommand& each : acquired.commands) command(std::move(each), out);
  for (const AcquisitionOutput::Result& result : acquired.results) on_acquired(result, now, out);
}

// What room the datagram has left, statuses fill; one that says nothing is not sent.
void Peer::Parts::send_datagram(const wire::Endpoint& to, wire::Datagram datagram, Now now,
                                Effects& out) {
  std::size_t bytes = wire::datagram_overhead_bytes;
  for (const wire::Update& update : datagram.updates) bytes += wire::encoded_bytes_bound(update);
  const std::size_t room =
      wire::datagram_body_bytes_max - std::min(bytes, wire::datagram_body_bytes_max);
  datagram.statuses = statuses.pick(std::min(room, wire::status_bytes_max), now.time);
  if (std::holds_alternative<wire::Gossip>(datagram.message) && datagram.updates.empty() &&
      datagram.statuses.empty())
    return;
  out.datagrams.push_back({.to = to, .bytes = wire::encode(datagram)});
}

// The own record goes with it: what a donor yields stands there.
void Peer::Parts::send_message(const PlacementOutput::Sending& sending, Now now, Effects& out) {
  const Member* member = membership.view().find(sending.to);
  if (member == nullptr || !member->record) return;
  const RecordRef& own = membership.self();
  send_datagram(member->record->record.endpoints.front(),
                {.run = options.run,
                 .sender = self,
                 .incarnation = own->record.incarnation,
                 .message = sending.message,
                 .updates = {{.kind = wire::UpdateKind::Alive,
                              .subject = self,
                              .incarnation = own->record.incarnation,
                              .version = own->record.version,
                              .record = own->bytes}}},
                now, out);
}

void Peer::Parts::note(wire::EventKind kind, PeerId peer, CellIndex cell, std::string text, Now now,
                       Effects& out) {
  if (text.size() > wire::reason_bytes_max) text.resize(wire::reason_bytes_max);
  out.events.push_back({.sequence = events.next_sequence(),
                        .unix_milliseconds = now.unix_milliseconds,
                        .kind = kind,
                        .peer = peer,
                        .cell = cell,
                        .text = std::move(text)});
  events.add(out.events.back());
}

void Peer::Parts::begin_leaving(Now now) {
  leaving = Leaving::HandingOver;
  leave_deadline = now.time + hand_over_max;
  membership.set_leaving(now.time, from_membership);
  placement.leave(now.time, from_placement);
}

void Peer::Parts::step_leaving(Now now, Effects& out) {
  if (leaving == Leaving::HandingOver && (placement.drained() || leave_deadline <= now.time)) {
    leaving = Leaving::Saying;
    leave_deadline = TimePoint::never();
    membership.leave(now.time, from_membership);
    settle(now, out);
  }
  if (leaving == Leaving::Saying && membership.has_left(now.time)) {
    leaving = Leaving::Gone;
    out.has_left = true;
  }
}

// Further seeds for a later process: the seeds of this one may be gone by then.
void Peer::Parts::store_known_peers(Now now, Effects& out) {
  if (now.time < next_store) return;
  next_store = now.time + store_interval;
  StoreKnownPeers known;
  const auto members = membership.view().members();
  const std::size_t first =
      members.empty() ? 0 : random.below(static_cast<std::uint32_t>(members.size()));
  for (std::size_t i = 0; i < members.size() && known.endpoints.size() < known_peers_max; ++i) {
    const Member& member = members[(first + i) % members.size()];
    if (is_live(member.state) && member.id != self)
      known.endpoints.push_back(member.record->record.endpoints.front());
  }
  if (!known.endpoints.empty()) out.store = std::move(known);
}

TimePoint Peer::Parts::wake_at() const {
  TimePoint watch = TimePoint::never();
  for (const auto& [stream, watcher] : watchers) watch = std::min(watch, watcher.wake_at());
  return std::min({watch, membership.wake_at(), placement.wake_at(), exchange.wake_at(),
                   objects.wake_at(), acquisition.wake_at(), sessions.wake_at(),
                   anti_entropy.wake_at(), next_store, next_wards, leave_deadline});
}

Introduction Peer::Parts::introduction() const {
  return {.run = options.run, .self = self, .record = membership.self()->bytes};
}

}  // namespace quadrille::peer

#include "peer/parts.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "peer/membership/broadcast_queue.hpp"
#include "wire/limits.hpp"
#include "wire/text.hpp"

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

// Of a clock before 1970, 0.
std::uint64_t first_incarnation(Now now) {
  return now.unix_milliseconds >> 63U != 0 ? 0 : now.unix_milliseconds;
}

wire::PeerRecord first_record(const PeerOptions& options, PeerId self, Now now) {
  return {.id = self,
          .incarnation = first_incarnation(now),
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

bool has_other_seeds(const PeerOptions& options) {
  const auto is_own = [&](const wire::Endpoint& seed) {
    return std::ranges::find(options.endpoints, seed) != options.endpoints.end();
  };
  return !std::ranges::all_of(options.seeds, is_own);
}

Gate::Sync sync_before_claims(const PeerOptions& options, const StoredPeer& stored) {
  if (has_other_seeds(options)) return Gate::Sync::Needed;
  return stored.known_peers.empty() ? Gate::Sync::None : Gate::Sync::Hoped;
}

std::vector<CellIndex> cells_of(const std::vector<StoredCell>& stored) {
  std::vector<CellIndex> cells;
  for (const StoredCell& each : stored) cells.push_back(each.cell);
  return cells;
}

std::string text_of(const ExchangeOutput::Fault& fault) {
  const bool is_finite = fault.fault != wire::PayloadFault::NotFinite;
  return "what cell " + std::to_string(fault.edge.reader.value) + " was to read of it " +
         (is_finite ? "is far out of norm" : "is not finite") + ", and was refused";
}

std::string text_of(const ExchangeOutput::Keyframe& keyframe) {
  return "cell " + std::to_string(keyframe.edge.reader.value) +
         " reads it anew, from a keyframe of round " + std::to_string(keyframe.round.index);
}

RandomStream part_stream(std::uint64_t seed, std::string_view part) {
  return RandomStream(stream_key(seed, part, 0));
}

}  // namespace

Peer::Parts::Parts(PeerOptions all_options, const StoredPeer& stored, RecordPool& pool,
                   std::uint64_t random_seed, Now now)
    : options(std::move(all_options)),
      random(part_stream(random_seed, "peer")),
      self(draw_id(random)),
      membership(options.membership,
                 {.run = options.run,
                  .record = first_record(options, self, now),
                  .seeds = all_seeds(options, stored)},
                 pool, part_stream(random_seed, "membership")),
      placement(options.placement,
                {.id = self,
                 .sync = sync_before_claims(options, stored),
                 .unheard_stamp = first_incarnation(now),
                 .stored = cells_of(stored.cells)},
                part_stream(random_seed, "placement")),
      statuses(self),
      exchange(options.exchange, self),
      objects(options.objects, self),
      acquisition({.copy_every_rounds = options.understudy_every.index}, self, stored.cells),
      next_wards(now.time),
      next_store(now.time + store_interval) {
  CHECK(options.run_spec.size() <= wire::run_spec_bytes_max, options.run_spec.size());
  CHECK(wire::is_lines(options.run_spec));
}

// --- Between the parts ---

void Peer::Parts::settle(Now now, Effects& out) {
  int rounds = 0;
  while (is_unsettled()) {
    CHECK(++rounds < settle_rounds_max, rounds);
    if (!from_membership.empty()) carry_membership(now, out);
    if (!std::exchange(told_joined, membership.joined()) && told_joined) placement.on_joined();
    if (!from_placement.empty()) carry_placement(now, out);
    if (std::exchange(owners_changed, false)) refresh_sources(now);
    if (!from_exchange.empty()) carry_exchange(now, out);
    if (!from_objects.empty() || !from_acquisition.empty()) carry_objects(now, out);
    if (!from_watch.empty()) carry_watch(now, out);
  }
}

bool Peer::Parts::is_unsettled() const {
  return !from_membership.empty() || told_joined != membership.joined() ||
         !from_placement.empty() || owners_changed || !from_exchange.empty() ||
         !from_objects.empty() || !from_acquisition.empty() || !from_watch.empty();
}

void Peer::Parts::carry_membership(Now now, Effects& out) {
  MembershipOutput output = std::exchange(from_membership, {});
  for (const MemberChange& change : output.changes) {
    placement.on_member_changed(change, now.time, from_placement);
    for (auto& [stream, watcher] : watchers) watcher.note_member(change.id);
    if (!change.after) failed_dials.erase(change.id);  // nobody dials it any more
    owners_changed = true;
  }
  if (!output.changes.empty())
    statuses.set_scale(membership.view().live_count(), placement.grid().cell_count());
  for (const MembershipOutput::Dial& wish : output.dials) {
    const auto stream = sessions.dial(
        {.to = wish.to, .expected = wish.expected, .purpose = wish.purpose}, now.time, out);
    if (!stream && wish.purpose == wire::StreamPurpose::Sync)
      membership.on_sync_failed(wish.to, now.time);
  }
  for (MembershipOutput::Sending& sending : output.datagrams)
    send_datagram(sending.to, std::move(sending.datagram), now, out);
  for (const MembershipOutput::Note& each : output.notes)
    note(each.kind, each.peer, {}, each.text, now, out);
}

void Peer::Parts::carry_placement(Now now, Effects& out) {
  PlacementOutput output = std::exchange(from_placement, {});
  for (const PlacementOutput::Action& action : output.actions) on_action(action, now, out);
  if (output.claims_changed)
    membership.set_claims({.runs = placement.runs(),
                           .yields = placement.yields(),
                           .grid = placement.grid().epoch,
                           .capacity = placement.capacity()},
                          now.time, from_membership);
  for (const PlacementOutput::Sending& sending : output.messages) send_message(sending, now, out);
  owners_changed = true;
}

void Peer::Parts::carry_exchange(Now now, Effects& out) {
  ExchangeOutput output = std::exchange(from_exchange, {});
  carry_streams({output.offences, output.frames, output.hang_ups}, now, out);
  for (WorkerCommand& each : output.commands) command(std::move(each), out);
  for (const PeerId peer : output.dials) dial(peer, wire::StreamPurpose::Exchange, now, out);
  for (const ExchangeOutput::Fault& fault : output.faults)
    note(wire::EventKind::EdgeFault, fault.sender, fault.edge.source, text_of(fault), now, out);
  for (const ExchangeOutput::Keyframe& keyframe : output.keyframes)
    note(wire::EventKind::EdgeKeyframe, keyframe.sender, keyframe.edge.source, text_of(keyframe),
         now, out);
}

void Peer::Parts::carry_objects(Now now, Effects& out) {
  ObjectsOutput output = std::exchange(from_objects, {});
  carry_streams({output.offences, output.frames, output.hang_ups}, now, out);
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

// The own record goes with it, whatever gossip has in its turn: what a donor yields stands there.
void Peer::Parts::send_message(const PlacementOutput::Sending& sending, Now now, Effects& out) {
  const wire::PeerRecord* record = live_record(sending.to);
  if (record == nullptr) return;
  const RecordRef& own = membership.self();
  send_datagram(record->endpoints.front(),
                {.run = options.run,
                 .sender = self,
                 .incarnation = own->record.incarnation,
                 .message = sending.message,
                 .updates = {Statement::alive(own).update()}},
                now, out);
}

// Said by members of cells that members own: of nobody else does anything depend on how they do.
void Peer::Parts::take_statuses(const wire::Datagram& datagram, Now now) {
  if (live_record(datagram.sender) == nullptr) return;
  for (const wire::CellStatus& status : datagram.statuses)
    if (placement.grid().contains(status.cell) && live_record(status.owner) != nullptr)
      statuses.merge(status, now.time);
}

void Peer::Parts::note(wire::EventKind kind, PeerId peer, std::optional<CellIndex> cell,
                       std::string_view text, Now now, Effects& out) {
  out.events.push_back(events.add({.unix_milliseconds = now.unix_milliseconds,
                                   .kind = kind,
                                   .peer = peer,
                                   .cell = cell,
                                   .text = std::string(text)}));
}

// Once no other was given, stored peers are all that is left to hope for.
void Peer::Parts::forget_own_seed(const wire::Endpoint& seed, Now now) {
  membership.on_own_seed(seed, now.time);
  std::erase(options.seeds, seed);
  if (!has_other_seeds(options)) placement.on_no_seeds();
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
    placement.let_go(now.time, from_placement);
    settle(now, out);
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
    if (is_live(member.state()) && member.id != self)
      known.endpoints.push_back(member.record->record.endpoints.front());
  }
  if (!known.endpoints.empty()) out.store = std::move(known);
}

const wire::PeerRecord* Peer::Parts::live_record(PeerId peer) const {
  const Member* member = membership.view().find(peer);
  return member == nullptr || !is_live(member->state()) ? nullptr : &member->record->record;
}

TimePoint Peer::Parts::wake_at() const {
  TimePoint watch = TimePoint::never();
  for (const auto& [stream, watcher] : watchers) watch = std::min(watch, watcher.wake_at());
  return std::min({watch, membership.wake_at(), placement.wake_at(), exchange.wake_at(),
                   objects.wake_at(), acquisition.wake_at(), sessions.wake_at(),
                   anti_entropy.wake_at(), next_store, next_wards, leave_deadline});
}

Introduction Peer::Parts::introduction() const {
  return {.run = options.run,
          .self = self,
          .record = membership.self()->bytes,
          .view = &membership.view()};
}

}  // namespace quadrille::peer

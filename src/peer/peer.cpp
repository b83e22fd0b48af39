#include "peer/peer.hpp"

#include <utility>

#include "peer/parts.hpp"
#include "wire/datagram.hpp"

namespace quadrille::peer {

Peer::Peer(PeerOptions options, StoredPeer stored, RecordPool& pool, std::uint64_t random_seed,
           Now now)
    : parts_(
          std::make_unique<Parts>(std::move(options), std::move(stored), pool, random_seed, now)) {}

Peer::~Peer() = default;

void Peer::start(Now now, Effects& out) {
  parts_->placement.start(now.time);
  parts_->membership.start(now.time, parts_->from_membership);
  parts_->settle(now, out);
}

void Peer::on_datagram(const wire::Endpoint& from, Bytes bytes, Now now, Effects& out) {
  Parts& parts = *parts_;
  if (parts.conduct.ignored(from, now.time)) return;
  const Result<wire::Envelope> envelope = wire::read_envelope(bytes);
  if (envelope && envelope->run != parts.options.run) return;  // two runs may share a network
  const Result<wire::Datagram> datagram = wire::decode_datagram(bytes);
  if (!datagram) {
    if (datagram.error().code != ErrorCode::Mismatch)
      parts.on_offence(from, datagram.error().detail, now, out);
    return;
  }
  parts.membership.on_datagram(from, *datagram, now.time, parts.from_membership);
  if (const auto fault = std::exchange(parts.from_membership.unreadable, std::nullopt))
    parts.on_offence(from, *fault, now, out);
  parts.take_statuses(*datagram, now);
  // What updates it carries is carried on first: a reply's yield stands in its sender's record.
  parts.settle(now, out);
  if (const auto* request = std::get_if<wire::YieldRequest>(&datagram->message))
    parts.placement.on_yield_request(datagram->sender, *request, now.time, parts.from_placement);
  if (const auto* reply = std::get_if<wire::YieldReply>(&datagram->message))
    parts.placement.on_yield_reply(datagram->sender, *reply);
  parts.settle(now, out);
}

void Peer::on_opened(StreamId stream, Now now, Effects& out) {
  parts_->sessions.on_opened(stream, parts_->introduction(), now.time, out);
}

void Peer::on_open_failed(StreamId stream, Now now, Effects& out) {
  if (const auto ended = parts_->sessions.on_open_failed(stream))
    parts_->on_stream_event(*ended, now, out);
}

void Peer::on_accepted(StreamId stream, const wire::Endpoint& from, Now now, Effects& out) {
  if (parts_->conduct.ignored(from, now.time))
    out.streams.push_back(CloseStream{stream});
  else
    parts_->sessions.on_accepted(stream, from, now.time, out);
}

void Peer::on_bytes(StreamId stream, Bytes bytes, Now now, Effects& out) {
  while (const auto event =
             parts_->sessions.take(stream, bytes, parts_->introduction(), now.time, out))
    parts_->on_stream_event(*event, now, out);
}

void Peer::on_closed(StreamId stream, Now now, Effects& out) {
  if (const auto ended = parts_->sessions.on_closed(stream))
    parts_->on_stream_event(*ended, now, out);
}

void Peer::on_report(const WorkerReport& report, Now now, Effects& out) {
  parts_->on_report(report, now, out);
  parts_->settle(now, out);
}

void Peer::on_time(Now now, Effects& out) {
  Parts& parts = *parts_;
  const TimePoint time = now.time;
  if (parts.membership.wake_at() <= time) parts.membership.on_time(time, parts.from_membership);
  if (parts.placement.wake_at() <= time) parts.placement.on_time(time, parts.from_placement);
  if (parts.exchange.wake_at() <= time) parts.exchange.on_time(time, parts.from_exchange);
  if (parts.objects.wake_at() <= time) parts.objects.on_time(time, parts.from_objects);
  if (parts.acquisition.wake_at() <= time)
    parts.acquisition.on_time(time, parts.objects, parts.from_objects, parts.from_acquisition);
  if (parts.next_wards <= time) parts.refresh_wards(now);
  parts.step_streams(now, out);
  parts.step_watch(now);
  parts.settle(now, out);
  parts.store_known_peers(now, out);
  parts.step_leaving(now, out);
}

TimePoint Peer::wake_at() const {
  return parts_->wake_at();
}

void Peer::leave(Now now, Effects& out) {
  if (parts_->leaving != Parts::Leaving::No) return;
  parts_->begin_leaving(now);
  parts_->settle(now, out);
  parts_->step_leaving(now, out);
}

PeerId Peer::id() const {
  return parts_->self;
}

const Membership& Peer::membership() const {
  return parts_->membership;
}

const Placement& Peer::placement() const {
  return parts_->placement;
}

const Exchange& Peer::exchange() const {
  return parts_->exchange;
}

const StatusBoard& Peer::statuses() const {
  return parts_->statuses;
}

std::vector<CellIndex> Peer::training_cells() const {
  std::vector<CellIndex> training;
  for (const auto& [index, cell] : parts_->cells)
    if (cell.phase == HeldCell::Phase::Training) training.push_back(index);
  return training;
}

}  // namespace quadrille::peer

#include "peer/exchange/publisher.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {
namespace {

Failure broken(EdgeId edge, const std::string& what) {
  return failure(ErrorCode::Corrupt, what + " of edge " + std::to_string(edge.source.value) +
                                         " to " + std::to_string(edge.reader.value));
}

}  // namespace

Publisher::Seat* Publisher::Edge::find(Line line) {
  const auto found = std::ranges::find(seats, line, &Seat::line);
  return found == seats.end() ? nullptr : &*found;
}

void Publisher::Stream::wait(EdgeId edge) {
  if (std::ranges::find(waiting, edge) == waiting.end()) waiting.push_back(edge);
}

bool Publisher::Stream::is_subscribed() const {
  return std::ranges::any_of(subscriptions, [](const auto& entry) { return entry.second; });
}

// --- Streams ---

void Publisher::on_accepted(PeerId reader, StreamId stream, TimePoint now, ExchangeOutput& out) {
  const auto same = std::ranges::find_if(
      streams_, [&](const auto& entry) { return entry.second.reader == reader; });
  if (same != streams_.end()) hang_up(same->first, now, out);
  streams_.emplace(stream, Stream{.reader = reader,
                                  .link = OutgoingLink(stream),
                                  .subscriptions = {},
                                  .waiting = {},
                                  .idle_since = now});
}

void Publisher::hang_up(StreamId stream, TimePoint now, ExchangeOutput& out) {
  out.hang_ups.push_back(stream);
  on_closed(stream, now, out);
}

void Publisher::on_closed(StreamId stream, TimePoint now, ExchangeOutput& out) {
  auto closed = streams_.extract(stream);
  if (closed.empty()) return;
  for (const auto& [id, is_live] : closed.mapped().subscriptions) {
    if (!is_live) continue;
    unseat(id, stream, out);
    Edge& edge = edges_.at(id);
    if (edge.seats.empty() && edge.worker) {
      edge.lost_at = now;
      lost_.insert(id);
    }
    erase_if_unused(id);
  }
}

void Publisher::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                         ExchangeOutput& out) {
  if (!streams_.contains(stream)) return;
  const Result<void> taken = take_frame(stream, frame, now, out);
  if (taken) return work_waiting(stream, out);
  out.offences.push_back({.stream = stream, .reason = taken.error().detail});
  hang_up(stream, now, out);
}

Result<void> Publisher::take_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                                   ExchangeOutput& out) {
  switch (frame.header.type) {
    case wire::FrameType::Subscribe: {
      TRY(message, wire::decode_subscribe(frame.body));
      return take(stream, message, now, out);
    }
    case wire::FrameType::Unsubscribe: {
      TRY(message, wire::decode_unsubscribe(frame.body));
      return take(stream, message, now, out);
    }
    case wire::FrameType::PayloadApplied: {
      TRY(message, wire::decode_payload_applied(frame.body));
      return take(stream, message, now, out);
    }
    case wire::FrameType::PayloadRefused: {
      TRY(message, wire::decode_payload_refused(frame.body));
      return take(stream, message, now, out);
    }
    case wire::FrameType::Credit: {
      TRY(credit, wire::decode_credit(frame.body));
      if (streams_.at(stream).link.on_credit(credit, out.frames)) return {};
      return failure(ErrorCode::Limit, std::to_string(credit.bytes) + " bytes of credit");
    }
    default:
      return out_of_place(frame, "a reader");
  }
}

void Publisher::on_local(const ReaderMessage& message, TimePoint now, ExchangeOutput& out) {
  const Result<void> taken =
      std::visit([&](const auto& each) { return take(std::nullopt, each, now, out); }, message);
  CHECK(taken.has_value(), taken.error().detail);
}

std::vector<Arrival> Publisher::take_local() {
  return std::exchange(local_, {});
}

// --- What readers say ---

Result<void> Publisher::take(Line line, const wire::Subscribe& message, TimePoint,
                             ExchangeOutput& out) {
  const EdgeId id = message.edge;
  if (line) {
    auto& subscriptions = streams_.at(*line).subscriptions;
    if (subscriptions.contains(id)) return broken(id, "a second subscription");
    if (subscriptions.size() >= wire::subscriptions_max)
      return failure(ErrorCode::Limit, "more subscriptions than a stream may have");
    if (!edges_.contains(id) && reader_count(id.source) >= wire::readers_max)
      return failure(ErrorCode::Limit,
                     "cell " + std::to_string(id.source.value) + " has too many readers");
    subscriptions.emplace(id, true);
    streams_.at(*line).idle_since.reset();
  }
  Edge& edge = edges_[id];
  const Seat seat{.line = line,
                  .degree = message.degree,
                  .held = {message.version, message.checksum},
                  .awaiting = {},
                  .transfer = 0,
                  .direct_transfer = 0};
  const bool after_own = line && !edge.seats.empty() && !edge.seats.back().line;
  edge.seats.insert(edge.seats.end() - (after_own ? 1 : 0), seat);
  if (!after_own) serve(id, edge, out);
  return {};
}

Result<void> Publisher::take(Line line, const wire::Unsubscribe& message, TimePoint now,
                             ExchangeOutput& out) {
  const EdgeId id = message.edge;
  TRY(seat, seat_of(line, id));
  if (seat == nullptr) return {};
  Edge& edge = edges_.at(id);
  if (line) {
    Stream& stream = streams_.at(*line);
    stream.subscriptions[id] = false;
    if (!stream.is_subscribed()) stream.idle_since = now;
    stream.link.cancel(seat->transfer);
    stream.link.cancel(seat->direct_transfer);
  }
  unseat(id, line, out);
  if (edge.seats.empty()) close(id, edge, out);
  erase_if_unused(id);
  return {};
}

Result<void> Publisher::take(Line line, const wire::PayloadApplied& message, TimePoint,
                             ExchangeOutput& out) {
  TRY(seat, answering_seat(line, message.edge, message.version));
  if (seat == nullptr) return {};
  seat->held = *std::exchange(seat->awaiting, std::nullopt);
  Edge& edge = edges_.at(message.edge);
  if (!edge.serves(*seat) || !edge.worker) return {};
  if (!edge.worker->on_applied(message.version)) edge.worker->on_reader(seat->held);
  work(message.edge, edge, out);
  return {};
}

Result<void> Publisher::take(Line line, const wire::PayloadRefused& message, TimePoint now,
                             ExchangeOutput& out) {
  TRY(seat, answering_seat(line, message.edge, message.version));
  if (seat == nullptr) return {};
  seat->held = {};
  seat->awaiting.reset();
  if (line) streams_.at(*line).link.cancel(seat->transfer);
  Edge& edge = edges_.at(message.edge);
  if (!edge.serves(*seat) || !edge.worker) return {};
  if (!edge.worker->on_refused(message.version, message.fault)) edge.worker->on_reader(seat->held);
  if (edge.worker->is_barred()) retry_at_[message.edge] = now + refusal_pause;
  work(message.edge, edge, out);
  return {};
}

Result<Publisher::Seat*> Publisher::seat_of(Line line, EdgeId id) {
  if (line) {
    const auto& subscriptions = streams_.at(*line).subscriptions;
    const auto found = subscriptions.find(id);
    if (found == subscriptions.end()) return broken(id, "a message without a subscription");
    if (!found->second) return nullptr;
  }
  const auto edge = edges_.find(id);
  return edge == edges_.end() ? nullptr : edge->second.find(line);
}

Result<Publisher::Seat*> Publisher::answering_seat(Line line, EdgeId id, std::uint64_t version) {
  TRY(seat, seat_of(line, id));
  if (seat != nullptr && (!seat->awaiting || seat->awaiting->version != version))
    return broken(id, "an answer to version " + std::to_string(version) + ", which was not sent,");
  return seat;
}

// --- Time ---

void Publisher::on_time(TimePoint now, ExchangeOutput& out) {
  std::vector<StreamId> idle;
  for (const auto& [id, stream] : streams_)
    if (stream.idle_since && *stream.idle_since + idle_max <= now) idle.push_back(id);
  for (const StreamId id : idle) hang_up(id, now, out);
  for (const EdgeId id : std::set<EdgeId>(lost_)) {
    Edge& edge = edges_.at(id);
    if (now < edge.lost_at + lost_reader_patience) continue;
    close(id, edge, out);
    erase_if_unused(id);
  }
  for (const auto& [id, retry_at] : std::map<EdgeId, TimePoint>(retry_at_)) {
    if (now < retry_at) continue;
    retry_at_.erase(id);
    Edge& edge = edges_.at(id);
    edge.worker->unbar();
    work(id, edge, out);
  }
}

TimePoint Publisher::wake_at() const {
  TimePoint at = TimePoint::never();
  for (const auto& [id, stream] : streams_)
    if (stream.idle_since) at = std::min(at, *stream.idle_since + idle_max);
  for (const EdgeId id : lost_) at = std::min(at, edges_.at(id).lost_at + lost_reader_patience);
  for (const auto& [id, retry_at] : retry_at_) at = std::min(at, retry_at);
  return at;
}

std::optional<std::uint16_t> Publisher::reader_degree(EdgeId edge) const {
  const auto found = edges_.find(edge);
  if (found == edges_.end() || found->second.seats.empty()) return std::nullopt;
  return found->second.seats.back().degree;
}

}  // namespace quadrille::peer

#include "peer/exchange/publisher.hpp"

#include <algorithm>
#include <ranges>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {
namespace {

// The edges of one source, which lie together in a map of edges.
template <class Edges>
auto edges_of(Edges& edges, CellIndex source) {
  const auto first = edges.lower_bound(EdgeId{.source = source, .reader = {}});
  const auto last = std::find_if(first, edges.end(),
                                 [&](const auto& entry) { return entry.first.source != source; });
  return std::ranges::subrange(first, last);
}

Failure broken(EdgeId edge, const std::string& what) {
  return failure(ErrorCode::Corrupt, what + " of edge " + std::to_string(edge.source.value) +
                                         " to " + std::to_string(edge.reader.value));
}

}  // namespace

Publisher::Seat* Publisher::Edge::find(Line line) {
  const auto found = std::ranges::find(seats, line, &Seat::line);
  return found == seats.end() ? nullptr : &*found;
}

// --- Streams ---

void Publisher::on_accepted(PeerId reader, StreamId stream, TimePoint now, ExchangeOutput& out) {
  const auto same = std::ranges::find_if(
      streams_, [&](const auto& entry) { return entry.second.reader == reader; });
  if (same != streams_.end()) {
    const StreamId old = same->first;
    out.hang_ups.push_back(old);
    on_closed(old, now, out);
  }
  streams_.emplace(
      stream,
      Stream{.reader = reader, .link = OutgoingLink(stream), .subscriptions = {}, .waiting = {}});
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
  const Result<void> taken = take_frame(stream, frame, out);
  if (taken) return work_waiting(stream, out);
  out.offences.push_back({.stream = stream, .reason = taken.error().detail});
  out.hang_ups.push_back(stream);
  on_closed(stream, now, out);
}

Result<void> Publisher::take_frame(StreamId stream, const wire::Frame& frame, ExchangeOutput& out) {
  switch (frame.header.type) {
    case wire::FrameType::Subscribe: {
      TRY(message, wire::decode_subscribe(frame.body));
      return take(stream, message, out);
    }
    case wire::FrameType::Unsubscribe: {
      TRY(message, wire::decode_unsubscribe(frame.body));
      return take(stream, message, out);
    }
    case wire::FrameType::PayloadApplied: {
      TRY(message, wire::decode_payload_applied(frame.body));
      return take(stream, message, out);
    }
    case wire::FrameType::PayloadRefused: {
      TRY(message, wire::decode_payload_refused(frame.body));
      return take(stream, message, out);
    }
    case wire::FrameType::Credit: {
      TRY(credit, wire::decode_credit(frame.body));
      if (streams_.at(stream).link.on_credit(credit, out.frames)) return {};
      return failure(ErrorCode::Limit, std::to_string(credit.bytes) + " bytes of credit");
    }
    default:
      return failure(
          ErrorCode::Corrupt,
          "a frame of type " + std::to_string(int(frame.header.type)) + " from a reader");
  }
}

void Publisher::on_local(const ReaderMessage& message, ExchangeOutput& out) {
  const Result<void> taken =
      std::visit([&](const auto& each) { return take(std::nullopt, each, out); }, message);
  CHECK(taken.has_value(), taken.error().detail);
}

std::vector<Arrival> Publisher::take_local() {
  return std::exchange(local_, {});
}

// --- What readers say ---

Result<void> Publisher::take(Line line, const wire::Subscribe& message, ExchangeOutput& out) {
  const EdgeId id = message.edge;
  if (line) {
    auto& subscriptions = streams_.at(*line).subscriptions;
    if (subscriptions.contains(id)) return broken(id, "a second subscription");
    if (subscriptions.size() >= subscriptions_max)
      return failure(ErrorCode::Limit, "more subscriptions than a stream may have");
    if (!edges_.contains(id) && reader_count(id.source) >= readers_max)
      return failure(ErrorCode::Limit,
                     "cell " + std::to_string(id.source.value) + " has too many readers");
    subscriptions.emplace(id, true);
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

Result<void> Publisher::take(Line line, const wire::Unsubscribe& message, ExchangeOutput& out) {
  const EdgeId id = message.edge;
  TRY(seat, seat_of(line, id));
  if (seat == nullptr) return {};
  Edge& edge = edges_.at(id);
  if (line) {
    Stream& stream = streams_.at(*line);
    stream.subscriptions[id] = false;
    stream.link.cancel(seat->transfer);
    stream.link.cancel(seat->direct_transfer);
  }
  unseat(id, line, out);
  if (edge.seats.empty()) close(id, edge, out);
  erase_if_unused(id);
  return {};
}

Result<void> Publisher::take(Line line, const wire::PayloadApplied& message, ExchangeOutput& out) {
  TRY(seat, answering_seat(line, message.edge, message.version));
  if (seat == nullptr) return {};
  seat->held = *std::exchange(seat->awaiting, std::nullopt);
  Edge& edge = edges_.at(message.edge);
  if (!edge.serves(*seat) || !edge.worker) return {};
  if (!edge.worker->on_applied(message.version)) edge.worker->on_reader(seat->held);
  work(message.edge, edge, out);
  return {};
}

Result<void> Publisher::take(Line line, const wire::PayloadRefused& message, ExchangeOutput& out) {
  TRY(seat, answering_seat(line, message.edge, message.version));
  if (seat == nullptr) return {};
  seat->held = {};
  seat->awaiting.reset();
  if (line) streams_.at(*line).link.cancel(seat->transfer);
  Edge& edge = edges_.at(message.edge);
  if (!edge.serves(*seat) || !edge.worker) return {};
  if (!edge.worker->on_refused(message.version, message.fault)) edge.worker->on_reader(seat->held);
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

std::size_t Publisher::reader_count(CellIndex source) const {
  return static_cast<std::size_t>(std::ranges::distance(edges_of(edges_, source)));
}

// --- Who is served ---

void Publisher::unseat(EdgeId id, Line line, ExchangeOutput& out) {
  Edge& edge = edges_.at(id);
  Seat* seat = edge.find(line);
  CHECK(seat != nullptr, id.source, id.reader);
  const bool was_served = edge.serves(*seat);
  edge.seats.erase(edge.seats.begin() + (seat - edge.seats.data()));
  if (!was_served) return;
  if (!edge.seats.empty()) return serve(id, edge, out);
  if (edge.worker) edge.worker->on_reader_lost();
}

// The last seat is another one than before.
void Publisher::serve(EdgeId id, Edge& edge, ExchangeOutput& out) {
  lost_.erase(id);
  edge.direct.restart();
  if (edge.worker)
    edge.worker->on_reader(edge.seats.back().held);
  else
    open(id, edge, out);
  work(id, edge, out);
}

void Publisher::open(EdgeId id, Edge& edge, ExchangeOutput& out) {
  const auto published = published_.find(id.source);
  if (published == published_.end()) return;
  out.commands.push_back(OpenSendingEdge{id});
  edge.worker.emplace(id, options_.synchronous);
  if (published->second.previous) edge.worker->mark(*published->second.previous);
  edge.worker->mark(published->second.newest);
  edge.worker->on_reader(edge.seats.back().held);
}

void Publisher::close(EdgeId id, Edge& edge, ExchangeOutput& out) {
  lost_.erase(id);
  edge.direct = {};
  if (!edge.worker) return;
  if (edge.worker->encoding()) ++stale_reports_[id];
  edge.worker.reset();
  out.commands.push_back(CloseSendingEdge{id});
}

void Publisher::erase_if_unused(EdgeId id) {
  const auto found = edges_.find(id);
  const Edge& edge = found->second;
  if (edge.seats.empty() && !edge.worker && edge.direct.empty()) edges_.erase(found);
}

// --- What they get ---

void Publisher::on_published(const CellPublished& published, ExchangeOutput& out) {
  const auto [found, is_first] =
      published_.try_emplace(published.cell, Published{.previous = {}, .newest = published.round});
  if (!is_first) found->second = {.previous = found->second.newest, .newest = published.round};
  for (auto& [id, edge] : edges_of(edges_, published.cell)) {
    if (edge.worker)
      edge.worker->mark(published.round);
    else if (!edge.seats.empty())
      open(id, edge, out);
    work(id, edge, out);
  }
}

void Publisher::on_encoded(const PayloadEncoded& encoded, ExchangeOutput& out) {
  if (const auto stale = stale_reports_.find(encoded.edge); stale != stale_reports_.end()) {
    if (--stale->second == 0) stale_reports_.erase(stale);
    return;
  }
  const auto found = edges_.find(encoded.edge);
  CHECK(found != edges_.end() && found->second.worker, encoded.edge.source, encoded.edge.reader);
  found->second.worker->on_encoded(encoded);
  work(encoded.edge, found->second, out);
}

void Publisher::on_direct(const DirectChunk& chunk, ExchangeOutput& out) {
  const EdgeId id{.source = chunk.from, .reader = chunk.to};
  Edge& edge = edges_[id];
  edge.direct.push({.round = chunk.round, .payload = chunk.payload});
  work(id, edge, out);
}

void Publisher::drop(CellIndex source, ExchangeOutput& out) {
  std::vector<EdgeId> ids;
  for (auto& [id, edge] : edges_of(edges_, source)) {
    close(id, edge, out);
    ids.push_back(id);
  }
  for (const EdgeId id : ids) erase_if_unused(id);
  published_.erase(source);
  degrees_.erase(source);
}

// Whatever can be encoded or sent along an edge now.
void Publisher::work(EdgeId id, Edge& edge, ExchangeOutput& out) {
  if (edge.seats.empty()) return;
  const Line line = edge.seats.back().line;
  Stream* stream = line ? &streams_.at(*line) : nullptr;
  work_payload(id, edge, stream, out);
  work_direct(id, edge, stream, out);
}

void Publisher::work_payload(EdgeId id, Edge& edge, Stream* stream, ExchangeOutput& out) {
  Seat& seat = edge.seats.back();
  if (!edge.worker || seat.awaiting) return;
  const SendingEdgeState::Step step = edge.worker->next();
  if (step == SendingEdgeState::Step::None) return;
  if (stream != nullptr && stream->link.full()) return stream->waiting.push_back(id);
  if (step == SendingEdgeState::Step::Encode) {
    out.commands.push_back(edge.worker->start_encoding());
    return;
  }
  const Payload payload = edge.worker->payload();
  seat.transfer = stream != nullptr ? stream->link.next_transfer() : 0;
  const wire::PayloadBegin begin = edge.worker->start_sending(seat.transfer, degrees_[id.source]);
  seat.awaiting = edge.worker->replica();
  if (stream != nullptr)
    stream->link.begin(wire::FrameType::PayloadBegin, wire::encode(begin), payload, out.frames);
  else
    local_.push_back({.begin = begin, .payload = payload});
}

// One at a time, so that they arrive in order.
void Publisher::work_direct(EdgeId id, Edge& edge, Stream* stream, ExchangeOutput& out) {
  Seat& seat = edge.seats.back();
  while (edge.direct.has_next()) {
    if (stream != nullptr && (stream->link.full() || stream->link.carries(seat.direct_transfer)))
      return stream->waiting.push_back(id);
    const DirectQueue::Message& message = edge.direct.take_next();
    seat.direct_transfer = stream != nullptr ? stream->link.next_transfer() : 0;
    const wire::DirectBegin begin{.from = id.source,
                                  .to = id.reader,
                                  .transfer = seat.direct_transfer,
                                  .round = message.round,
                                  .bytes = message.payload->size()};
    if (stream != nullptr)
      stream->link.begin(wire::FrameType::DirectBegin, wire::encode(begin), message.payload,
                         out.frames);
    else
      local_.push_back({.begin = begin, .payload = message.payload});
  }
}

void Publisher::work_waiting(StreamId stream, ExchangeOutput& out) {
  std::vector<EdgeId> waiting = std::exchange(streams_.at(stream).waiting, {});
  for (const EdgeId id : waiting)
    if (const auto found = edges_.find(id); found != edges_.end()) work(id, found->second, out);
}

// --- Time ---

void Publisher::on_time(TimePoint now, ExchangeOutput& out) {
  for (const EdgeId id : std::set<EdgeId>(lost_)) {
    Edge& edge = edges_.at(id);
    if (now < edge.lost_at + lost_reader_patience) continue;
    close(id, edge, out);
    erase_if_unused(id);
  }
}

TimePoint Publisher::wake_at() const {
  TimePoint at{Duration::max()};
  for (const EdgeId id : lost_) at = std::min(at, edges_.at(id).lost_at + lost_reader_patience);
  return at;
}

std::optional<std::uint16_t> Publisher::reader_degree(EdgeId edge) const {
  const auto found = edges_.find(edge);
  if (found == edges_.end() || found->second.seats.empty()) return std::nullopt;
  return found->second.seats.back().degree;
}

}  // namespace quadrille::peer

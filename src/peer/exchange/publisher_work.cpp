// Who is served along each edge, and what they get.
#include <algorithm>
#include <ranges>
#include <utility>

#include "base/check.hpp"
#include "peer/exchange/publisher.hpp"

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

}  // namespace

std::size_t Publisher::reader_count(CellIndex source) const {
  return static_cast<std::size_t>(std::ranges::distance(edges_of(edges_, source)));
}

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
  retry_at_.erase(id);
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
  sent_bytes_.erase(source);
}

std::uint64_t Publisher::sent_bytes(CellIndex source) const {
  const auto found = sent_bytes_.find(source);
  return found == sent_bytes_.end() ? 0 : found->second;
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
  if (stream != nullptr && stream->link.full()) return stream->wait(id);
  if (step == SendingEdgeState::Step::Encode) {
    out.commands.push_back(edge.worker->start_encoding());
    return;
  }
  const Payload payload = edge.worker->payload();
  seat.transfer = stream != nullptr ? stream->link.next_transfer() : 0;
  const wire::PayloadBegin begin = edge.worker->start_sending(seat.transfer, degrees_[id.source]);
  seat.awaiting = edge.worker->replica();
  if (stream == nullptr) return local_.push_back({.begin = begin, .payload = payload});
  sent_bytes_[id.source] += payload->size();
  stream->link.begin(begin, payload, out.frames);
}

// One at a time, so that they arrive in order.
void Publisher::work_direct(EdgeId id, Edge& edge, Stream* stream, ExchangeOutput& out) {
  Seat& seat = edge.seats.back();
  while (edge.direct.has_next()) {
    if (stream != nullptr && (stream->link.full() || stream->link.carries(seat.direct_transfer)))
      return stream->wait(id);
    const DirectQueue::Message& message = edge.direct.take_next();
    seat.direct_transfer = stream != nullptr ? stream->link.next_transfer() : 0;
    const wire::DirectBegin begin{.from = id.source,
                                  .to = id.reader,
                                  .transfer = seat.direct_transfer,
                                  .round = message.round,
                                  .bytes = message.payload->size()};
    if (stream != nullptr) {
      sent_bytes_[id.source] += message.payload->size();
      stream->link.begin(begin, message.payload, out.frames);
    } else {
      local_.push_back({.begin = begin, .payload = message.payload});
    }
  }
}

void Publisher::work_waiting(StreamId stream, ExchangeOutput& out) {
  std::vector<EdgeId> waiting = std::exchange(streams_.at(stream).waiting, {});
  for (const EdgeId id : waiting)
    if (const auto found = edges_.find(id); found != edges_.end()) work(id, found->second, out);
}

}  // namespace quadrille::peer

#include "peer/exchange/exchange.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "base/overloaded.hpp"

namespace quadrille::peer {

Exchange::Exchange(ExchangeOptions options, PeerId self)
    : publisher_(options), subscriber_(options, self) {}

// What the own cells have to say to each other. It ends, since every answer waits for the worker.
void Exchange::settle(TimePoint now, ExchangeOutput& out) {
  while (true) {
    const std::vector<ReaderMessage> up = subscriber_.take_local();
    std::vector<Arrival> down = publisher_.take_local();
    if (up.empty() && down.empty()) return;
    for (const ReaderMessage& message : up) publisher_.on_local(message, now, out);
    for (Arrival& arrival : down) subscriber_.on_local(std::move(arrival), now, out);
  }
}

void Exchange::set_sources(CellIndex reader, std::vector<EdgeSource> sources, TimePoint now,
                           ExchangeOutput& out) {
  publisher_.set_degree(reader, static_cast<std::uint16_t>(sources.size()));
  subscriber_.set_sources(reader, sources, now, out);
  settle(now, out);
}

void Exchange::drop(CellIndex cell, TimePoint now, ExchangeOutput& out) {
  subscriber_.drop(cell, now, out);
  settle(now, out);
  publisher_.drop(cell, out);
  started_.erase(cell);
}

void Exchange::on_dialled(PeerId owner, StreamId stream, TimePoint now, ExchangeOutput& out) {
  subscriber_.on_dialled(owner, stream, now, out);
}

void Exchange::on_accepted(PeerId reader, StreamId stream, TimePoint now, ExchangeOutput& out) {
  publisher_.on_accepted(reader, stream, now, out);
  settle(now, out);
}

void Exchange::on_dial_failed(PeerId owner, TimePoint now) {
  subscriber_.on_dial_failed(owner, now);
}

void Exchange::on_closed(StreamId stream, TimePoint now, ExchangeOutput& out) {
  subscriber_.on_closed(stream, now);
  publisher_.on_closed(stream, now, out);
  settle(now, out);
}

void Exchange::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                        ExchangeOutput& out) {
  subscriber_.on_frame(stream, frame, now, out);
  publisher_.on_frame(stream, frame, now, out);
  settle(now, out);
}

void Exchange::on_report(const WorkerReport& report, TimePoint now, ExchangeOutput& out) {
  const auto is_ours = [&](CellIndex cell) { return started_.contains(cell); };
  std::visit(Overloaded{[&](const CellStarted& each) {
                          started_.insert(each.cell);
                          subscriber_.add_cell(each.cell);
                        },
                        [&](const CellPublished& each) {
                          if (is_ours(each.cell)) publisher_.on_published(each, out);
                        },
                        [&](const CellNeeds& each) {
                          if (is_ours(each.need.cell)) subscriber_.on_need(each.need, now, out);
                        },
                        [&](const DirectChunk& each) {
                          if (is_ours(each.from)) publisher_.on_direct(each, out);
                        },
                        [&](const PayloadEncoded& each) { publisher_.on_encoded(each, out); },
                        [&](const PayloadTaken& each) { subscriber_.on_taken(each, now, out); },
                        [](const auto&) {}},
             report);
  settle(now, out);
}

void Exchange::on_time(TimePoint now, ExchangeOutput& out) {
  subscriber_.on_time(now, out);
  publisher_.on_time(now, out);
  settle(now, out);
}

TimePoint Exchange::wake_at() const {
  return std::min(subscriber_.wake_at(), publisher_.wake_at());
}

std::optional<Round> Exchange::newest_round(EdgeId edge) const {
  const ReceivingEdgeState* state = subscriber_.find(edge);
  return state == nullptr ? std::nullopt : state->newest_round();
}

std::optional<Round> Exchange::heard(EdgeId edge) const {
  const ReceivingEdgeState* state = subscriber_.find(edge);
  return state == nullptr ? std::nullopt : state->heard();
}

std::optional<std::uint16_t> Exchange::source_degree(EdgeId edge) const {
  if (!newest_round(edge)) return std::nullopt;
  return subscriber_.find(edge)->source_degree();
}

std::optional<std::uint16_t> Exchange::reader_degree(EdgeId edge) const {
  return publisher_.reader_degree(edge);
}

std::map<EdgeId, EdgeStatistics> Exchange::statistics() const {
  return subscriber_.statistics();
}

}  // namespace quadrille::peer

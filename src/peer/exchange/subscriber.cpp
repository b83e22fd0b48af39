#include "peer/exchange/subscriber.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {
namespace {

using Phase = ReceivingEdgeState::Phase;

}  // namespace

// --- Cells and what they read ---

void Subscriber::add_cell(CellIndex cell) {
  cells_.try_emplace(cell, cell);
}

void Subscriber::set_sources(CellIndex reader, const std::vector<EdgeSource>& sources,
                             TimePoint now, ExchangeOutput& out) {
  std::vector<CellIndex> wanted;
  for (const EdgeSource& source : sources) wanted.push_back(source.cell);
  Inbox& inbox = cells_.try_emplace(reader, reader).first->second;
  const std::vector<CellIndex> before = inbox.sources();
  inbox.set_sources(wanted);
  for (const CellIndex source : before)
    if (std::ranges::find(wanted, source) == wanted.end()) end({source, reader}, now, out);
  for (const EdgeSource& source : sources) {
    const EdgeId id{.source = source.cell, .reader = reader};
    const auto found = edges_.find(id);
    if (found == edges_.end()) {
      Edge edge{.owner = source.owner, .sender = {}, .state = ReceivingEdgeState(id)};
      out.commands.push_back(OpenReceivingEdge{id});
      join(id, edges_.emplace(id, std::move(edge)).first->second, now, out);
    } else if (found->second.owner != source.owner) {
      leave(id, found->second, now, out);
      found->second.owner = source.owner;
      join(id, found->second, now, out);
    }
  }
}

void Subscriber::drop(CellIndex reader, TimePoint now, ExchangeOutput& out) {
  const auto found = cells_.find(reader);
  if (found == cells_.end()) return;
  for (const CellIndex source : found->second.sources()) end({source, reader}, now, out);
  cells_.erase(found);
}

void Subscriber::end(EdgeId id, TimePoint now, ExchangeOutput& out) {
  const auto found = edges_.find(id);
  CHECK(found != edges_.end(), id.source, id.reader);
  leave(id, found->second, now, out);
  if (found->second.state.phase() == Phase::Applying) ++stale_reports_[id];
  edges_.erase(found);
  out.commands.push_back(CloseReceivingEdge{id});
}

void Subscriber::join(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out) {
  if (edge.owner != self_) {
    links_[edge.owner].edges().insert(id);
    dial(edge.owner, now, out);
  }
  subscribe(id, edge, now, out);
}

void Subscriber::leave(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out) {
  edge.state.on_line_lost();
  if (quarantined_.erase(id) > 0) edge.state.end_quarantine();  // the next owner is another sender
  const bool was_subscribed = std::exchange(edge.subscribed, false);
  if (edge.owner == self_) {
    if (was_subscribed) local_.push_back(wire::Unsubscribe{id});
    return;
  }
  OwnerLink& link = links_.at(edge.owner);
  link.edges().erase(id);
  link.unsubscribe(id, out.frames);
  if (!link.edges().empty()) {
    if (link.is_worth_renewing()) renew(edge.owner, now, out);
    return;
  }
  if (const auto stream = link.stream()) {
    out.hang_ups.push_back(*stream);
    streams_.erase(*stream);
  }
  if (!link.is_dialling()) links_.erase(edge.owner);  // else what it comes to is awaited
}

// As soon as there is a line, and nothing of an earlier one is still with the worker.
void Subscriber::subscribe(EdgeId id, Edge& edge, TimePoint now, ExchangeOutput& out) {
  if (edge.subscribed || edge.state.phase() != Phase::Idle) return;
  const auto degree = static_cast<std::uint16_t>(cells_.at(id.reader).sources().size());
  if (edge.owner == self_) {
    edge.subscribed = true;
    local_.push_back(edge.state.subscribe(degree));
    return;
  }
  OwnerLink& link = links_.at(edge.owner);
  if (!link.stream()) return;
  if (link.subscription(id) == OwnerLink::Subscription::Ended || link.is_worth_renewing()) {
    renew(edge.owner, now, out);
  } else if (!link.is_used_up()) {
    edge.subscribed = true;
    link.subscribe(edge.state.subscribe(degree), out.frames);
  }
}

void Subscriber::answer(EdgeId id, Edge& edge, const std::optional<ReaderMessage>& message,
                        TimePoint now, ExchangeOutput& out) {
  if (!message) {
    quarantined_.insert(id);
  } else if (!edge.subscribed) {
    subscribe(id, edge, now, out);  // which says what is held, too
  } else if (edge.owner == self_) {
    local_.push_back(*message);
  } else {
    const StreamId stream = *links_.at(edge.owner).stream();
    out.frames.push_back(
        std::visit([&](const auto& each) { return frame_of(stream, each); }, *message));
  }
}

// --- The worker, and the cells' needs ---

void Subscriber::on_taken(const PayloadTaken& taken, TimePoint now, ExchangeOutput& out) {
  if (const auto stale = stale_reports_.find(taken.edge); stale != stale_reports_.end()) {
    if (--stale->second == 0) stale_reports_.erase(stale);
    return;
  }
  const auto found = edges_.find(taken.edge);
  CHECK(found != edges_.end(), taken.edge.source, taken.edge.reader);
  Edge& edge = found->second;
  using wire::PayloadFault;
  if (taken.fault == PayloadFault::NotFinite || taken.fault == PayloadFault::OutOfNorm)
    out.faults.push_back({.edge = taken.edge, .sender = edge.sender, .fault = *taken.fault});
  const bool held_something = edge.state.newest_round().has_value();
  const std::uint64_t keyframes_before = edge.state.statistics().keyframes;
  answer(taken.edge, edge, edge.state.on_taken(taken, now), now, out);
  if (held_something && edge.state.statistics().keyframes > keyframes_before)
    out.keyframes.push_back({.edge = taken.edge, .sender = edge.sender, .round = taken.round});
  advance_if_met(taken.edge.reader, now, out);
}

void Subscriber::on_need(const Need& need, TimePoint now, ExchangeOutput& out) {
  cells_.at(need.cell).set_need(need, now);
  advance_if_met(need.cell, now, out);
}

void Subscriber::advance_if_met(CellIndex reader, TimePoint now, ExchangeOutput& out) {
  Inbox& inbox = cells_.at(reader);
  Inbox::Held held;
  for (const CellIndex source : inbox.sources())
    held[source] = edges_.at({source, reader}).state.rounds();
  if (auto advance = inbox.take(held, now)) out.commands.push_back(std::move(*advance));
  apply_ready(reader, out);
}

// In synchronous mode a payload waits while it would push out a round that the cell may yet read.
void Subscriber::apply_ready(CellIndex reader, ExchangeOutput& out) {
  const Inbox& inbox = cells_.at(reader);
  for (const CellIndex source : inbox.sources()) {
    ReceivingEdgeState& state = edges_.at({source, reader}).state;
    if (state.phase() != Phase::Ready) continue;
    const auto leaving = state.leaving_round();
    if (options_.synchronous && leaving && inbox.may_want(source, *leaving)) continue;
    out.commands.push_back(state.start_applying());
  }
}

// --- Time ---

void Subscriber::on_time(TimePoint now, ExchangeOutput& out) {
  for (auto& [owner, link] : links_) {
    if (link.stalled(now)) lose(owner, now, out);
    dial(owner, now, out);
  }
  end_quarantines(now, out);
  for (const auto& [cell, inbox] : cells_)
    if (inbox.deadline() && *inbox.deadline() <= now) advance_if_met(cell, now, out);
}

void Subscriber::end_quarantines(TimePoint now, ExchangeOutput& out) {
  for (const EdgeId id : std::set<EdgeId>(quarantined_)) {
    Edge& edge = edges_.at(id);
    if (now < *edge.state.quarantined_until()) continue;
    quarantined_.erase(id);
    answer(id, edge, edge.state.end_quarantine(), now, out);
  }
}

TimePoint Subscriber::wake_at() const {
  TimePoint at = TimePoint::never();
  const auto include = [&](std::optional<TimePoint> time) { at = std::min(at, time.value_or(at)); };
  for (const auto& [owner, link] : links_) include(link.wake_at());
  for (const EdgeId id : quarantined_) include(edges_.at(id).state.quarantined_until());
  for (const auto& [cell, inbox] : cells_) include(inbox.deadline());
  return at;
}

const ReceivingEdgeState* Subscriber::find(EdgeId edge) const {
  const auto found = edges_.find(edge);
  return found == edges_.end() ? nullptr : &found->second.state;
}

std::map<EdgeId, EdgeStatistics> Subscriber::statistics() const {
  std::map<EdgeId, EdgeStatistics> all;
  for (const auto& [id, edge] : edges_) all.emplace(id, edge.state.statistics());
  return all;
}

}  // namespace quadrille::peer

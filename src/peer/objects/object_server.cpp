#include "peer/objects/object_server.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/overloaded.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

OutFrame info_frame(StreamId stream, std::uint32_t request, std::optional<Round> round) {
  return frame_of(stream, wire::ObjectInfo{.request = request,
                                           .found = round.has_value(),
                                           .round = round.value_or(Round{})});
}

WorkerCommand command_for(const wire::ObjectRequest& what, std::uint32_t request) {
  switch (what.kind) {
    case wire::ObjectKind::State:
      return SaveState{.cell = what.cell, .request = request, .park = what.hand_over};
    case wire::ObjectKind::Sheet:
      return DrawSheet{.cell = what.cell, .request = request};
    default:
      return PackSnapshot{.cell = what.cell, .request = request};
  }
}

// An object that may travel.
bool can_be_sent(wire::ObjectKind kind, const Payload& payload) {
  if (!payload || payload->empty()) return false;
  return payload->size() <=
         (kind == wire::ObjectKind::Sheet ? wire::sheet_bytes_max : wire::object_bytes_max);
}

}  // namespace

std::optional<Round> ObjectServer::held(wire::ObjectKind kind, CellIndex cell) const {
  const auto own = own_.find(cell);
  if (own != own_.end() && kind != wire::ObjectKind::Unknown) return own->second;
  if (kind == wire::ObjectKind::State) {
    const auto copy = copies_.find(cell);
    if (copy != copies_.end()) return copy->second;
  }
  std::optional<Round> newest;
  if (kind == wire::ObjectKind::Snapshot)
    for (auto edge = replicas_.lower_bound({.source = cell, .reader = {}});
         edge != replicas_.end() && edge->first.source == cell; ++edge)
      newest = std::max(newest, std::optional(edge->second));
  return newest;
}

bool ObjectServer::may_have(PeerId peer, const wire::ObjectRequest& what) const {
  if (!held(what.kind, what.cell)) return false;
  if (!what.hand_over) return true;
  const auto handover = handovers_.find(what.cell);
  return what.kind == wire::ObjectKind::State && own_.contains(what.cell) &&
         handover != handovers_.end() && handover->second == peer;
}

void ObjectServer::order(const Order& order, ObjectsOutput& out) {
  const std::uint32_t number = ++orders_given_;
  if (order.what.hand_over) parked_.insert(order.what.cell);
  out.commands.push_back(command_for(order.what, number));
  orders_.emplace(number, order);
}

void ObjectServer::serve_self(FetchId fetch, const wire::ObjectRequest& what, TimePoint now,
                              ObjectsOutput& out) {
  CHECK(!what.hand_over, what.cell);
  CHECK(what.request == fetch.value, what.request, fetch.value);
  const Order own{
      .stream = std::nullopt, .asker = {}, .what = what, .give_up_at = now + worker_patience};
  ++self_orders_;
  if (self_orders_ <= served_self_max && held(what.kind, what.cell)) return order(own, out);
  deliver(own, {}, nullptr, out);
}

void ObjectServer::on_accepted(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out) {
  const auto same =
      std::ranges::find_if(askers_, [&](const auto& entry) { return entry.second.peer == peer; });
  if (same != askers_.end()) {
    out.hang_ups.push_back(same->first);
    askers_.erase(same);
  }
  const bool is_new =
      askers_.emplace(stream, Asker{.peer = peer, .link = OutgoingLink(stream), .active_at = now})
          .second;
  CHECK(is_new, stream);
}

void ObjectServer::on_closed(StreamId stream) {
  askers_.erase(stream);  // what the worker still makes for it finds nobody
}

void ObjectServer::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                            ObjectsOutput& out) {
  const auto found = askers_.find(stream);
  if (found == askers_.end()) return;
  Asker& asker = found->second;
  const bool waits = !asker.link.empty();
  const std::uint64_t sent_bytes = asker.link.sent_bytes();
  if (const Result<void> taken = take(stream, asker, frame, now, out); !taken) {
    out.offences.push_back({.stream = stream, .reason = taken.error().detail});
    out.hang_ups.push_back(stream);
    askers_.erase(found);
  } else if (!waits || asker.link.sent_bytes() != sent_bytes) {
    asker.active_at = now;
  }
}

Result<void> ObjectServer::take(StreamId stream, Asker& asker, const wire::Frame& frame,
                                TimePoint now, ObjectsOutput& out) {
  if (frame.header.type == wire::FrameType::ObjectQuery) {
    TRY(query, wire::decode_object_query(frame.body));
    take_query(stream, query, out);
    return {};
  }
  if (frame.header.type == wire::FrameType::ObjectRequest) {
    TRY(request, wire::decode_object_request(frame.body));
    return take_request(stream, asker, request, now, out);
  }
  if (frame.header.type == wire::FrameType::Credit) {
    TRY(credit, wire::decode_credit(frame.body));
    if (asker.link.on_credit(credit, out.frames)) return {};
    return failure(ErrorCode::Limit, "credit without end");
  }
  return out_of_place(frame, "who asks for objects");
}

void ObjectServer::take_query(StreamId stream, const wire::ObjectQuery& query,
                              ObjectsOutput& out) const {
  out.frames.push_back(info_frame(stream, query.request, held(query.kind, query.cell)));
}

Result<void> ObjectServer::take_request(StreamId stream, Asker& asker,
                                        const wire::ObjectRequest& request, TimePoint now,
                                        ObjectsOutput& out) {
  if (asker.served() >= wire::object_requests_max)
    return failure(ErrorCode::Limit, "more than " + std::to_string(wire::object_requests_max) +
                                         " requests for objects at once");
  if (may_have(asker.peer, request) && has_room_for(asker, request.hand_over)) {
    ++asker.at_worker;
    order({.stream = stream,
           .asker = asker.peer,
           .what = request,
           .give_up_at = now + worker_patience},
          out);
  } else {
    out.frames.push_back(info_frame(stream, request.request, std::nullopt));
  }
  return {};
}

bool ObjectServer::has_room_for(const Asker& asker, bool hand_over) const {
  std::size_t all = 0;
  std::size_t of_peer = asker.served();
  for (const auto& [stream, each] : askers_) all += each.served();
  for (const auto& [number, order] : orders_) {
    if (!order.stream || askers_.contains(*order.stream)) continue;
    ++all;
    if (order.asker == asker.peer) ++of_peer;
  }
  return of_peer < wire::object_requests_max && (hand_over || all < served_in_all_max);
}

void ObjectServer::deliver(const Order& order, Round round, const Payload& payload,
                           ObjectsOutput& out) {
  if (order.stream) return send(*order.stream, order, round, payload, out);
  --self_orders_;
  const bool found = can_be_sent(order.what.kind, payload);
  out.answers.push_back({.fetch = {order.what.request},
                         .cell = order.what.cell,
                         .found = found,
                         .round = found ? round : Round{},
                         .payload = found ? payload : nullptr});
}

void ObjectServer::send(StreamId stream, const Order& order, Round round, const Payload& payload,
                        ObjectsOutput& out) {
  const auto found = askers_.find(stream);
  if (found == askers_.end()) return;
  Asker& asker = found->second;
  --asker.at_worker;
  // The handover may have been withdrawn while the worker saved.
  if (!can_be_sent(order.what.kind, payload) || !may_have(asker.peer, order.what)) {
    out.frames.push_back(info_frame(stream, order.what.request, std::nullopt));
    return;
  }
  const wire::ObjectBegin begin{.request = order.what.request,
                                .transfer = asker.link.next_transfer(),
                                .round = round,
                                .bytes = payload->size(),
                                .checksum = hash_of(*payload)};
  asker.link.begin(begin, payload, out.frames);
}

void ObjectServer::on_report(const WorkerReport& report, ObjectsOutput& out) {
  std::visit(
      Overloaded{[&](const CellStarted& started) { own_[started.cell] = started.round; },
                 [&](const CellPublished& published) {
                   const auto own = own_.find(published.cell);
                   if (own != own_.end()) own->second = published.round;
                 },
                 // A start that failed makes way for the next one: what is promised stays so.
                 [&](const CellFailed& failed) {
                   if (!failed.at_start) on_released(failed.cell);
                 },
                 // Of a reader that was released meanwhile the worker keeps nothing.
                 [&](const PayloadTaken& taken) {
                   if (!taken.fault && own_.contains(taken.edge.reader))
                     replicas_[taken.edge] = taken.round;
                 },
                 [&](const ObjectReady& ready) {
                   const auto found = orders_.find(ready.request);
                   if (found == orders_.end()) return;
                   const Order order = found->second;
                   orders_.erase(found);
                   deliver(order, ready.round, ready.payload, out);
                 },
                 [](const auto&) {}},
      report);
}

void ObjectServer::on_released(CellIndex cell) {
  own_.erase(cell);
  parked_.erase(cell);
  handovers_.erase(cell);
  std::erase_if(replicas_, [&](const auto& replica) { return replica.first.reader == cell; });
}

void ObjectServer::on_kept(CellIndex cell, std::optional<Round> round) {
  if (round) {
    copies_[cell] = *round;
  } else {
    copies_.erase(cell);
  }
}

void ObjectServer::allow_handover(CellIndex cell, std::optional<PeerId> to, ObjectsOutput& out) {
  const auto before = handovers_.find(cell);
  const bool is_same = before != handovers_.end() && before->second == to;
  if (is_same) return;
  if (parked_.erase(cell) > 0) {
    out.commands.push_back(ResumeCell{cell});
    withdraw_handovers(cell, out);
  }
  handovers_.erase(cell);
  if (to) handovers_.emplace(cell, *to);
}

// What the worker has yet to save is of a cell that trains on: even if it is yielded to the same
// peer again by then, it is no state to take over.
void ObjectServer::withdraw_handovers(CellIndex cell, ObjectsOutput& out) {
  std::vector<Order> withdrawn;
  std::erase_if(orders_, [&](const auto& each) {
    const wire::ObjectRequest& what = each.second.what;
    if (!what.hand_over || what.cell != cell) return false;
    withdrawn.push_back(each.second);
    return true;
  });
  for (const Order& order : withdrawn) deliver(order, {}, nullptr, out);
}

void ObjectServer::on_time(TimePoint now, ObjectsOutput& out) {
  while (!orders_.empty() && orders_.begin()->second.give_up_at <= now) {
    const Order order = orders_.begin()->second;
    orders_.erase(orders_.begin());
    deliver(order, {}, nullptr, out);
  }
  for (auto asker = askers_.begin(); asker != askers_.end();) {
    const bool is_idle = asker->second.active_at + idle_max <= now;
    if (is_idle) out.hang_ups.push_back(asker->first);
    asker = is_idle ? askers_.erase(asker) : std::next(asker);
  }
}

TimePoint ObjectServer::wake_at() const {
  TimePoint soonest = TimePoint::never();
  if (!orders_.empty()) soonest = orders_.begin()->second.give_up_at;
  for (const auto& [stream, asker] : askers_)
    soonest = std::min(soonest, asker.active_at + idle_max);
  return soonest;
}

}  // namespace quadrille::peer

// Streams to the owners of what is read: dialled, lost and renewed; and what arrives on them.
#include <string>
#include <utility>

#include "base/check.hpp"
#include "peer/exchange/subscriber.hpp"

namespace quadrille::peer {

void Subscriber::dial(PeerId owner, TimePoint now, ExchangeOutput& out) {
  if (links_.at(owner).start_dialling(now)) out.dials.push_back(owner);
}

void Subscriber::on_dialled(PeerId owner, StreamId stream, TimePoint now, ExchangeOutput& out) {
  const auto found = links_.find(owner);
  const bool is_wanted = found != links_.end() && !found->second.edges().empty();
  if (!is_wanted || !found->second.on_dialled(stream, out.frames)) {
    out.hang_ups.push_back(stream);
    if (!is_wanted) links_.erase(owner);
    return;
  }
  streams_[stream] = owner;
  for (const EdgeId id : found->second.edges()) subscribe(id, edges_.at(id), now, out);
}

void Subscriber::on_dial_failed(PeerId owner, TimePoint now) {
  const auto found = links_.find(owner);
  if (found == links_.end() || !found->second.is_dialling()) return;
  found->second.on_lost(now);
  if (found->second.edges().empty()) links_.erase(found);
}

void Subscriber::on_closed(StreamId stream, TimePoint now) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  OwnerLink& link = links_.at(found->second);
  detach(link);
  link.on_lost(now);
  streams_.erase(found);
}

void Subscriber::detach(OwnerLink& link) {
  for (const EdgeId id : link.edges()) {
    edges_.at(id).subscribed = false;
    edges_.at(id).state.on_line_lost();
  }
}

// Gives the stream up; it is dialled again after a while.
void Subscriber::lose(PeerId owner, TimePoint now, ExchangeOutput& out) {
  const StreamId stream = *links_.at(owner).stream();
  out.hang_ups.push_back(stream);
  on_closed(stream, now);
}

// The same, when nothing is wrong with it: it is dialled at once.
void Subscriber::renew(PeerId owner, TimePoint now, ExchangeOutput& out) {
  OwnerLink& link = links_.at(owner);
  out.hang_ups.push_back(*link.stream());
  streams_.erase(*link.stream());
  detach(link);
  link.on_given_up(now);
  dial(owner, now, out);
}

// --- What arrives ---

void Subscriber::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                          ExchangeOutput& out) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  const PeerId owner = found->second;
  const Result<void> taken = take_frame(owner, frame, now, out);
  if (taken) return;
  out.offences.push_back({.stream = stream, .reason = taken.error().detail});
  lose(owner, now, out);
}

Result<void> Subscriber::take_frame(PeerId owner, const wire::Frame& frame, TimePoint now,
                                    ExchangeOutput& out) {
  switch (frame.header.type) {
    case wire::FrameType::PayloadBegin: {
      TRY(begin, wire::decode_payload_begin(frame.body));
      return take_payload_begin(owner, begin, now, out);
    }
    case wire::FrameType::DirectBegin: {
      TRY(begin, wire::decode_direct_begin(frame.body));
      return take_direct_begin(owner, begin, now);
    }
    case wire::FrameType::Chunk: {
      TRY(chunk, wire::decode_chunk(frame.body));
      TRY(arrival, links_.at(owner).take(chunk, now, out.frames));
      if (arrival) take_arrival(std::move(*arrival), now, out);
      return {};
    }
    default:
      return out_of_place(frame, "a cell's owner");
  }
}

Result<void> Subscriber::take_payload_begin(PeerId owner, const wire::PayloadBegin& begin,
                                            TimePoint now, ExchangeOutput& out) {
  OwnerLink& link = links_.at(owner);
  const auto subscription = link.subscription(begin.edge);
  if (subscription == OwnerLink::Subscription::Never)
    return failure(ErrorCode::Corrupt, "a payload of an edge that was not subscribed");
  if (begin.bytes == 0 || begin.bytes > options_.payload_bytes_max)
    return failure(ErrorCode::Limit, "a payload of " + std::to_string(begin.bytes) + " bytes");
  TRY_VOID(link.begin(begin, now));
  if (subscription == OwnerLink::Subscription::Ended) return {};
  Edge& edge = edges_.at(begin.edge);
  TRY(is_wanted, edge.state.on_begin(begin, now));
  edge.sender = owner;
  if (is_wanted) return {};
  link.abandon(begin.transfer);
  answer(begin.edge, edge, edge.state.refuse(wire::PayloadFault::Mismatch, now), now, out);
  return {};
}

Result<void> Subscriber::take_direct_begin(PeerId owner, const wire::DirectBegin& begin,
                                           TimePoint now) {
  OwnerLink& link = links_.at(owner);
  const EdgeId along{.source = begin.from, .reader = begin.to};
  if (link.subscription(along) == OwnerLink::Subscription::Never)
    return failure(ErrorCode::Corrupt, "a message along an edge that was not subscribed");
  if (link.is_receiving_message(along))
    return failure(ErrorCode::Corrupt, "a second message along an edge before the first is whole");
  if (begin.bytes > options_.payload_bytes_max)
    return failure(ErrorCode::Limit, "a message of " + std::to_string(begin.bytes) + " bytes");
  return link.begin(begin, now);
}

void Subscriber::take_arrival(Arrival arrival, TimePoint now, ExchangeOutput& out) {
  if (const auto* payload = std::get_if<wire::PayloadBegin>(&arrival.begin)) {
    edges_.at(payload->edge).state.on_complete(std::move(arrival.payload));
    apply_ready(payload->edge.reader, out);
    return;
  }
  const auto& direct = std::get<wire::DirectBegin>(arrival.begin);
  cells_.at(direct.to).add_chunk(
      {.from = direct.from, .round = direct.round, .payload = std::move(arrival.payload)});
  advance_if_met(direct.to, now, out);
}

void Subscriber::on_local(Arrival arrival, TimePoint now, ExchangeOutput& out) {
  if (const auto* begin = std::get_if<wire::PayloadBegin>(&arrival.begin)) {
    const auto found = edges_.find(begin->edge);
    if (found == edges_.end() || !found->second.subscribed) return;
    Edge& edge = found->second;
    const Result<bool> is_wanted = edge.state.on_begin(*begin, now);
    CHECK(is_wanted.has_value(), is_wanted.error().detail);
    edge.sender = self_;
    if (!*is_wanted) {
      const auto refusal = edge.state.refuse(wire::PayloadFault::Mismatch, now);
      return answer(begin->edge, edge, refusal, now, out);
    }
  } else if (!cells_.contains(std::get<wire::DirectBegin>(arrival.begin).to)) {
    return;
  }
  take_arrival(std::move(arrival), now, out);
}

std::vector<ReaderMessage> Subscriber::take_local() {
  return std::exchange(local_, {});
}

}  // namespace quadrille::peer

#include "peer/objects/object_fetcher.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "base/hash.hpp"

namespace quadrille::peer {
namespace {

void not_found(const ObjectFetcher::Wish& wish, ObjectsOutput& out) {
  out.answers.push_back(
      {.fetch = wish.fetch, .cell = wish.what.cell, .round = {}, .payload = nullptr});
}

void found(const ObjectFetcher::Wish& wish, Round round, Payload payload, ObjectsOutput& out) {
  out.answers.push_back({.fetch = wish.fetch,
                         .cell = wish.what.cell,
                         .found = true,
                         .round = round,
                         .payload = std::move(payload)});
}

OutFrame wish_frame(StreamId stream, const ObjectFetcher::Wish& wish) {
  const wire::ObjectRequest& what = wish.what;
  if (!wish.is_question) return frame_of(stream, what);
  return frame_of(stream,
                  wire::ObjectQuery{.request = what.request, .kind = what.kind, .cell = what.cell});
}

Failure unasked(std::uint32_t request) {
  return failure(ErrorCode::Corrupt,
                 "request " + std::to_string(request) + " was not asked for so");
}

}  // namespace

void ObjectFetcher::want(PeerId peer, const Wish& wish, TimePoint now, ObjectsOutput& out) {
  const auto [place, is_new] = sources_.try_emplace(peer);
  Source& source = place->second;
  if (is_new) out.dials.push_back(peer);
  if (source.waiting.size() >= waiting_max) return not_found(wish, out);
  source.waiting.push_back({.wish = wish, .give_up_at = now + patience});
  send_waiting(source, now, out);
}

void ObjectFetcher::send_waiting(Source& source, TimePoint now, ObjectsOutput& out) {
  if (!source.stream) return;
  while (!source.waiting.empty() && source.in_flight.size() < in_flight_max) {
    Request& next = source.waiting.front();
    out.frames.push_back(wish_frame(*source.stream, next.wish));
    source.in_flight.emplace(next.wish.what.request, std::move(next));
    source.waiting.pop_front();
  }
  source.idle_since = now;  // of no matter while it is not idle
}

void ObjectFetcher::on_dialled(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out) {
  const auto found = sources_.find(peer);
  if (found == sources_.end() || found->second.stream) {
    out.hang_ups.push_back(stream);
    return;
  }
  Source& source = found->second;
  source.stream = stream;
  source.link.emplace(stream).grant_first_credit(out.frames);
  peers_.emplace(stream, peer);
  send_waiting(source, now, out);
}

void ObjectFetcher::on_dial_failed(PeerId peer, ObjectsOutput& out) {
  const auto found = sources_.find(peer);
  if (found != sources_.end() && !found->second.stream) lose(peer, out);
}

void ObjectFetcher::on_busy(PeerId peer, TimePoint now) {
  const auto found = sources_.find(peer);
  if (found != sources_.end() && !found->second.stream) found->second.dial_at = now + busy_pause;
}

void ObjectFetcher::on_closed(StreamId stream, ObjectsOutput& out) {
  const auto found = peers_.find(stream);
  if (found != peers_.end()) lose(PeerId(found->second), out);
}

void ObjectFetcher::lose(PeerId peer, ObjectsOutput& out) {
  const auto found = sources_.find(peer);
  CHECK(found != sources_.end(), peer);
  const Source source = std::move(found->second);
  sources_.erase(found);
  if (source.stream) peers_.erase(*source.stream);
  for (const auto& [number, request] : source.in_flight)
    if (!request.is_answered) not_found(request.wish, out);
  for (const Request& request : source.waiting) not_found(request.wish, out);
}

void ObjectFetcher::hang_up(PeerId peer, ObjectsOutput& out) {
  out.hang_ups.push_back(*sources_.at(peer).stream);
  lose(peer, out);
}

void ObjectFetcher::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                             ObjectsOutput& out) {
  const auto found = peers_.find(stream);
  if (found == peers_.end()) return;
  const PeerId peer = found->second;
  Source& source = sources_.at(peer);
  if (const Result<void> taken = take(source, frame, now, out); !taken) {
    out.offences.push_back({.stream = stream, .reason = taken.error().detail});
    hang_up(peer, out);
    return;
  }
  send_waiting(source, now, out);
}

Result<void> ObjectFetcher::take(Source& source, const wire::Frame& frame, TimePoint now,
                                 ObjectsOutput& out) {
  switch (frame.header.type) {
    case wire::FrameType::ObjectInfo:
      return take_info(source, frame.body, out);
    case wire::FrameType::ObjectBegin:
      return take_begin(source, frame.body, now);
    case wire::FrameType::Chunk:
      return take_chunk(source, frame.body, now, out);
    default:
      return out_of_place(frame, "who serves objects");
  }
}

Result<void> ObjectFetcher::take_info(Source& source, Bytes body, ObjectsOutput& out) {
  TRY(info, wire::decode_object_info(body));
  const auto asked = source.in_flight.find(info.request);
  if (asked == source.in_flight.end()) return unasked(info.request);
  const Request& request = asked->second;
  if (request.has_begun || (info.found && !request.wish.is_question)) return unasked(info.request);
  if (!request.is_answered && info.found) found(request.wish, info.round, nullptr, out);
  if (!request.is_answered && !info.found) not_found(request.wish, out);
  source.in_flight.erase(asked);
  return {};
}

std::uint64_t ObjectFetcher::bytes_max(wire::ObjectKind kind) const {
  return kind == wire::ObjectKind::Sheet ? wire::sheet_bytes_max : options_.object_bytes_max;
}

Result<void> ObjectFetcher::take_begin(Source& source, Bytes body, TimePoint now) {
  TRY(begin, wire::decode_object_begin(body));
  const auto asked = source.in_flight.find(begin.request);
  if (asked == source.in_flight.end()) return unasked(begin.request);
  Request& request = asked->second;
  if (request.wish.is_question || request.has_begun) return unasked(begin.request);
  if (begin.bytes == 0 || begin.bytes > bytes_max(request.wish.what.kind))
    return failure(ErrorCode::Limit, "an object of " + std::to_string(begin.bytes) + " bytes");
  TRY_VOID(source.link->begin(begin.transfer, begin.bytes, now));
  source.arrivals[begin.transfer] = {
      .request = begin.request, .round = begin.round, .checksum = begin.checksum};
  request.has_begun = true;
  request.give_up_at = now + patience + std::chrono::seconds(begin.bytes / bytes_per_second_min);
  return {};
}

Result<void> ObjectFetcher::take_chunk(Source& source, Bytes body, TimePoint now,
                                       ObjectsOutput& out) {
  TRY(chunk, wire::decode_chunk(body));
  TRY(payload, source.link->take(chunk, now, out.frames));
  if (!payload) return {};
  const auto arrived = source.arrivals.find(chunk.head.transfer);
  CHECK(arrived != source.arrivals.end(), chunk.head.transfer);
  const Arrival arrival = arrived->second;
  if (hash_of(**payload) != arrival.checksum)
    return failure(ErrorCode::Corrupt, "an object that does not have its checksum");
  source.arrivals.erase(arrived);
  const auto asked = source.in_flight.find(arrival.request);
  if (!asked->second.is_answered) found(asked->second.wish, arrival.round, *payload, out);
  source.in_flight.erase(asked);
  return {};
}

bool ObjectFetcher::give_up_late(Source& source, TimePoint now, ObjectsOutput& out) {
  while (!source.waiting.empty() && source.waiting.front().give_up_at <= now) {
    not_found(source.waiting.front().wish, out);
    source.waiting.pop_front();
  }
  if (source.link && source.link->stalls_at().value_or(now + patience) <= now) return false;
  for (auto& [number, request] : source.in_flight) {
    if (request.give_up_at > now) continue;
    if (request.has_begun || request.is_answered) return false;
    not_found(request.wish, out);
    request.is_answered = true;
    request.give_up_at = now + patience;
  }
  return true;
}

void ObjectFetcher::on_time(TimePoint now, ObjectsOutput& out) {
  std::vector<PeerId> over;
  std::vector<PeerId> unwanted;
  for (auto& [peer, source] : sources_) {
    const bool works = give_up_late(source, now, out);
    if (!works || (source.is_idle() && source.idle_since + idle_max <= now)) over.push_back(peer);
    if (source.dial_at && *source.dial_at <= now) {
      source.dial_at.reset();
      (source.waiting.empty() ? unwanted : out.dials).push_back(peer);
    }
  }
  for (const PeerId peer : unwanted) sources_.erase(peer);
  for (const PeerId peer : over) hang_up(peer, out);
}

TimePoint ObjectFetcher::wake_at() const {
  TimePoint soonest = TimePoint::never();
  for (const auto& [peer, source] : sources_) {
    if (source.is_idle()) soonest = std::min(soonest, source.idle_since + idle_max);
    soonest = std::min(soonest, source.dial_at.value_or(soonest));
    if (!source.waiting.empty()) soonest = std::min(soonest, source.waiting.front().give_up_at);
    for (const auto& [number, request] : source.in_flight)
      soonest = std::min(soonest, request.give_up_at);
    if (source.link) soonest = std::min(soonest, source.link->stalls_at().value_or(soonest));
  }
  return soonest;
}

}  // namespace quadrille::peer

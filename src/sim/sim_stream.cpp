#include "sim/sim_stream.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/check.hpp"

namespace quadrille::sim {
namespace {

// When a dial that nobody answers is repeated, and when it is given up.
constexpr std::array<Duration, 3> knocks = {Duration{}, std::chrono::seconds(1),
                                            std::chrono::seconds(3)};
// What a lost piece costs until it was sent again.
constexpr Duration retransmission = std::chrono::milliseconds(200);
constexpr std::uint32_t retransmissions_max = 6;
// Of a slow path, a piece takes no longer than this.
constexpr std::uint64_t pieces_per_second_min = 20;
constexpr std::size_t slow_piece_bytes_min = 1460;

// A piece's direction and length in one word of its event.
constexpr std::uint32_t direction_shift = 31;
constexpr std::uint32_t length_mask = (1U << direction_shift) - 1;

}  // namespace

SimStreams::SimStreams(SimNetwork& network, EventQueue& events, RandomStream random)
    : network_(network), events_(events), random_(random), loads_(network.node_count()) {}

Bytes SimStreams::Segment::bytes() const {
  const ByteBuffer& whole = shared ? *shared : owned;
  return Bytes(whole).subspan(begin, end - begin);
}

std::optional<std::uint32_t> SimStreams::find(NodeIndex node, peer::StreamId stream) const {
  const auto found = by_id_.find({.node = node, .id = stream.value});
  if (found == by_id_.end()) return std::nullopt;
  return found->second;
}

std::uint32_t SimStreams::take_slot() {
  if (free_.empty()) {
    CHECK(streams_.size() < streams_max, streams_.size());
    streams_.emplace_back();
    free_.push_back(static_cast<std::uint32_t>(streams_.size() - 1));
  }
  const std::uint32_t slot = free_.back();
  free_.pop_back();
  streams_[slot] = Stream{};
  streams_[slot].in_use = true;
  return slot;
}

void SimStreams::schedule(std::uint32_t slot, TimePoint time, Event event) {
  event.subject = slot;
  ++streams_[slot].events;
  events_.push(time, event);
}

void SimStreams::open(NodeIndex node, peer::StreamId id, NodeIndex to, TimePoint now) {
  CHECK(!find(node, id), node, id);
  const std::uint32_t slot = take_slot();
  Stream& stream = streams_[slot];
  stream.ends[0] = {.node = node, .id = id};
  take_end(stream.ends[0], false);
  stream.ends[1] = {.node = to};
  stream.began = now;
  by_id_[{.node = node, .id = id.value}] = slot;
  schedule(slot, now + network_.draw_delay(),
           {.kind = EventKind::StreamKnock, .node = to, .detail = 0});
}

std::optional<StreamNews> SimStreams::knock(std::uint32_t slot, std::uint32_t attempt,
                                            TimePoint now) {
  Stream& stream = streams_[slot];
  End& dialler = stream.ends[0];
  End& listener = stream.ends[1];
  if (!dialler.open) return std::nullopt;
  const bool lost = network_.draw_loss(dialler.node, listener.node);
  if (lost || !network_.can_stream(dialler.node, listener.node)) {
    const bool last = attempt + 1 == knocks.size();
    const Event next{.kind = last ? EventKind::StreamFailed : EventKind::StreamKnock,
                     .node = last ? dialler.node : listener.node,
                     .detail = attempt + 1};
    schedule(slot, stream.began + (last ? connect_patience : knocks[attempt + 1]), next);
    return std::nullopt;
  }
  const TimePoint answered = now + network_.draw_delay();
  if (network_.presence(listener.node) == Presence::Refusing) {
    schedule(slot, answered, {.kind = EventKind::StreamFailed, .node = dialler.node});
    return std::nullopt;
  }
  listener.id = {.value = std::exchange(next_accepted_, next_accepted_ + 2)};
  take_end(listener, true);
  stream.is_open = true;
  by_id_[{.node = listener.node, .id = listener.id.value}] = slot;
  stream.directions[1].last_arrival = answered;
  schedule(slot, answered, {.kind = EventKind::StreamOpened, .node = dialler.node});
  return StreamNews{.kind = StreamNews::Kind::Accepted,
                    .node = listener.node,
                    .stream = listener.id,
                    .from = dialler.node};
}

void SimStreams::send(NodeIndex node, peer::StreamId id, Sending sending, TimePoint now) {
  const auto slot = find(node, id);
  if (!slot) return;
  Stream& stream = streams_[*slot];
  const std::uint32_t from = stream.ends[0].node == node && stream.ends[0].id == id ? 0 : 1;
  Direction& direction = stream.directions[from];
  const std::size_t head_bytes = sending.head.size();
  if (head_bytes > 0)
    direction.segments.push_back({.owned = std::move(sending.head), .end = head_bytes});
  if (sending.tail && sending.tail_bytes > 0) {
    CHECK(sending.tail_offset + sending.tail_bytes <= sending.tail->size(), sending.tail_offset);
    direction.segments.push_back({.shared = std::move(sending.tail),
                                  .begin = sending.tail_offset,
                                  .end = sending.tail_offset + sending.tail_bytes});
  }
  direction.held_bytes += head_bytes + sending.tail_bytes;
  direction.waiting_bytes += head_bytes + sending.tail_bytes;
  loads_[node].largest_backlog = std::max(loads_[node].largest_backlog, direction.held_bytes);
  pump_soon(*slot, from, now);
}

// With an event of its own, so that what was sent at one moment travels together.
void SimStreams::pump_soon(std::uint32_t slot, std::uint32_t direction, TimePoint now) {
  Stream& stream = streams_[slot];
  Direction& way = stream.directions[direction];
  if (way.is_pumping || stream.is_stalled || !stream.is_open) return;
  if (way.waiting_bytes == 0 && (!way.ends || way.ended)) return;
  way.is_pumping = true;
  schedule(
      slot, now,
      {.kind = EventKind::StreamPump, .node = stream.ends[direction].node, .detail = direction});
}

// Pieces are cut at random, so that readers meet every cut; of slow paths they are small.
std::size_t SimStreams::next_piece(const Stream& stream, std::uint32_t direction) {
  const std::uint64_t rate =
      network_.bytes_per_second(stream.ends[direction].node, stream.ends[1 - direction].node);
  std::size_t most = std::clamp<std::uint64_t>(rate / pieces_per_second_min, slow_piece_bytes_min,
                                               piece_bytes_max);
  if (random_.below(4) == 0) most = 1 + random_.below(static_cast<std::uint32_t>(most));
  return std::min(most, stream.directions[direction].waiting_bytes);
}

TimePoint SimStreams::arrival(Stream& stream, std::uint32_t direction, TimePoint departure) {
  const NodeIndex from = stream.ends[direction].node;
  const NodeIndex to = stream.ends[1 - direction].node;
  TimePoint time = departure + network_.draw_delay();
  for (std::uint32_t lost = 0; lost < retransmissions_max && network_.draw_loss(from, to); ++lost)
    time = time + retransmission;
  TimePoint& last = stream.directions[direction].last_arrival;
  last = std::max(last, time);
  return last;
}

void SimStreams::pump(std::uint32_t slot, std::uint32_t direction, TimePoint now) {
  Stream& stream = streams_[slot];
  Direction& way = stream.directions[direction];
  way.is_pumping = false;
  if (stream.is_stalled) return;
  if (way.waiting_bytes == 0) {
    if (way.ends && !way.ended) finish(slot, direction, now);
    return;
  }
  const NodeIndex to = stream.ends[1 - direction].node;
  const std::size_t piece = next_piece(stream, direction);
  const TimePoint departure = network_.transmit(stream.ends[direction].node, to, piece, now);
  way.waiting_bytes -= piece;
  schedule(slot, arrival(stream, direction, departure),
           {.kind = EventKind::StreamPiece,
            .node = to,
            .detail = direction << direction_shift | static_cast<std::uint32_t>(piece)});
  pump_soon(slot, direction, departure);
}

void SimStreams::finish(std::uint32_t slot, std::uint32_t direction, TimePoint now) {
  Stream& stream = streams_[slot];
  stream.directions[direction].ended = true;
  schedule(
      slot, arrival(stream, direction, now),
      {.kind = EventKind::StreamEnd, .node = stream.ends[1 - direction].node, .detail = direction});
}

void SimStreams::take_end(End& end, bool is_accepted) {
  end.open = true;
  ++loads_[end.node].streams;
  if (is_accepted) ++loads_[end.node].accepted;
}

void SimStreams::gather(Direction& direction, std::size_t bytes) {
  piece_.clear();
  while (piece_.size() < bytes) {
    Segment& front = direction.segments.front();
    const Bytes part =
        front.bytes().first(std::min(front.end - front.begin, bytes - piece_.size()));
    piece_.insert(piece_.end(), part.begin(), part.end());
    front.begin += part.size();
    if (front.begin == front.end) direction.segments.pop_front();
  }
  direction.held_bytes -= bytes;
}

std::optional<StreamNews> SimStreams::arrive(Stream& stream, std::uint32_t direction,
                                             std::size_t bytes) {
  gather(stream.directions[direction], bytes);
  const End& end = stream.ends[1 - direction];
  if (!end.open) return std::nullopt;
  return StreamNews{
      .kind = StreamNews::Kind::Bytes, .node = end.node, .stream = end.id, .bytes = piece_};
}

std::optional<StreamNews> SimStreams::end_at(Stream& stream, std::uint32_t end_index,
                                             StreamNews::Kind kind) {
  End& end = stream.ends[end_index];
  if (!end.open) return std::nullopt;
  end.open = false;
  --loads_[end.node].streams;
  if (end_index == 1) --loads_[end.node].accepted;
  by_id_.erase({.node = end.node, .id = end.id.value});
  return StreamNews{.kind = kind, .node = end.node, .stream = end.id};
}

// Both ends notice on their own; the second with another event at the same moment.
std::optional<StreamNews> SimStreams::time_out(std::uint32_t slot, TimePoint now) {
  Stream& stream = streams_[slot];
  if (auto news = end_at(stream, 0, StreamNews::Kind::Closed)) {
    schedule(
        slot, now,
        {.kind = EventKind::StreamTimeout, .node = stream.ends[1].node, .detail = stream.stall});
    return news;
  }
  return end_at(stream, 1, StreamNews::Kind::Closed);
}

std::optional<StreamNews> SimStreams::carry_out(const Event& event, TimePoint now) {
  const std::uint32_t slot = event.subject;
  Stream& stream = streams_[slot];
  --stream.events;
  std::optional<StreamNews> news;
  switch (event.kind) {
    case EventKind::StreamKnock:
      news = knock(slot, event.detail, now);
      break;
    case EventKind::StreamOpened:
      if (stream.ends[0].open)
        news = {.kind = StreamNews::Kind::Opened, .node = event.node, .stream = stream.ends[0].id};
      break;
    case EventKind::StreamFailed:
      news = end_at(stream, 0, StreamNews::Kind::OpenFailed);
      break;
    case EventKind::StreamPump:
      pump(slot, event.detail, now);
      break;
    case EventKind::StreamPiece:
      news = arrive(stream, event.detail >> direction_shift, event.detail & length_mask);
      break;
    case EventKind::StreamEnd:
      news = end_at(stream, 1 - event.detail, StreamNews::Kind::Closed);
      break;
    case EventKind::StreamTimeout:
      if (stream.is_stalled && stream.stall == event.detail) news = time_out(slot, now);
      break;
    default:
      CHECK(false, static_cast<int>(event.kind));
  }
  release_if_over(slot);
  return news;
}

void SimStreams::close(NodeIndex node, peer::StreamId id, TimePoint now) {
  const auto slot = find(node, id);
  if (!slot) return;
  Stream& stream = streams_[*slot];
  const std::uint32_t end = stream.ends[0].node == node && stream.ends[0].id == id ? 0 : 1;
  end_at(stream, end, StreamNews::Kind::Closed);
  stream.directions[end].ends = true;
  pump_soon(*slot, end, now);
  release_if_over(*slot);
}

// A machine that is still there sends what its process left behind, and closes. One that is gone
// says nothing.
void SimStreams::on_process_ended(NodeIndex node, TimePoint now) {
  const bool machine_is_gone = network_.presence(node) == Presence::Absent;
  for (std::uint32_t slot = 0; slot < streams_.size(); ++slot) {
    if (!streams_[slot].in_use) continue;
    for (std::uint32_t end = 0; end < 2; ++end) {
      Stream& stream = streams_[slot];
      if (stream.ends[end].node != node || !stream.ends[end].open) continue;
      end_at(stream, end, StreamNews::Kind::Closed);
      stream.ends[end].dead = machine_is_gone;
      if (machine_is_gone) stream.directions[end].waiting_bytes = 0;
      stream.directions[end].ends = !machine_is_gone;
      pump_soon(slot, end, now);
    }
    look_at_path(slot, now);
  }
}

void SimStreams::on_paths_changed(TimePoint now) {
  for (std::uint32_t slot = 0; slot < streams_.size(); ++slot)
    if (streams_[slot].in_use) look_at_path(slot, now);
}

void SimStreams::look_at_path(std::uint32_t slot, TimePoint now) {
  Stream& stream = streams_[slot];
  if (stream.is_open && !network_.can_stream(stream.ends[0].node, stream.ends[1].node)) {
    if (!stream.is_stalled) {
      stream.is_stalled = true;
      ++stream.stall;
      schedule(
          slot, now + silence_patience,
          {.kind = EventKind::StreamTimeout, .node = stream.ends[0].node, .detail = stream.stall});
    }
  } else {
    stream.is_stalled = false;
    for (std::uint32_t end = 0; end < 2; ++end) {
      // The machine is back and knows nothing of the stream.
      if (stream.ends[end].dead && stream.is_open && !stream.directions[end].ended)
        finish(slot, end, now);
      pump_soon(slot, end, now);
    }
  }
  release_if_over(slot);
}

void SimStreams::release_if_over(std::uint32_t slot) {
  Stream& stream = streams_[slot];
  if (!stream.in_use || stream.events > 0 || stream.ends[0].open || stream.ends[1].open) return;
  // Nothing of what waits will ever be read then.
  const bool is_cut = stream.is_stalled || !stream.is_open;
  for (const Direction& way : stream.directions)
    if (!is_cut && (way.is_pumping || way.waiting_bytes > 0)) return;
  stream.in_use = false;
  stream.directions[0].segments.clear();
  stream.directions[1].segments.clear();
  free_.push_back(slot);
}

}  // namespace quadrille::sim

#include "peer/watch/watch_stream.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// No less than what each takes of a frame, beside its bytes and text.
constexpr std::size_t frame_bytes = 128;
constexpr std::size_t member_bytes = 96;
constexpr std::size_t event_bytes = 128;
// With it the largest of them can be sent.
constexpr std::size_t credit_min = frame_bytes + member_bytes + wire::record_bytes_max;

wire::MemberState shown(MemberState state) {
  switch (state) {
    case MemberState::Alive:
      return wire::MemberState::Alive;
    case MemberState::Suspect:
      return wire::MemberState::Suspect;
    case MemberState::Dead:
      return wire::MemberState::Dead;
    case MemberState::Left:
      return wire::MemberState::Left;
  }
  return wire::MemberState::Unknown;
}

wire::WatchedMember watched(const Member& member, TimePoint now) {
  const auto seconds = (now - member.since()) / std::chrono::seconds(1);
  wire::WatchedMember shows{
      .state = shown(member.state()),
      .id = member.id,
      .since_seconds = static_cast<std::uint32_t>(std::clamp<std::int64_t>(seconds, 0, UINT32_MAX)),
      .record = {}};
  if (member.record) shows.record = member.record->bytes;
  return shows;
}

}  // namespace

WatchStream::WatchStream(StreamId stream, const wire::WatchBegin& begin, const Sight& sight,
                         TimePoint now, WatchOutput& out)
    : stream_(stream), next_at_(now), link_(stream) {
  for (const Member& member : sight.view.live()) members_.insert(member.id);
  for (const wire::CellStatus& status : sight.statuses.all(now)) cells_.insert(status.cell);
  begin_again(begin, out);
}

void WatchStream::begin_again(const wire::WatchBegin& begin, WatchOutput& out) const {
  out.frames.push_back(frame_of(stream_, begin));
}

void WatchStream::note_member(PeerId member) {
  members_.insert(member);
}

void WatchStream::note_statuses(std::span<const CellIndex> changed) {
  cells_.insert(changed.begin(), changed.end());
}

void WatchStream::on_frame(const wire::Frame& frame, WatchOutput& out) {
  if (const Result<void> taken = take(frame, out); !taken) {
    out.offences.push_back({.stream = stream_, .reason = taken.error().detail});
    out.hang_ups.push_back(stream_);
  }
}

Result<void> WatchStream::take(const wire::Frame& frame, WatchOutput& out) {
  if (frame.header.type == wire::FrameType::Credit) {
    TRY(credit, wire::decode_credit(frame.body));
    if (credit.bytes > wire::credit_bytes_max - credit_)
      return failure(ErrorCode::Limit, "it gives credit without end");
    credit_ += credit.bytes;
    if (credit.bytes > 0) starved_since_.reset();
    feed_link(out);
    return {};
  }
  if (frame.header.type == wire::FrameType::ObjectRequest) {
    TRY(request, wire::decode_object_request(frame.body));
    return take_wish(request, out);
  }
  return out_of_place(frame, "a watcher");
}

Result<void> WatchStream::take_wish(const wire::ObjectRequest& request, WatchOutput& out) {
  if (wanted_.contains(request.request))
    return failure(ErrorCode::Corrupt, "request " + std::to_string(request.request) + " twice");
  const bool is_sheet = request.kind == wire::ObjectKind::Sheet && !request.hand_over;
  if (!is_sheet || wanted_.size() + link_.size() >= wire::sheet_requests_max) {
    if (refusals_left_ == 0) return failure(ErrorCode::Limit, "it goes on asking for sheets");
    --refusals_left_;
    refuse_sheet(request.request, out);
    return {};
  }
  wanted_.insert(request.request);
  out.wishes.push_back({.stream = stream_, .request = request.request, .cell = request.cell});
  return {};
}

void WatchStream::refuse_sheet(std::uint32_t request, WatchOutput& out) const {
  out.frames.push_back(
      frame_of(stream_, wire::ObjectInfo{.request = request, .found = false, .round = {}}));
}

void WatchStream::on_sheet(std::uint32_t request, Round round, const Payload& sheet,
                           WatchOutput& out) {
  if (wanted_.erase(request) == 0) return;
  if (!sheet || sheet->empty() || sheet->size() > wire::sheet_bytes_max)
    return refuse_sheet(request, out);
  const wire::ObjectBegin begin{.request = request,
                                .transfer = link_.next_transfer(),
                                .round = round,
                                .bytes = sheet->size(),
                                .checksum = hash_of(*sheet)};
  sheet_bytes_ += sheet->size();
  link_.begin(begin, sheet, out.frames);
  feed_link(out);
}

// The link is given what it has yet to send, as far as the credit goes.
void WatchStream::feed_link(WatchOutput& out) {
  const std::uint64_t bytes = std::min(credit_, sheet_bytes_ - link_credit_);
  if (bytes == 0) return;
  credit_ -= bytes;
  link_credit_ += bytes;
  CHECK(link_.on_credit({.bytes = bytes}, out.frames), bytes);
}

std::size_t WatchStream::room() const {
  const std::size_t most = std::min(wire::control_frame_bytes_max, interval_bytes_left_);
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(most, credit_));
  return bytes < frame_bytes ? 0 : bytes - frame_bytes;
}

void WatchStream::send(OutFrame frame, WatchOutput& out) {
  const std::size_t bytes = frame.body.size();
  CHECK(bytes <= credit_, bytes, credit_);
  CHECK(bytes <= interval_bytes_left_, bytes, interval_bytes_left_);
  credit_ -= bytes;
  interval_bytes_left_ -= bytes;
  out.frames.push_back(std::move(frame));
}

// One frame. False: there was no room for any.
bool WatchStream::send_members(const Sight& sight, TimePoint now, WatchOutput& out) {
  wire::WatchMembers message;
  std::size_t left = room();
  while (!members_.empty()) {
    const Member* member = sight.view.find(*members_.begin());
    const std::size_t bytes =
        member_bytes + (member && member->record ? member->record->bytes.size() : 0);
    if (bytes > left) break;
    if (member != nullptr) {  // else it was forgotten meanwhile
      message.members.push_back(watched(*member, now));
      left -= bytes;
    }
    members_.erase(members_.begin());
  }
  if (message.members.empty()) return false;
  send(frame_of(stream_, message), out);
  return true;
}

void WatchStream::send_statuses(const Sight& sight, TimePoint now, WatchOutput& out) {
  const std::size_t count_max = std::min(statuses_max, room() / wire::cell_status_bytes);
  wire::WatchStatuses message;
  auto next = cells_.lower_bound(next_cell_);
  while (!cells_.empty() && message.statuses.size() < count_max) {
    if (next == cells_.end()) next = cells_.begin();
    if (const auto status = sight.statuses.find(*next, now)) message.statuses.push_back(*status);
    next = cells_.erase(next);
  }
  next_cell_ = next == cells_.end() ? CellIndex{} : *next;
  if (!message.statuses.empty()) send(frame_of(stream_, message), out);
}

void WatchStream::send_events(const Sight& sight, WatchOutput& out) {
  wire::WatchEvents message;
  std::size_t left = room();
  for (wire::WatchEvent& event : sight.events.since(next_event_, events_max)) {
    const std::size_t bytes = event_bytes + event.text.size();
    if (bytes > left) break;
    left -= bytes;
    next_event_ = event.sequence + 1;
    message.events.push_back(std::move(event));
  }
  if (!message.events.empty()) send(frame_of(stream_, message), out);
}

void WatchStream::on_time(const Sight& sight, TimePoint now, WatchOutput& out) {
  if (now < next_at_) return;
  next_at_ = now + interval;
  interval_bytes_left_ = bytes_per_interval_max;
  refusals_left_ = wire::sheet_refusals_max;
  while (send_members(sight, now, out)) continue;
  send_statuses(sight, now, out);
  send_events(sight, out);
  if (is_lost(sight, now)) out.hang_ups.push_back(stream_);
}

// It is too far behind, or something waits for credit that it does not give.
bool WatchStream::is_lost(const Sight& sight, TimePoint now) {
  if (members_.size() > wire::members_max) return true;
  const bool is_behind = !members_.empty() || !cells_.empty() || !link_.empty() ||
                         next_event_ < sight.events.next_sequence();
  if (!is_behind || credit_ >= credit_min) {
    starved_since_.reset();
    return false;
  }
  if (!starved_since_) starved_since_ = now;
  return *starved_since_ + patience <= now;
}

}  // namespace quadrille::peer

#include "wire/watch_messages.hpp"

#include <watch_generated.h>

#include <algorithm>

#include "base/check.hpp"
#include "wire/flat_values.hpp"
#include "wire/limits.hpp"
#include "wire/text.hpp"
#include "wire/verified.hpp"

namespace quadrille::wire {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;

template <class Root>
ByteBuffer finish_watch(Builder& builder, flatbuffers::Offset<Root> root) {
  ByteBuffer body = finished(builder, root, flat::WatchBeginIdentifier());
  CHECK(body.size() <= control_frame_bytes_max, body.size());
  return body;
}

template <class Root>
Result<Verified<Root>> open_watch(Bytes body) {
  return verified<Root>(body, flat::WatchBeginIdentifier());
}

// Nothing of an element of a list is smaller: its place and its vtable's offset.
constexpr std::size_t element_bytes_min = 8;

flatbuffers::Offset<flat::WatchedMember> write(Builder& builder, const WatchedMember& member) {
  CHECK(member.record.size() <= record_bytes_max, member.record.size());
  const auto record = write_bytes(builder, member.record);
  const flat::PeerId id = flat_of(member.id);
  return flat::CreateWatchedMember(builder, static_cast<flat::MemberState>(member.state), &id,
                                   member.since_seconds, record);
}

WatchedMember read(const flat::WatchedMember& member) {
  const Bytes record = value_of(member.record());
  return {.state = enum_of<MemberState::Left>(member.state()),
          .id = value_of(member.id()),
          .since_seconds = member.since_seconds(),
          .record = {record.begin(), record.end()}};
}

flatbuffers::Offset<flat::WatchEvent> write(Builder& builder, const WatchEvent& event) {
  const auto text = builder.CreateString(fitting_line(event.text, reason_bytes_max));
  const flat::PeerId peer = flat_of(event.peer);
  return flat::CreateWatchEvent(
      builder, event.sequence, event.unix_milliseconds, static_cast<flat::EventKind>(event.kind),
      &peer, event.cell.value_or(CellIndex{}).value, text, event.cell.has_value());
}

WatchEvent read(const flat::WatchEvent& event) {
  return {.sequence = event.sequence(),
          .unix_milliseconds = event.unix_milliseconds(),
          .kind = enum_of<EventKind::Notice>(event.kind()),
          .peer = value_of(event.peer()),
          .cell = event.has_cell() ? std::optional(CellIndex{event.cell()}) : std::nullopt,
          .text = std::string(value_of(event.text()))};
}

bool is_side(std::uint16_t side) {
  return side >= 1 && side <= grid_side_max;
}

}  // namespace

ByteBuffer encode(const WatchBegin& message) {
  CHECK(is_side(message.grid.rows), message.grid.rows);
  CHECK(is_side(message.grid.columns), message.grid.columns);
  CHECK(is_side(message.column_stride), message.column_stride);
  Builder builder;
  const auto run_name = builder.CreateString(fitting_line(message.run_name, reason_bytes_max));
  const flat::RunId run = flat_of(message.run);
  const flat::PeerId watched = flat_of(message.watched);
  const flat::GridEpoch grid = flat_of(message.grid);
  return finish_watch(builder, flat::CreateWatchBegin(builder, &run, &watched, run_name, &grid,
                                                      message.column_stride));
}

Result<WatchBegin> decode_watch_begin(Bytes body) {
  TRY(root, open_watch<flat::WatchBegin>(body));
  WatchBegin message{.run = value_of(root->run()),
                     .watched = value_of(root->watched()),
                     .run_name = std::string(value_of(root->run_name())),
                     .grid = value_of(root->grid()),
                     .column_stride = root->column_stride()};
  if (message.run_name.size() > reason_bytes_max || !is_line(message.run_name))
    return corrupt("WatchBegin", "the run's name is too long or no line");
  if (!is_side(message.grid.rows) || !is_side(message.grid.columns) ||
      !is_side(message.column_stride))
    return corrupt("WatchBegin", "a grid that there cannot be");
  return message;
}

ByteBuffer encode(const WatchMembers& message) {
  Builder builder;
  std::vector<flatbuffers::Offset<flat::WatchedMember>> members;
  for (const WatchedMember& member : message.members) members.push_back(write(builder, member));
  return finish_watch(builder, flat::CreateWatchMembers(builder, builder.CreateVector(members)));
}

Result<WatchMembers> decode_watch_members(Bytes body) {
  TRY(root, open_watch<flat::WatchMembers>(body));
  WatchMembers message;
  if (root->members() == nullptr) return message;
  Allowance allowance = root.allowance();
  for (const flat::WatchedMember* member : *root->members()) {
    const std::size_t record_bytes = value_of(member->record()).size();
    if (record_bytes > record_bytes_max)
      return corrupt("WatchMembers", "a record of " + std::to_string(record_bytes) + " bytes");
    if (!allowance.take(element_bytes_min + record_bytes))
      return corrupt("WatchMembers", "its members share their bytes");
    message.members.push_back(read(*member));
  }
  return message;
}

ByteBuffer encode(const WatchStatuses& message) {
  Builder builder;
  const auto statuses = write_list<flat::CellStatus>(builder, message.statuses);
  return finish_watch(builder, flat::CreateWatchStatuses(builder, statuses));
}

Result<WatchStatuses> decode_watch_statuses(Bytes body) {
  TRY(root, open_watch<flat::WatchStatuses>(body));
  TRY(statuses, read_list<CellStatus>(root->statuses(), "WatchStatuses"));
  return WatchStatuses{std::move(statuses)};
}

ByteBuffer encode(const WatchEvents& message) {
  Builder builder;
  std::vector<flatbuffers::Offset<flat::WatchEvent>> events;
  for (const WatchEvent& event : message.events) events.push_back(write(builder, event));
  return finish_watch(builder, flat::CreateWatchEvents(builder, builder.CreateVector(events)));
}

Result<WatchEvents> decode_watch_events(Bytes body) {
  TRY(root, open_watch<flat::WatchEvents>(body));
  WatchEvents message;
  if (root->events() == nullptr) return message;
  Allowance allowance = root.allowance();
  for (const flat::WatchEvent* event : *root->events()) {
    const std::string_view text = value_of(event->text());
    if (text.size() > reason_bytes_max || !is_line(text))
      return corrupt("WatchEvents", "a text that is too long or no line");
    if (!allowance.take(element_bytes_min + text.size()))
      return corrupt("WatchEvents", "its events share their bytes");
    message.events.push_back(read(*event));
  }
  return message;
}

}  // namespace quadrille::wire

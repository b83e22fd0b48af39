// Watchers of a peer, and the sheets that are fetched for them.
#include "peer/parts.hpp"

#include <utility>

namespace quadrille::peer {

void Peer::Parts::begin_watch(const Sessions::Party& party, Now now) {
  watchers.try_emplace(party.stream, party.stream, watch_begin(), sight(), now.time, from_watch);
  statuses.set_watched(true);
}

void Peer::Parts::end_watch(StreamId stream) {
  watchers.erase(stream);
  statuses.set_watched(!watchers.empty());
}

void Peer::Parts::carry_watch(Now now, Effects& out) {
  WatchOutput output = std::exchange(from_watch, {});
  carry_streams({output.offences, output.frames, output.hang_ups}, now, out);
  for (const StreamId stream : output.hang_ups) end_watch(stream);
  for (const WatchOutput::SheetWish& wish : output.wishes) {
    const std::optional<PeerId> owner = placement.owner(wish.cell);
    if (!owner) {
      on_sheet(wish, {});
      continue;
    }
    const FetchId fetch = objects.fetch(
        *owner, {.kind = wire::ObjectKind::Sheet, .cell = wish.cell}, now.time, from_objects);
    sheet_fetches.emplace(fetch, wish);
  }
}

void Peer::Parts::on_sheet(const WatchOutput::SheetWish& wish,
                           const ObjectsOutput::Answer& answer) {
  const auto watcher = watchers.find(wish.stream);
  if (watcher != watchers.end())
    watcher->second.on_sheet(wish.request, answer.round, answer.payload, from_watch);
}

void Peer::Parts::step_watch(Now now) {
  if (watchers.empty()) return;
  const std::vector<CellIndex> changed = statuses.take_changed();
  for (auto& [stream, watcher] : watchers) {
    watcher.note_statuses(changed);
    if (watcher.wake_at() <= now.time) watcher.on_time(sight(), now.time, from_watch);
  }
}

wire::WatchBegin Peer::Parts::watch_begin() const {
  return {.run = options.run,
          .watched = self,
          .run_name = options.run_name,
          .grid = placement.grid().epoch,
          .column_stride = placement.grid().stride};
}

WatchStream::Sight Peer::Parts::sight() const {
  return {.view = membership.view(), .statuses = statuses, .events = events};
}

}  // namespace quadrille::peer

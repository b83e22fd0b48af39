#include "peer/objects/objects.hpp"

#include <algorithm>

namespace quadrille::peer {

FetchId Objects::ask(PeerId peer, wire::ObjectKind kind, CellIndex cell, TimePoint now,
                     ObjectsOutput& out) {
  const FetchId fetch{++fetches_};
  const wire::ObjectRequest what{.request = fetch.value, .kind = kind, .cell = cell};
  if (peer == self_) {
    const std::optional<Round> round = server_.held(kind, cell);
    out.answers.push_back({.fetch = fetch,
                           .cell = cell,
                           .found = round.has_value(),
                           .round = round.value_or(Round{}),
                           .payload = nullptr});
  } else {
    fetcher_.want(peer, {.fetch = fetch, .what = what, .is_question = true}, now, out);
  }
  return fetch;
}

FetchId Objects::fetch(PeerId peer, const wire::ObjectRequest& what, TimePoint now,
                       ObjectsOutput& out) {
  const FetchId fetch{++fetches_};
  wire::ObjectRequest numbered = what;
  numbered.request = fetch.value;
  if (peer == self_) {
    server_.serve_self(fetch, numbered, now, out);
  } else {
    fetcher_.want(peer, {.fetch = fetch, .what = numbered, .is_question = false}, now, out);
  }
  return fetch;
}

void Objects::on_dialled(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out) {
  fetcher_.on_dialled(peer, stream, now, out);
}

void Objects::on_dial_failed(PeerId peer, ObjectsOutput& out) {
  fetcher_.on_dial_failed(peer, out);
}

void Objects::on_busy(PeerId peer, TimePoint now) {
  fetcher_.on_busy(peer, now);
}

void Objects::on_accepted(PeerId peer, StreamId stream, TimePoint now, ObjectsOutput& out) {
  server_.on_accepted(peer, stream, now, out);
}

void Objects::on_closed(StreamId stream, ObjectsOutput& out) {
  fetcher_.on_closed(stream, out);
  server_.on_closed(stream);
}

void Objects::on_frame(StreamId stream, const wire::Frame& frame, TimePoint now,
                       ObjectsOutput& out) {
  // Each knows its own streams, and passes over the other's and those that were hung up.
  fetcher_.on_frame(stream, frame, now, out);
  server_.on_frame(stream, frame, now, out);
}

void Objects::on_report(const WorkerReport& report, ObjectsOutput& out) {
  server_.on_report(report, out);
}

void Objects::on_released(CellIndex cell) {
  server_.on_released(cell);
}

void Objects::on_kept(CellIndex cell, std::optional<Round> round) {
  server_.on_kept(cell, round);
}

void Objects::allow_handover(CellIndex cell, std::optional<PeerId> to, ObjectsOutput& out) {
  server_.allow_handover(cell, to, out);
}

void Objects::on_time(TimePoint now, ObjectsOutput& out) {
  fetcher_.on_time(now, out);
  server_.on_time(now, out);
}

TimePoint Objects::wake_at() const {
  return std::min(fetcher_.wake_at(), server_.wake_at());
}

}  // namespace quadrille::peer

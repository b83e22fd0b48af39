// Streams of a peer: which part each belongs to, and what its end means to that part.
#include "peer/parts.hpp"

#include <utility>
#include <variant>

#include "base/overloaded.hpp"
#include "base/printed.hpp"

namespace quadrille::peer {

using wire::StreamPurpose;

namespace {

// Who only looks may not even know the run: nothing that it says of itself counts.
bool is_of_members(StreamPurpose purpose) {
  return purpose != StreamPurpose::Watch && purpose != StreamPurpose::RunSpec;
}

}  // namespace

// A peer may have several endpoints: each attempt tries the next.
void Peer::Parts::dial(PeerId peer, StreamPurpose purpose, Now now, Effects& out) {
  std::optional<StreamId> stream;
  if (const wire::PeerRecord* record = live_record(peer)) {
    const std::vector<wire::Endpoint>& endpoints = record->endpoints;
    const auto failed = failed_dials.find(peer);
    const std::size_t attempt = failed == failed_dials.end() ? 0 : failed->second;
    stream = sessions.dial(
        {.to = endpoints[attempt % endpoints.size()], .expected = peer, .purpose = purpose},
        now.time, out);
  }
  if (stream) return;
  if (purpose == StreamPurpose::Exchange)
    exchange.on_dial_failed(peer, now.time);
  else
    objects.on_dial_failed(peer, from_objects);
}

void Peer::Parts::on_stream_event(const Sessions::Event& event, Now now, Effects& out) {
  std::visit(Overloaded{[&](const Sessions::Opened& opened) { on_stream_opened(opened, now, out); },
                        [&](const Sessions::Arrived& arrived) { on_frame(arrived, now, out); },
                        [&](const Sessions::Ended& ended) { on_stream_ended(ended, now, out); }},
             event);
  settle(now, out);
}

void Peer::Parts::on_stream_opened(const Sessions::Opened& opened, Now now, Effects& out) {
  if (is_of_members(opened.party.purpose))
    if (const Result<void> met = meet(opened.party.peer, opened.record, now); !met)
      return on_stream_offence(opened.party.stream, met.error().detail, now, out);
  if (opened.party.dialled) {
    failed_dials.erase(opened.party.peer);
    on_dialled_open(opened.party, now, out);
  } else {
    on_accepted_open(opened.party, now, out);
  }
  send_sync(out);
}

void Peer::Parts::carry_streams(const StreamOutput& output, Now now, Effects& out) {
  for (const Offence& offence : output.offences)
    on_stream_offence(offence.stream, offence.reason, now, out);
  for (const OutFrame& frame : output.frames) sessions.send(frame, out);
  for (const StreamId stream : output.hang_ups) sessions.close(stream, out);
}

void Peer::Parts::send_sync(Effects& out) {
  for (const OutFrame& frame : std::exchange(from_sync, {})) sessions.send(frame, out);
}

// Who dials may be a newcomer of whom gossip has not come this far.
Result<void> Peer::Parts::meet(PeerId peer, Bytes record, Now now) {
  if (record.empty()) return {};
  TRY(decoded, wire::decode_peer_record(record));
  if (decoded.id != peer)
    return failure(ErrorCode::Corrupt, "a Hello with the record of another peer");
  membership.meet({.kind = wire::UpdateKind::Alive,
                   .subject = peer,
                   .incarnation = decoded.incarnation,
                   .version = decoded.version,
                   .record = ByteBuffer(record.begin(), record.end())},
                  now.time, from_membership);
  return {};
}

void Peer::Parts::on_accepted_open(const Sessions::Party& party, Now now, Effects& out) {
  switch (party.purpose) {
    case StreamPurpose::Sync:
      anti_entropy.on_opened(party, membership, now.time, from_sync);
      break;
    case StreamPurpose::Exchange:
      exchange.on_accepted(party.peer, party.stream, now.time, from_exchange);
      break;
    case StreamPurpose::Object:
      objects.on_accepted(party.peer, party.stream, now.time, from_objects);
      break;
    case StreamPurpose::RunSpec:
      sessions.send(
          frame_of(party.stream, wire::RunSpecText{.run = options.run, .toml = options.run_spec}),
          out);
      sessions.close(party.stream, out);
      break;
    case StreamPurpose::Watch:
      begin_watch(party, now);
      break;
    case StreamPurpose::Probe:  // the Welcome was the answer
      sessions.close(party.stream, out);
      break;
    case StreamPurpose::Unknown:
      break;
  }
}

void Peer::Parts::on_dialled_open(const Sessions::Party& party, Now now, Effects& out) {
  switch (party.purpose) {
    case StreamPurpose::Sync:
      anti_entropy.on_opened(party, membership, now.time, from_sync);
      break;
    case StreamPurpose::Exchange:
      exchange.on_dialled(party.peer, party.stream, now.time, from_exchange);
      break;
    case StreamPurpose::Object:
      objects.on_dialled(party.peer, party.stream, now.time, from_objects);
      break;
    case StreamPurpose::Probe:
      membership.on_stream_answer(party.peer);
      sessions.close(party.stream, out);
      break;
    case StreamPurpose::RunSpec:
    case StreamPurpose::Watch:
    case StreamPurpose::Unknown:
      break;  // a member dials none of these
  }
}

void Peer::Parts::on_frame(const Sessions::Arrived& arrived, Now now, Effects& out) {
  const StreamId stream = arrived.party.stream;
  switch (arrived.party.purpose) {
    case StreamPurpose::Sync:
      on_sync_frame(arrived, now, out);
      break;
    case StreamPurpose::Exchange:
      exchange.on_frame(stream, arrived.frame, now.time, from_exchange);
      break;
    case StreamPurpose::Object:
      objects.on_frame(stream, arrived.frame, now.time, from_objects);
      break;
    case StreamPurpose::Watch:
      if (const auto watcher = watchers.find(stream); watcher != watchers.end())
        watcher->second.on_frame(arrived.frame, from_watch);
      break;
    case StreamPurpose::Probe:
    case StreamPurpose::RunSpec:
    case StreamPurpose::Unknown:
      on_stream_offence(stream, "a frame where none belongs", now, out);
      break;
  }
}

void Peer::Parts::on_sync_frame(const Sessions::Arrived& arrived, Now now, Effects& out) {
  const StreamId stream = arrived.party.stream;
  const Result<AntiEntropy::Progress> progress = anti_entropy.on_frame(
      arrived.party, arrived.frame, membership, now.time, from_membership, from_sync);
  send_sync(out);
  if (const auto fault = std::exchange(from_membership.unreadable, std::nullopt)) {
    on_stream_offence(stream, *fault, now, out);
  } else if (!progress) {
    on_stream_offence(stream, progress.error().detail, now, out);
  } else if (*progress == AntiEntropy::Progress::Done) {
    sessions.close(stream, out);
    membership.on_sync_done(arrived.party.dialled ? std::optional(arrived.party.remote)
                                                  : std::nullopt);
  }
}

void Peer::Parts::on_stream_ended(const Sessions::Ended& ended, Now now, Effects& out) {
  if (ended.offence) on_offence(ended.party.remote, ended.reason, now, out);
  if (!ended.was_open) return on_never_opened(ended, now, out);
  switch (ended.party.purpose) {
    case StreamPurpose::Sync:
      anti_entropy.on_ended(ended.party.stream);
      if (ended.party.dialled) membership.on_sync_failed(ended.party.remote, now.time);
      break;
    case StreamPurpose::Exchange:
      exchange.on_closed(ended.party.stream, now.time, from_exchange);
      break;
    case StreamPurpose::Object:
      objects.on_closed(ended.party.stream, from_objects);
      break;
    case StreamPurpose::Watch:
      end_watch(ended.party.stream);
      break;
    case StreamPurpose::Probe:
    case StreamPurpose::RunSpec:
    case StreamPurpose::Unknown:
      break;
  }
}

void Peer::Parts::on_never_opened(const Sessions::Ended& ended, Now now, Effects& out) {
  const Sessions::Party& party = ended.party;
  if (!party.dialled) return;
  // Who is busy was found: there, and at no other of its endpoints, it is dialled again.
  const bool is_busy = ended.refusal == wire::RefusalReason::Busy;
  if (!is_busy && party.expected && live_record(*party.expected) != nullptr)
    ++failed_dials[*party.expected];
  if (ended.refusal == wire::RefusalReason::OtherRun ||
      ended.refusal == wire::RefusalReason::OtherVersion)
    note(wire::EventKind::Notice, {}, {}, printed("refused by ", party.remote, ": ", ended.reason),
         now, out);
  switch (party.purpose) {
    case StreamPurpose::Sync:
      if (ended.is_itself && !party.expected)
        forget_own_seed(party.remote, now);
      else
        membership.on_sync_failed(party.remote, now.time);
      break;
    case StreamPurpose::Exchange:
      exchange.on_dial_failed(*party.expected, now.time);
      break;
    case StreamPurpose::Object:
      if (is_busy)
        objects.on_busy(*party.expected, now.time);
      else
        objects.on_dial_failed(*party.expected, from_objects);
      break;
    case StreamPurpose::Probe:  // silence is its answer
    case StreamPurpose::RunSpec:
    case StreamPurpose::Watch:
    case StreamPurpose::Unknown:
      break;
  }
}

// The stream ends as for any other reason, so that its part learns of it.
void Peer::Parts::on_stream_offence(StreamId stream, const std::string& reason, Now now,
                                    Effects& out) {
  const Sessions::Party* party = sessions.party(stream);
  if (party == nullptr) return;
  const Sessions::Ended ended{.party = *party, .reason = reason, .offence = true, .was_open = true};
  sessions.refuse(stream, wire::RefusalReason::Malformed, reason, options.run, out);
  on_stream_ended(ended, now, out);
}

void Peer::Parts::on_offence(const wire::Endpoint& from, const std::string& reason, Now now,
                             Effects& out) {
  if (conduct.offence(from, now.time))
    note(wire::EventKind::PeerIgnored, {}, {},
         printed(from, " is ignored for a minute after ", Conduct::offences_max, " offences (of ",
                 conduct.offence_count(), " by all), the last: ", reason),
         now, out);
}

void Peer::Parts::step_streams(Now now, Effects& out) {
  while (const std::optional<Sessions::Ended> ended = sessions.take_overdue(now.time, out))
    on_stream_ended(*ended, now, out);
  for (const StreamId stream : anti_entropy.overdue(now.time)) {
    const Sessions::Party* party = sessions.party(stream);
    if (party == nullptr) continue;
    const Sessions::Ended ended{.party = *party, .reason = "took too long", .was_open = true};
    sessions.close(stream, out);
    on_stream_ended(ended, now, out);
  }
}

}  // namespace quadrille::peer

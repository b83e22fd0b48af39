#include "peer/session/sessions.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/printed.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

bool may_be_of_no_run(wire::StreamPurpose purpose) {
  return purpose == wire::StreamPurpose::RunSpec || purpose == wire::StreamPurpose::Watch;
}

bool is_one_for_each_peer(wire::StreamPurpose purpose) {
  return purpose == wire::StreamPurpose::Exchange || purpose == wire::StreamPurpose::Object;
}

// As far as is known: whoever is there may still be somebody else.
bool lives_at(const View* view, PeerId peer, const wire::Endpoint& from) {
  const Member* member = view == nullptr ? nullptr : view->find(peer);
  if (member == nullptr || !member->record) return false;
  return std::ranges::any_of(member->record->record.endpoints, [&](const wire::Endpoint& each) {
    return each.address == from.address;
  });
}

}  // namespace

std::optional<StreamId> Sessions::dial(const Dialling& what, TimePoint now, Effects& out) {
  if (sessions_.size() >= streams_max) return std::nullopt;
  const StreamId stream{next_dialled_};
  next_dialled_ += 2;
  Session session;
  session.party = {.stream = stream,
                   .purpose = what.purpose,
                   .dialled = true,
                   .remote = what.to,
                   .expected = what.expected};
  session.reader = wire::FrameReader(wire::StreamEnd::Dialler);
  add(std::move(session), now);
  out.streams.push_back(OpenStream{.stream = stream, .to = what.to});
  return stream;
}

void Sessions::on_opened(StreamId stream, const Introduction& self, TimePoint now, Effects& out) {
  Session* session = find(stream);
  if (session == nullptr || session->stage != Stage::Connecting) return;
  session->stage = Stage::Greeting;
  set_deadline(*session, now);
  session->own_hellos = own_hellos_;
  const wire::Hello hello{.version_min = wire::protocol_version_min,
                          .version_max = wire::protocol_version_max,
                          .run = self.run,
                          .sender = self.self,
                          .purpose = session->party.purpose,
                          .record = ByteBuffer(self.record.begin(), self.record.end())};
  send(frame_of(stream, hello), out);
}

std::optional<Sessions::Ended> Sessions::on_open_failed(StreamId stream) {
  return forget(stream, "no connection");
}

void Sessions::on_accepted(StreamId stream, const wire::Endpoint& from, TimePoint now,
                           Effects& out) {
  if (!has_room_for(from)) {
    out.streams.push_back(CloseStream{stream});
    return;
  }
  Session session;
  session.party = {.stream = stream, .dialled = false, .remote = from};
  session.stage = Stage::Greeting;
  add(std::move(session), now);
}

bool Sessions::has_room_for(const wire::Endpoint& from) const {
  struct Count {
    std::size_t all = 0;
    std::size_t greeting = 0;
  };
  Count everybody;
  Count of_address;
  for (const auto& [id, session] : sessions_) {
    if (session.party.dialled) continue;
    const std::size_t greeting = session.stage == Stage::Open ? 0 : 1;
    everybody.greeting += greeting;
    ++everybody.all;
    if (session.party.remote.address != from.address) continue;
    of_address.greeting += greeting;
    ++of_address.all;
  }
  return sessions_.size() < streams_max && everybody.all < accepted_max &&
         everybody.greeting < greeting_max && of_address.all < accepted_per_address_max &&
         of_address.greeting < greeting_per_address_max;
}

std::optional<Sessions::Ended> Sessions::on_closed(StreamId stream) {
  return forget(stream, "closed by the other end");
}

std::optional<Sessions::Ended> Sessions::forget(StreamId stream, std::string reason) {
  const auto found = sessions_.find(stream);
  if (found == sessions_.end()) return std::nullopt;
  Ended ended{.party = found->second.party,
              .reason = std::move(reason),
              .was_open = found->second.stage == Stage::Open};
  erase(stream);
  return ended;
}

std::optional<Sessions::Event> Sessions::take(StreamId stream, Bytes& in, const Introduction& self,
                                              TimePoint now, Effects& out) {
  while (true) {
    Session* session = find(stream);
    if (session == nullptr) in = {};  // it ended before these bytes came
    if (session == nullptr) return std::nullopt;
    Result<std::optional<wire::Frame>> frame = session->reader.take(in);
    if (!frame) return offend(*session, frame.error().detail, self.run, out);
    if (!*frame) return std::nullopt;
    session->heard_at = now;
    session->is_unanswered = false;
    if (session->stage == Stage::Open && (*frame)->header.type != wire::FrameType::Refusal)
      return Arrived{.party = session->party, .frame = **frame};
    if (std::optional<Event> event = greet(*session, **frame, self, now, out)) return event;
  }
}

// What is no ordinary frame: the first of each direction, and a refusal at any time.
std::optional<Sessions::Event> Sessions::greet(Session& session, const wire::Frame& frame,
                                               const Introduction& self, TimePoint now,
                                               Effects& out) {
  if (session.party.dialled) return read_answer(session, frame, self, out);
  if (session.stage == Stage::Open) return end(session, "refused by the other end", out);
  return answer_hello(session, frame, self, now, out);
}

std::optional<Sessions::Event> Sessions::answer_hello(Session& session, const wire::Frame& frame,
                                                      const Introduction& self, TimePoint now,
                                                      Effects& out) {
  if (frame.header.type != wire::FrameType::Hello)
    return offend(session, "the first frame is no Hello", self.run, out);
  Result<wire::Hello> hello = wire::decode_hello(frame.body);
  if (!hello) return offend(session, hello.error().detail, self.run, out);
  session.party.purpose = hello->purpose;
  session.party.peer = hello->sender;
  if (hello->sender == self.self) ++own_hellos_;
  if (const std::optional<wire::Refusal> refusal = objection(session.party, *hello, self, now)) {
    send(frame_of(session.party.stream, *refusal), out);
    return end(session, refusal->text, out);
  }
  open(session);
  const wire::Welcome welcome{.version = std::min(hello->version_max, wire::protocol_version_max),
                              .run = self.run,
                              .sender = self.self};
  send(frame_of(session.party.stream, welcome), out);
  return Opened{.party = session.party, .record = std::move(hello->record)};
}

std::optional<wire::Refusal> Sessions::objection(const Party& party, const wire::Hello& hello,
                                                 const Introduction& self, TimePoint now) const {
  using enum wire::RefusalReason;
  const auto refusal = [&](wire::RefusalReason reason, std::string text) {
    return wire::Refusal{.reason = reason, .text = std::move(text), .run = self.run};
  };
  if (hello.version_min > wire::protocol_version_max ||
      hello.version_max < wire::protocol_version_min)
    return refusal(OtherVersion,
                   printed("protocol versions ", hello.version_min, " to ", hello.version_max,
                           " offered; this peer speaks ", wire::protocol_version_min, " to ",
                           wire::protocol_version_max));
  if (hello.purpose == wire::StreamPurpose::Unknown)
    return refusal(OtherVersion, "a purpose of stream that this version does not know");
  if (hello.run != self.run && !(hello.run.unknown() && may_be_of_no_run(hello.purpose)))
    return refusal(OtherRun, printed("this peer trains run ", self.run, ", not ", hello.run,
                                     "; start it with the same run file"));
  if (hello.sender == self.self)
    return refusal(OtherPeer, "this is the peer itself: a seed list may name its own address");
  if ((hello.purpose == wire::StreamPurpose::Sync && count(hello.purpose) > sync_max) ||
      (hello.purpose == wire::StreamPurpose::Watch && count(hello.purpose) > watch_max))
    return refusal(Busy, "too many streams of this kind; try again in a moment");
  if (is_one_for_each_peer(hello.purpose) && place_is_taken(party, self.view, now))
    return refusal(Busy, "a stream of this peer from another address is in use; try again later");
  return std::nullopt;
}

Duration Sessions::patience_with(const Session& session) {
  if (session.is_unanswered) return unanswered_max;
  return session.party.purpose == wire::StreamPurpose::Object ? object_quiet_max : quiet_max;
}

bool Sessions::place_is_taken(const Party& newcomer, const View* view, TimePoint now) const {
  const auto keeps_it = [&](const Session& first) {
    const Party& party = first.party;
    if (party.dialled || first.stage != Stage::Open || party.peer != newcomer.peer ||
        party.purpose != newcomer.purpose || party.remote.address == newcomer.remote.address)
      return false;
    if (lives_at(view, party.peer, newcomer.remote) && !lives_at(view, party.peer, party.remote))
      return false;
    return now < first.heard_at + patience_with(first);
  };
  return std::ranges::any_of(sessions_, [&](const auto& entry) { return keeps_it(entry.second); });
}

std::optional<Sessions::Event> Sessions::read_answer(Session& session, const wire::Frame& frame,
                                                     const Introduction& self, Effects& out) {
  if (frame.header.type == wire::FrameType::Refusal) {
    const Result<wire::Refusal> refusal = wire::decode_refusal(frame.body);
    if (!refusal) return offend(session, refusal.error().detail, self.run, out);
    const bool is_itself =
        refusal->reason == wire::RefusalReason::OtherPeer && own_hellos_ > session.own_hellos;
    Ended ended = end(session, refusal->text, out);
    ended.refusal = refusal->reason;
    ended.is_itself = is_itself;
    return ended;
  }
  if (frame.header.type != wire::FrameType::Welcome)
    return offend(session, "a Hello was answered by something else", self.run, out);
  const Result<wire::Welcome> welcome = wire::decode_welcome(frame.body);
  if (!welcome) return offend(session, welcome.error().detail, self.run, out);
  if (welcome->version < wire::protocol_version_min ||
      welcome->version > wire::protocol_version_max)
    return offend(session, printed("Welcome chose version ", welcome->version), self.run, out);
  if (self.run != RunId{} && welcome->run != self.run)
    return offend(session, printed("Welcome to another run, ", welcome->run), self.run, out);
  session.party.peer = welcome->sender;
  if (session.party.expected && *session.party.expected != welcome->sender)
    return end(session, "another peer is at this address now", out);
  open(session);
  return Opened{.party = session.party, .record = {}};
}

std::optional<Sessions::Ended> Sessions::take_overdue(TimePoint now, Effects& out) {
  if (wake_at() > now) return std::nullopt;
  return end(sessions_.at(deadlines_.begin()->second), "no answer in time", out);
}

void Sessions::send(const OutFrame& frame, Effects& out) {
  Session* session = find(frame.stream);
  if (session == nullptr) return;
  SendBytes bytes{.stream = frame.stream};
  if (frame.tail) {
    session->is_unanswered = true;
    bytes.head = wire::encode_frame_header(frame.type, session->next_sequence++,
                                           frame.body.size() + frame.tail_bytes);
    bytes.head.insert(bytes.head.end(), frame.body.begin(), frame.body.end());
    bytes.tail = frame.tail;
    bytes.tail_offset = frame.tail_offset;
    bytes.tail_bytes = frame.tail_bytes;
  } else {
    bytes.head = wire::encode_frame(frame.type, session->next_sequence++, frame.body);
  }
  out.streams.push_back(std::move(bytes));
}

void Sessions::close(StreamId stream, Effects& out) {
  if (erase(stream)) out.streams.push_back(CloseStream{stream});
}

void Sessions::refuse(StreamId stream, wire::RefusalReason reason, const std::string& text,
                      RunId run, Effects& out) {
  const wire::Refusal refusal{.reason = reason, .text = text, .run = run};
  send(frame_of(stream, refusal), out);
  close(stream, out);
}

std::size_t Sessions::count(wire::StreamPurpose purpose) const {
  return static_cast<std::size_t>(std::ranges::count_if(sessions_, [&](const auto& entry) {
    return entry.second.party.purpose == purpose && !entry.second.party.dialled;
  }));
}

const Sessions::Party* Sessions::party(StreamId stream) const {
  const auto found = sessions_.find(stream);
  return found == sessions_.end() ? nullptr : &found->second.party;
}

void Sessions::add(Session session, TimePoint now) {
  const StreamId stream = session.party.stream;
  const auto [added, is_new] = sessions_.emplace(stream, std::move(session));
  if (is_new) set_deadline(added->second, now);
}

void Sessions::set_deadline(Session& session, TimePoint now) {
  deadlines_.erase({session.deadline, session.party.stream});
  session.deadline = now + greeting_deadline;
  deadlines_.insert({session.deadline, session.party.stream});
}

void Sessions::open(Session& session) {
  deadlines_.erase({session.deadline, session.party.stream});
  session.stage = Stage::Open;
  session.reader.open();
}

bool Sessions::erase(StreamId stream) {
  const auto found = sessions_.find(stream);
  if (found == sessions_.end()) return false;
  deadlines_.erase({found->second.deadline, stream});
  sessions_.erase(found);
  return true;
}

Sessions::Session* Sessions::find(StreamId stream) {
  const auto found = sessions_.find(stream);
  return found == sessions_.end() ? nullptr : &found->second;
}

Sessions::Ended Sessions::end(Session& session, std::string reason, Effects& out) {
  Ended ended{.party = session.party,
              .reason = std::move(reason),
              .was_open = session.stage == Stage::Open};
  close(session.party.stream, out);
  return ended;
}

Sessions::Ended Sessions::offend(Session& session, std::string reason, RunId run, Effects& out) {
  Ended ended{.party = session.party,
              .reason = std::move(reason),
              .offence = true,
              .was_open = session.stage == Stage::Open};
  refuse(session.party.stream, wire::RefusalReason::Malformed, ended.reason, run, out);
  return ended;
}

}  // namespace quadrille::peer

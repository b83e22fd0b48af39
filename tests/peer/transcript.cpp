#include "peer/transcript.hpp"

#include <boost/test/unit_test.hpp>

#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <variant>

#include "base/overloaded.hpp"
#include "base/printed.hpp"
#include "peer/session/stream_pair.hpp"
#include "wire/datagram.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"

namespace quadrille::peer::test {
namespace {

// Peers of transcripts have small ids; a drawn one shows its first digits.
std::string name_of(PeerId peer) {
  return printed(peer).substr(peer.high == 0 ? 24 : 0, 8);
}

std::string edge(const wire::EdgeId& id) {
  return printed(id.source, "->", id.reader);
}

std::string describe(const wire::ObjectInfo& info) {
  return info.found ? printed("ObjectInfo: round ", info.round) : "ObjectInfo: nothing";
}

std::string describe(const wire::Message& message) {
  return std::visit(
      Overloaded{[](const wire::Gossip&) { return printed("Gossip"); },
                 [](const wire::Ping& m) {
                   return printed("Ping ", m.sequence, " of ", name_of(m.target));
                 },
                 [](const wire::PingRequest& m) {
                   return printed("PingRequest ", m.sequence, " of ", name_of(m.target));
                 },
                 [](const wire::Ack& m) { return printed("Ack ", m.sequence); },
                 [](const wire::Nack& m) { return printed("Nack ", m.sequence); },
                 [](const wire::CompareViews& m) {
                   return printed("CompareViews", m.is_answer ? " (answer)" : "");
                 },
                 [](const wire::YieldRequest& m) {
                   return printed("YieldRequest ", m.sequence, " holding ", m.cells_held);
                 },
                 [](const wire::YieldReply& m) {
                   return printed("YieldReply ", m.sequence, m.granted ? " granted" : " refused");
                 },
                 [](const std::monostate&) { return printed("(a later version's message)"); }},
      message);
}

std::string describe(const wire::WatchEvent& event) {
  static constexpr const char* names[] = {"Unknown",     "Joined",   "Suspected",    "Refuted",
                                          "Died",        "Left",     "CellGained",   "CellLost",
                                          "CellAdopted", "GridGrew", "EdgeKeyframe", "EdgeFault",
                                          "PeerIgnored", "Notice"};
  std::ostringstream out;
  out << "event: " << names[static_cast<int>(event.kind)];
  if (event.peer != PeerId{}) out << ' ' << name_of(event.peer);
  if (event.cell) out << " cell " << *event.cell;
  if (!event.text.empty()) out << ": " << event.text;
  return std::move(out).str();
}

std::string describe_command(const WorkerCommand& command) {
  return std::visit(
      Overloaded{
          [](const StartCell& c) {
            static constexpr const char* origins[] = {"fresh", "from its checkpoint",
                                                      "from a state", "from a snapshot"};
            const auto* snapshot = std::get_if<StartFromSnapshot>(&c.origin);
            return printed("start cell ", c.cell, ' ', origins[c.origin.index()],
                           snapshot ? printed(", to go on in round ", snapshot->jump_to) : "");
          },
          [](const ReleaseCell& c) { return printed("release cell ", c.cell); },
          [](const AdvanceCell& c) {
            std::ostringstream out;
            out << "advance cell " << c.cell;
            for (const auto& input : c.snapshots)
              out << " with " << edge(input.edge) << ' ' << input.round;
            if (c.deadline_passed) out << " (out of patience)";
            return std::move(out).str();
          },
          [](const OpenSendingEdge& c) { return printed("open sending edge ", edge(c.edge)); },
          [](const EncodePayload& c) {
            return printed("encode ", c.keyframe ? "keyframe " : "", edge(c.edge));
          },
          [](const CloseSendingEdge& c) { return printed("close sending edge ", edge(c.edge)); },
          [](const OpenReceivingEdge& c) { return printed("open receiving edge ", edge(c.edge)); },
          [](const ApplyPayload& c) {
            return printed("apply ", edge(c.edge), " version ", c.version, " round ", c.round);
          },
          [](const CloseReceivingEdge& c) {
            return printed("close receiving edge ", edge(c.edge));
          },
          [](const SaveState& c) {
            return printed("save state of cell ", c.cell, c.park ? " and park it" : "");
          },
          [](const ResumeCell& c) { return printed("resume cell ", c.cell); },
          [](const PackSnapshot& c) { return printed("pack snapshot of cell ", c.cell); },
          [](const DrawSheet& c) { return printed("draw sheet of cell ", c.cell); },
          [](const GrowGrid& c) {
            return printed("grow grid to ", c.grid.rows, 'x', c.grid.columns);
          },
          [](const KeepState& c) { return printed("keep state of cell ", c.cell); }},
      command);
}

}  // namespace

std::string describe_update(const wire::Update& update) {
  static constexpr const char* names[] = {"Unknown", "Alive", "Suspect", "Dead", "Left"};
  std::ostringstream out;
  out << names[static_cast<int>(update.kind)] << ' ' << name_of(update.subject) << '@'
      << update.incarnation;
  if (update.kind == wire::UpdateKind::Suspect || update.kind == wire::UpdateKind::Dead)
    out << " by " << name_of(update.accuser);
  if (update.kind != wire::UpdateKind::Alive) return std::move(out).str();
  out << '.' << update.version;
  const Result<wire::PeerRecord> record = wire::decode_peer_record(update.record);
  if (!record) return std::move(out).str() + " (no record)";
  if (record->leaving) out << " leaving";
  for (const wire::ClaimRun& run : record->claims)
    out << " claims " << run.first << '+' << run.count << '#' << run.stamp;
  for (const wire::CellYield& yield : record->yields)
    out << " yields " << yield.first << '+' << yield.count << " to " << name_of(yield.to);
  return std::move(out).str();
}

std::string describe_datagram(Bytes bytes) {
  const Result<wire::Datagram> datagram = wire::decode_datagram(bytes);
  if (!datagram) return "(" + datagram.error().detail + ")";
  std::string text = describe(datagram->message);
  for (const wire::Update& update : datagram->updates) text += "; " + describe_update(update);
  for (const wire::CellStatus& status : datagram->statuses)
    text += printed("; status of cell ", status.cell, " round ", status.round);
  return text;
}

std::string describe_frame(const wire::Frame& frame) {
  using enum wire::FrameType;
  const Bytes body = frame.body;
  switch (frame.header.type) {
    case Hello: {
      static constexpr const char* purposes[] = {"Unknown",  "Probe",  "RunSpec", "Sync",
                                                 "Exchange", "Object", "Watch"};
      return printed("Hello for ", purposes[static_cast<int>(wire::decode_hello(body)->purpose)]);
    }
    case Welcome:
      return "Welcome";
    case Refusal:
      return "Refusal: " + wire::decode_refusal(body)->text;
    case RunSpec:
      return "RunSpec";
    case Digest:
      return "Digest";
    case State: {
      std::string text = "State";
      const Result<wire::State> state = wire::decode_state(body);
      for (const wire::Update& update : state->updates) text += "; " + describe_update(update);
      return text;
    }
    case StateEnd:
      return printed("StateEnd, ",
                     std::ranges::count(wire::decode_state_end(body)->differing, true),
                     " buckets differ");
    case Subscribe: {
      const auto m = wire::decode_subscribe(body);
      return printed("Subscribe ", edge(m->edge), " from version ", m->version);
    }
    case Unsubscribe:
      return printed("Unsubscribe ", edge(wire::decode_unsubscribe(body)->edge));
    case PayloadBegin: {
      const auto m = wire::decode_payload_begin(body);
      return printed("PayloadBegin ", edge(m->edge), " round ", m->round, " version ",
                     m->base_version, " to ", m->version);
    }
    case Chunk:
      return printed("Chunk of ", wire::decode_chunk(body)->bytes.size(), " bytes");
    case Credit:
      return printed("Credit ", wire::decode_credit(body)->bytes);
    case PayloadApplied: {
      const auto m = wire::decode_payload_applied(body);
      return printed("PayloadApplied ", edge(m->edge), " version ", m->version);
    }
    case PayloadRefused:
      return printed("PayloadRefused ", edge(wire::decode_payload_refused(body)->edge));
    case ObjectQuery:
      return printed("ObjectQuery for cell ", wire::decode_object_query(body)->cell);
    case ObjectInfo:
      return describe(*wire::decode_object_info(body));
    case ObjectRequest: {
      const auto m = wire::decode_object_request(body);
      return printed("ObjectRequest for cell ", m->cell, m->hand_over ? ", to take it over" : "");
    }
    case ObjectBegin:
      return printed("ObjectBegin, ", wire::decode_object_begin(body)->bytes, " bytes");
    default:
      return printed("frame of type ", static_cast<int>(frame.header.type));
  }
}

void Transcript::at(TimePoint now) {
  const auto milliseconds =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.since_start).count();
  say(printed("\nat ", milliseconds / 1000, '.', std::setw(3), std::setfill('0'),
              milliseconds % 1000, " s"));
}

void Transcript::record(const Effects& effects) {
  for (const SendDatagram& sent : effects.datagrams) record(sent);
  for (const Effects::StreamAction& action : effects.streams) record(action);
  for (const WorkerCommand& command : effects.commands)
    say("  -> worker: " + describe_command(command));
  for (const wire::WatchEvent& event : effects.events) say("  -> " + describe(event));
  if (effects.has_left) say("  -> has left");
}

void Transcript::record(const SendDatagram& sent) {
  say(printed("  -> ", sent.to, " (", sent.bytes.size(),
              " bytes): ", describe_datagram(sent.bytes)));
}

void Transcript::record(const Effects::StreamAction& action) {
  std::visit(
      Overloaded{
          [&](const OpenStream& open) { say(printed("  -> open ", open.stream, " to ", open.to)); },
          [&](const SendBytes& sent) {
            const ByteBuffer buffer = bytes_of(sent);
            Bytes bytes = buffer;
            const bool is_dialled = sent.stream.value % 2 == 1;
            wire::FrameReader& reader =
                readers_
                    .try_emplace(sent.stream,
                                 is_dialled ? wire::StreamEnd::Listener : wire::StreamEnd::Dialler)
                    .first->second;
            while (!bytes.empty()) {
              const auto frame = reader.take(bytes);
              BOOST_REQUIRE_MESSAGE(frame.has_value(), frame.error().detail);
              reader.open();
              if (*frame) say(printed("  -> ", sent.stream, ": ", describe_frame(**frame)));
            }
          },
          [&](const CloseStream& closed) { say(printed("  -> close ", closed.stream)); }},
      action);
}

void check_golden(const std::string& name, const std::string& text) {
  const std::string path = std::string(QUADRILLE_SOURCE_DIR "/tests/golden/peer/") + name + ".txt";
  if (std::getenv("QUADRILLE_REWRITE_GOLDEN") != nullptr) std::ofstream(path) << text;
  std::ifstream file(path);
  const std::string expected((std::istreambuf_iterator<char>(file)), {});
  std::istringstream expected_lines(expected);
  std::istringstream lines(text);
  std::string expected_line;
  std::string actual_line;
  for (int number = 1; std::getline(lines, actual_line); ++number) {
    std::getline(expected_lines, expected_line);
    BOOST_REQUIRE_MESSAGE(actual_line == expected_line, name << ".txt:" << number << ": expected '"
                                                             << expected_line << "', and it was '"
                                                             << actual_line << "'");
  }
  BOOST_TEST(text.size() == expected.size());
}

}  // namespace quadrille::peer::test

// Two or more peers' Objects with a tiny worker each, joined by pipes that carry frames as they
// would travel: what one sends is encoded, and read by the other's frame reader.
#pragma once

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "peer/objects/objects.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer::test {

inline Payload payload_of(const std::string& text) {
  const Bytes bytes = std::as_bytes(std::span(text));
  return std::make_shared<const ByteBuffer>(bytes.begin(), bytes.end());
}

inline std::string text_of(const Payload& payload) {
  if (!payload) return "nothing";
  return {reinterpret_cast<const char*>(payload->data()), payload->size()};
}

// The bytes of frames as the other end reads them, one reader for each direction of a stream.
class Pipe {
 public:
  Pipe() { reader_.open(); }

  // Calls take(frame).
  template <class Take>
  void carry(const OutFrame& out, const Take& take) {
    ByteBuffer body = out.body;
    if (out.tail)
      body.insert(
          body.end(), out.tail->begin() + static_cast<std::ptrdiff_t>(out.tail_offset),
          out.tail->begin() + static_cast<std::ptrdiff_t>(out.tail_offset + out.tail_bytes));
    const ByteBuffer bytes = wire::encode_frame(out.type, next_sequence_++, body);
    Bytes in = bytes;
    const auto frame = reader_.take(in);
    BOOST_REQUIRE(frame.has_value());
    BOOST_REQUIRE(frame->has_value());
    take(**frame);
  }

 private:
  std::uint32_t next_sequence_ = 0;
  wire::FrameReader reader_;
};

// Answers SaveState, PackSnapshot and DrawSheet at once with a text that tells them apart; or keeps
// them, when it is slow.
struct ToyWorker {
  bool is_slow = false;
  bool is_empty = false;
  std::map<CellIndex, Round> rounds;
  std::string padding;  // behind each text, to make it long
  std::vector<std::string> log;
  std::vector<ObjectReady> held_back;

  std::optional<ObjectReady> carry_out(const WorkerCommand& command) {
    std::optional<ObjectReady> ready;
    if (const auto* save = std::get_if<SaveState>(&command))
      ready = make(save->cell, save->request, save->park ? "parked state" : "state");
    if (const auto* pack = std::get_if<PackSnapshot>(&command))
      ready = make(pack->cell, pack->request, "snapshot");
    if (const auto* draw = std::get_if<DrawSheet>(&command))
      ready = make(draw->cell, draw->request, "sheet");
    if (const auto* resume = std::get_if<ResumeCell>(&command))
      log.push_back("resume " + std::to_string(resume->cell.value));
    if (ready && is_slow) held_back.push_back(*std::exchange(ready, std::nullopt));
    return ready;
  }

 private:
  ObjectReady make(CellIndex cell, std::uint32_t request, const std::string& what) {
    const std::string text = what + " of " + std::to_string(cell.value);
    log.push_back(text);
    return {.request = request,
            .cell = cell,
            .round = rounds[cell],
            .payload = is_empty ? nullptr : payload_of(text + padding)};
  }
};

class ObjectWorld {
 public:
  struct Node {
    Node(PeerId peer, ObjectsOptions options) : objects(options, peer) {}
    Objects objects;
    ToyWorker worker;
    std::vector<ObjectsOutput::Answer> answers;
    std::vector<std::string> offences;
  };

  TimePoint now{std::chrono::seconds(1000)};
  std::map<PeerId, Node> nodes;
  std::set<PeerId> unreachable;
  std::set<PeerId> busy;  // refuse every stream as such
  std::set<PeerId> mute;  // whatever is sent to them is lost
  std::size_t dials = 0;
  std::size_t hang_ups = 0;

  Node& add(PeerId peer, ObjectsOptions options = {}) {
    return nodes.try_emplace(peer, peer, options).first->second;
  }

  // Carries out what the node asked for, and all that follows from it, in the order in which it
  // was said.
  void settle(PeerId peer, ObjectsOutput out) {
    outputs_.emplace_back(peer, std::move(out));
    if (std::exchange(is_settling_, true)) return;
    while (!outputs_.empty()) {
      const auto [next, output] = std::move(outputs_.front());
      outputs_.pop_front();
      carry_out(next, output);
    }
    is_settling_ = false;
  }

  void report(PeerId peer, const WorkerReport& report) {
    ObjectsOutput out;
    nodes.at(peer).objects.on_report(report, out);
    settle(peer, std::move(out));
  }

  void own(PeerId peer, CellIndex cell, Round round) {
    nodes.at(peer).worker.rounds[cell] = round;
    report(peer, CellStarted{.cell = cell, .round = round, .neighbours = {}});
  }

  // The next wake-ups up to `until`, in order of time.
  void run_until(TimePoint until) {
    while (true) {
      TimePoint soonest = until;
      for (auto& [peer, node] : nodes) soonest = std::min(soonest, node.objects.wake_at());
      now = std::max(now, soonest);
      if (soonest >= until) break;
      for (auto& [peer, node] : nodes) {
        ObjectsOutput out;
        node.objects.on_time(now, out);
        settle(peer, std::move(out));
        BOOST_REQUIRE((node.objects.wake_at() > now));
      }
    }
  }

  // A frame that the peer's code would not send.
  void carry(PeerId from, const OutFrame& frame) {
    const auto found = ends_.find({from, frame.stream});
    if (found == ends_.end()) return;
    const auto [to, stream] = found->second;
    if (mute.contains(to)) return;
    ObjectsOutput out;
    pipes_[{from, frame.stream}].carry(frame, [&](const wire::Frame& arrived) {
      nodes.at(to).objects.on_frame(stream, arrived, now, out);
    });
    settle(to, std::move(out));
  }

  void close(PeerId peer, StreamId stream) {
    const auto found = ends_.find({peer, stream});
    if (found == ends_.end()) return;
    const auto [other, other_stream] = found->second;
    ends_.erase(found);
    ends_.erase({other, other_stream});
    ObjectsOutput out;
    nodes.at(other).objects.on_closed(other_stream, out);
    settle(other, std::move(out));
  }

  // The newest stream's number at the dialler; at the listener it is one more.
  StreamId newest_stream() const { return {next_stream_ - 2}; }

 private:
  void carry_out(PeerId peer, const ObjectsOutput& out) {
    for (const PeerId to : out.dials) dial(peer, to);
    for (const OutFrame& frame : out.frames) carry(peer, frame);
    for (const StreamId stream : out.hang_ups) {
      ++hang_ups;
      close(peer, stream);
    }
    Node& node = nodes.at(peer);
    for (const auto& answer : out.answers) node.answers.push_back(answer);
    for (const auto& offence : out.offences) node.offences.push_back(offence.reason);
    for (const WorkerCommand& command : out.commands)
      if (const auto ready = node.worker.carry_out(command)) report(peer, *ready);
  }

  void dial(PeerId from, PeerId to) {
    ++dials;
    ObjectsOutput out;
    if (unreachable.contains(to)) {
      nodes.at(from).objects.on_dial_failed(to, out);
      return settle(from, std::move(out));
    }
    if (busy.contains(to)) return nodes.at(from).objects.on_busy(to, now);
    const StreamId here{next_stream_}, there{next_stream_ + 1};
    next_stream_ += 2;
    ends_[{from, here}] = {to, there};
    ends_[{to, there}] = {from, here};
    ObjectsOutput accepted;
    nodes.at(to).objects.on_accepted(from, there, now, accepted);
    settle(to, std::move(accepted));
    nodes.at(from).objects.on_dialled(to, here, now, out);
    settle(from, std::move(out));
  }

  using End = std::pair<PeerId, StreamId>;
  std::uint64_t next_stream_ = 1;
  std::map<End, End> ends_;
  std::map<End, Pipe> pipes_;
  std::deque<std::pair<PeerId, ObjectsOutput>> outputs_;
  bool is_settling_ = false;
};

}  // namespace quadrille::peer::test

// One real peer on a stage. Its partners are played by the test, with real bytes, and what goes in
// and what comes out is written down.
//
// Partners that are present answer pings, and what is only said again is not written down: so a
// transcript shows what happens, and not the heartbeat.
#pragma once

#include <chrono>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/partner.hpp"
#include "peer/peer.hpp"
#include "peer/transcript.hpp"
#include "wire/frame.hpp"

namespace quadrille::peer::test {

// peer-1 at address(1), of a run with this grid.
PeerOptions options_of(const Grid& grid, std::uint32_t capacity, std::vector<wire::Endpoint> seeds);

class Stage {
 public:
  explicit Stage(PeerOptions options, StoredPeer stored = {},
                 std::chrono::milliseconds since_1970 = std::chrono::seconds(1));

  Peer& peer() { return peer_; }
  TimePoint now() const { return now_; }
  std::string text() const { return transcript_.text(); }
  // All that came out since the last call, written down or not.
  Effects take_effects() { return std::exchange(seen_, {}); }

  void comment(const std::string& text) { transcript_.say(text); }
  // What happens until show() is not written down.
  void hide() { transcript_.hide(true); }
  void show() {
    transcript_.hide(false);
    written_at_.reset();
  }
  void start();
  void run_for(Duration time);
  void leave();

  void enter(const Partner& partner);  // it is there, and answers pings from now on
  void exit(const Partner& partner);   // it falls silent
  void say(const Partner& from, const wire::Message& message,
           const std::vector<wire::Update>& updates = {},
           const std::vector<wire::CellStatus>& statuses = {});
  void datagram(const wire::Endpoint& from, Bytes bytes, const std::string& what);

  // A stream that the partner dials, and on which it says Hello.
  StreamId come(const wire::Endpoint& from);
  StreamId dial(const Partner& from, wire::StreamPurpose purpose);
  StreamId dial(const wire::Endpoint& from, const wire::Hello& hello);
  // The first stream that the peer wants to this partner comes about; accept() welcomes it, too.
  StreamId connect(const Partner& partner);
  StreamId accept(const Partner& partner);
  void refuse(const Partner& partner);  // or there is no connection
  template <class Body>
  void frame(StreamId stream, wire::FrameType type, const Body& body) {
    frame(stream, type, wire::encode(body));
  }
  void frame(StreamId stream, wire::FrameType type, const ByteBuffer& body);
  void chunk(StreamId stream, std::uint32_t transfer, const ByteBuffer& bytes);
  void bytes(StreamId stream, Bytes bytes, const std::string& what);
  void hang_up(StreamId stream);

  // All that the peer sent on this stream.
  struct SentFrame {
    wire::FrameType type = wire::FrameType::Hello;
    ByteBuffer body;
  };
  std::vector<SentFrame> frames(StreamId stream) const;
  bool is_closed(StreamId stream) const { return closed_.contains(stream); }

  void report(const WorkerReport& report, const std::string& what);

  // The last of these messages that was sent there.
  template <class Message>
  std::optional<Message> sent(const Partner& to) const {
    std::optional<Message> last;
    for (const SendDatagram& each : seen_.datagrams) {
      if (each.to != to.endpoint()) continue;
      const Result<wire::Datagram> datagram = wire::decode_datagram(each.bytes);
      if (const auto* found = std::get_if<Message>(&datagram->message)) last = *found;
    }
    return last;
  }
  // The last command of this kind.
  template <class Command>
  Command last_command() const {
    const Command* last = nullptr;
    for (const WorkerCommand& each : commands_)
      if (const auto* found = std::get_if<Command>(&each)) last = found;
    CHECK(last != nullptr);
    return *last;
  }

 private:
  Now both_clocks() const;
  StreamId take_wanted(const Partner& partner);
  void in(const std::string& line);
  void out(const Effects& effects);
  bool says_something_new(const SendDatagram& sent);
  void answer_pings(const std::vector<SendDatagram>& datagrams);

  RecordPool pool_;
  TimePoint now_;
  std::chrono::milliseconds since_1970_;  // at its start
  Peer peer_;
  Transcript transcript_;
  std::optional<TimePoint> written_at_;
  std::map<wire::Endpoint, Partner> present_;
  bool is_answer_ = false;      // what comes out now, to a datagram
  std::set<std::string> told_;  // updates and statuses that were written down
  std::map<wire::Endpoint, std::deque<StreamId>> wanted_;  // and not yet connected
  std::set<StreamId> closed_;                              // by the peer
  std::map<StreamId, ByteBuffer> sent_;
  std::map<StreamId, std::uint32_t> sequences_;  // of the other end's next frame
  std::uint64_t next_accepted_ = 2;
  std::vector<WorkerCommand> commands_;
  Effects seen_;
};

}  // namespace quadrille::peer::test

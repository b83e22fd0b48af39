// All streams of a peer: who is at the other end, what for, and the frames that came whole.
//
//   dialler    Connecting --opened--> Greeting --Welcome--> Open --> closed
//   listener                          Greeting --Hello----> Open --> closed
//
// The caller takes events one by one, because a frame's body lies in the reader's memory.
//
// A Hello proves nothing yet: whoever can dial may say any peer's id. A peer has one stream of
// purpose Exchange here and one of purpose Object, and in the part that they belong to a second one
// takes the first one's place. So a second one is refused as Busy while the first is in use, unless
// it comes from where the first comes from (its other end may have begun anew before the end of the
// first is known here; a restarted process has another id), or from where the peer says that it
// lives, and the first does not.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/time.hpp"
#include "peer/effects.hpp"
#include "peer/membership/view.hpp"
#include "peer/stream.hpp"
#include "wire/endpoint.hpp"
#include "wire/frame.hpp"
#include "wire/session_messages.hpp"

namespace quadrille::peer {

// What this peer says of itself in a Hello; and whom it knows.
struct Introduction {
  RunId run;
  PeerId self;
  Bytes record;
  const View* view = nullptr;  // null: nobody
};

class Sessions {
 public:
  static constexpr std::size_t streams_max = 4096;
  static constexpr std::size_t accepted_max = 3072;  // of them: there is always room to dial
  // Behind one address may be a whole laboratory. A peer has two streams or three to each other one
  // that it reads, so that these are some hundreds of them.
  static constexpr std::size_t accepted_per_address_max = 1024;
  static constexpr std::size_t greeting_max = 256;             // accepted, and not yet introduced
  static constexpr std::size_t greeting_per_address_max = 16;  // a host may run several peers
  static constexpr std::size_t sync_max = 32;
  static constexpr std::size_t watch_max = 32;
  static constexpr Duration greeting_deadline = std::chrono::seconds(5);
  // A stream is in use for so long after the last frame that came on it.
  static constexpr Duration quiet_max = std::chrono::seconds(10);
  // Of purpose Object: as long as its other end waits for the worker here, say for a state to save.
  static constexpr Duration object_quiet_max = std::chrono::seconds(60);
  // The same, where a piece of a payload went out after that frame: a slow line carries one for
  // minutes before its receiver has anything to say.
  static constexpr Duration unanswered_max = std::chrono::seconds(120);

  struct Dialling {
    wire::Endpoint to;
    std::optional<PeerId> expected;  // another one at that address is a failure
    wire::StreamPurpose purpose = wire::StreamPurpose::Unknown;
  };
  struct Party {
    StreamId stream;
    wire::StreamPurpose purpose = wire::StreamPurpose::Unknown;
    bool dialled = false;
    wire::Endpoint remote;           // as dialled, or where it came from
    std::optional<PeerId> expected;  // of a stream that was dialled
    PeerId peer;                     // as it introduced itself
  };

  // The handshake is done. `record` is what the other end said of itself, undecoded.
  struct Opened {
    Party party;
    ByteBuffer record;
  };
  struct Arrived {
    Party party;
    wire::Frame frame;
  };
  // The stream is over, or never was; by an offence when `offence` says so.
  struct Ended {
    Party party;
    std::string reason;
    std::optional<wire::RefusalReason> refusal;  // that the other end gave
    bool offence = false;
    bool was_open = false;  // the handshake had been done
    // The other end is this peer: it refused as such, and this peer saw its own Hello come back.
    bool is_itself = false;
  };
  using Event = std::variant<Opened, Arrived, Ended>;

  // Asks the driver for a stream; on_opened() or on_open_failed() answers. None: too many.
  std::optional<StreamId> dial(const Dialling& what, TimePoint now, Effects& out);
  void on_opened(StreamId stream, const Introduction& self, TimePoint now, Effects& out);
  std::optional<Ended> on_open_failed(StreamId stream);
  void on_accepted(StreamId stream, const wire::Endpoint& from, TimePoint now, Effects& out);
  std::optional<Ended> on_closed(StreamId stream);

  // The next event that these bytes bring, from the front of `in`; none when they are used up.
  std::optional<Event> take(StreamId stream, Bytes& in, const Introduction& self, TimePoint now,
                            Effects& out);
  // Streams whose other end did not introduce itself in time.
  std::optional<Ended> take_overdue(TimePoint now, Effects& out);
  TimePoint wake_at() const {
    return deadlines_.empty() ? TimePoint::never() : deadlines_.begin()->first;
  }

  // Nothing happens for a stream that is over: whoever sends may not know yet.
  void send(const OutFrame& frame, Effects& out);
  void close(StreamId stream, Effects& out);
  // Says why, and closes.
  void refuse(StreamId stream, wire::RefusalReason reason, const std::string& text, RunId run,
              Effects& out);

  std::size_t count(wire::StreamPurpose purpose) const;
  const Party* party(StreamId stream) const;  // null when it is over

 private:
  enum class Stage : std::uint8_t { Connecting, Greeting, Open };
  struct Session {
    Party party;
    Stage stage = Stage::Connecting;
    wire::FrameReader reader;
    std::uint32_t next_sequence = 0;
    TimePoint deadline;            // of a session that is not open yet
    std::uint64_t own_hellos = 0;  // that this peer had seen when it said Hello here
    TimePoint heard_at;            // the last whole frame
    bool is_unanswered = false;    // a piece of a payload was sent since
  };

  Session* find(StreamId stream);
  void add(Session session, TimePoint now);
  void set_deadline(Session& session, TimePoint now);
  void open(Session& session);
  bool erase(StreamId stream);
  std::optional<Ended> forget(StreamId stream, std::string reason);
  bool has_room_for(const wire::Endpoint& from) const;  // one more that is accepted
  std::optional<Event> greet(Session& session, const wire::Frame& frame, const Introduction& self,
                             TimePoint now, Effects& out);
  std::optional<Event> answer_hello(Session& session, const wire::Frame& frame,
                                    const Introduction& self, TimePoint now, Effects& out);
  std::optional<Event> read_answer(Session& session, const wire::Frame& frame,
                                   const Introduction& self, Effects& out);
  std::optional<wire::Refusal> objection(const Party& party, const wire::Hello& hello,
                                         const Introduction& self, TimePoint now) const;
  // By a stream that is open and keeps it.
  bool place_is_taken(const Party& newcomer, const View* view, TimePoint now) const;
  static Duration patience_with(const Session& session);
  Ended end(Session& session, std::string reason, Effects& out);
  Ended offend(Session& session, std::string reason, RunId run, Effects& out);

  std::map<StreamId, Session> sessions_;
  std::set<std::pair<TimePoint, StreamId>> deadlines_;  // of all that are not open yet
  std::uint64_t next_dialled_ = 1;
  std::uint64_t own_hellos_ = 0;  // Hellos from this peer itself that it accepted as a stream
};

}  // namespace quadrille::peer

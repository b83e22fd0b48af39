#include "fuzz/peer_case.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>
#include <vector>

#include "base/check.hpp"
#include "base/overloaded.hpp"
#include "fuzz/fuzzed_input.hpp"
#include "fuzz/puppet_worker.hpp"
#include "peer/membership/record_pool.hpp"
#include "peer/peer.hpp"
#include "wire/datagram.hpp"
#include "wire/frame.hpp"
#include "wire/limits.hpp"

namespace quadrille::fuzz {
namespace {

using namespace peer;

// Of all that follows from one event; a second of silence of this peer brings 20 datagrams.
constexpr std::size_t effects_max = 500;
// Times that a peer may ask to be called again at once.
constexpr int turns_at_once_max = 8;

PeerOptions options_for(std::uint8_t situation) {
  PeerOptions options;
  options.run = fuzzed_run;
  options.run_name = "fuzz";
  options.run_spec = "[run]\n";
  options.name = "p0";
  options.endpoints = {fuzzed_address(0)};
  if ((situation & 8U) != 0) options.seeds = {fuzzed_address(0), fuzzed_address(1)};
  options.placement.genesis = {.epoch = {.epoch = 0, .rows = 2, .columns = 2}, .stride = 2};
  options.placement.capacity = situation % 8U;
  if ((situation & 64U) != 0) {
    const bool by_rows = situation % 2U == 0;
    options.placement.genesis.stride = 4;
    options.placement.growth = by_rows ? Growth::Rows : Growth::Columns;
    Grid& largest = options.placement.largest = options.placement.genesis;
    (by_rows ? largest.epoch.rows : largest.epoch.columns) = 4;
    options.placement.growth_patience = std::chrono::seconds(5);
  }
  options.placement.minority_brake = (situation & 128U) != 0;
  options.exchange.synchronous = (situation & 32U) != 0;
  return options;
}

StoredPeer stored_for(std::uint8_t situation) {
  StoredPeer stored;
  if ((situation & 16U) != 0) stored.cells = {{.cell = {1}, .round = {5}}};
  return stored;
}

// The peer's driver and everybody else, as the input plays them.
class Play {
 public:
  explicit Play(Bytes input)
      : situation_(std::to_integer<std::uint8_t>(input.front())),
        peer_(options_for(situation_), stored_for(situation_), pool_, 1, now()),
        input_(input.subspan(1), peer_.id()) {}

  void run() {
    peer_.start(now(), effects_);
    carry();
    while (!input_.empty()) {
      event();
      carry();
    }
  }

 private:
  struct Stream {
    wire::Endpoint remote;
    bool is_dialled = false;
    bool is_connected = false;
    std::uint32_t next_sequence = 0;  // of what the other end sends
  };

  Now now() const {
    return {.time = time_,
            .unix_milliseconds =
                1000 + static_cast<std::uint64_t>(time_.since_start.count()) / 1'000'000U};
  }

  void event();
  void do_rarely(std::uint8_t choice);
  void pass_time();
  void bring_datagram();
  void bring_raw_datagram();
  void bring_stream();
  void settle_dial();
  void bring_frame(bool is_raw);
  void bring_raw_stream(bool is_new);
  void bring_bytes(StreamId id, Bytes bytes);
  void break_stream();
  void answer_command();
  std::optional<StreamId> choose_stream(bool is_connected);

  void carry();
  void carry_datagram(const SendDatagram& sent);
  void carry_stream(const Effects::StreamAction& action);

  std::uint8_t situation_;
  RecordPool pool_;
  TimePoint time_;
  Peer peer_;
  FuzzedInput input_;
  PuppetWorker worker_;
  Effects effects_;
  std::map<StreamId, Stream> streams_;
  std::set<StreamId> dialled_;  // ever
  std::uint64_t next_accepted_ = 2;
  std::uint32_t last_ping_ = 0;
};

void Play::event() {
  switch (input_.byte() % 12U) {
    case 0:
    case 1:
      return pass_time();
    case 2:
    case 3:
      return bring_datagram();
    case 4:
      return bring_raw_datagram();
    case 5:
      return bring_stream();
    case 6:
      return settle_dial();
    case 7:
      return bring_frame(false);
    case 8:
      return bring_frame(true);
    case 9:
      return answer_command();
    case 10:
      return break_stream();
    default:
      return do_rarely(input_.byte());
  }
}

void Play::do_rarely(std::uint8_t choice) {
  if (choice == 255) peer_.leave(now(), effects_);
  if (choice < 64) bring_raw_stream(choice % 4U == 0);
}

// Up to 16 s, called at every deadline on the way or, as after a sleep, only at the end.
void Play::pass_time() {
  const std::uint8_t how = input_.byte();
  const TimePoint end = time_ + std::chrono::milliseconds(1LL << how % 15U);
  int turns = 0;
  const bool sleeps = (how & 128U) != 0;
  while (peer_.wake_at() <= end) {
    const TimePoint due = sleeps ? end : std::max(time_, peer_.wake_at());
    turns = due > time_ ? 0 : turns + 1;
    CHECK(turns < turns_at_once_max, turns);
    time_ = due;
    peer_.on_time(now(), effects_);
    carry();
  }
  time_ = end;
}

void Play::bring_datagram() {
  const std::uint32_t from = input_.partner();
  wire::Datagram datagram{.run = fuzzed_run,
                          .sender = input_.id(from),
                          .incarnation = 1000,
                          .message = input_.message(last_ping_)};
  const std::uint8_t count = input_.byte();
  for (int left = count % 3; left > 0; --left) datagram.updates.push_back(input_.update());
  for (int left = count / 64; left > 0; --left) datagram.statuses.push_back(input_.status());
  peer_.on_datagram(fuzzed_address(from), wire::encode(datagram), now(), effects_);
}

// With the envelope of this run, if anything.
void Play::bring_raw_datagram() {
  const std::uint32_t from = input_.partner();
  ByteBuffer bytes = wire::encode(wire::Datagram{.run = fuzzed_run, .message = wire::Gossip{}});
  bytes.resize(input_.byte() % 2U * wire::envelope_bytes);
  const ByteBuffer body = input_.raw();
  bytes.insert(bytes.end(), body.begin(), body.end());
  peer_.on_datagram(fuzzed_address(from), bytes, now(), effects_);
}

void Play::bring_stream() {
  const std::uint8_t what = input_.byte();
  const std::uint32_t from = 1 + what % partners;
  const StreamId id{next_accepted_};
  next_accepted_ += 2;
  streams_[id] = {.remote = fuzzed_address(from), .is_connected = true};
  peer_.on_accepted(id, fuzzed_address(from), now(), effects_);
  carry();
  const auto purpose = static_cast<wire::StreamPurpose>(what / 8U % 7U);
  const ByteBuffer hello = wire::encode(input_.hello(from, purpose));
  bring_bytes(id, wire::encode_frame(wire::FrameType::Hello, 0, hello));
}

std::optional<StreamId> Play::choose_stream(bool is_connected) {
  std::vector<StreamId> fitting;
  for (const auto& [id, stream] : streams_)
    if (stream.is_connected == is_connected) fitting.push_back(id);
  const std::uint8_t choice = input_.byte();
  if (fitting.empty()) return std::nullopt;
  return fitting[choice % fitting.size()];
}

// A stream that the peer wants comes about and is mostly welcomed, or does not.
void Play::settle_dial() {
  const auto id = choose_stream(false);
  const std::uint8_t how = input_.byte();
  if (!id) return;
  if (how % 4U == 3) {
    streams_.erase(*id);
    return peer_.on_open_failed(*id, now(), effects_);
  }
  streams_[*id].is_connected = true;
  peer_.on_opened(*id, now(), effects_);
  carry();
  std::uint32_t number = how / 4U % (partners + 1);
  for (std::uint32_t each = 1; each <= partners; ++each)
    if (how % 4U == 0 && streams_[*id].remote == fuzzed_address(each)) number = each;
  const wire::Welcome welcome{.version = 1, .run = fuzzed_run, .sender = input_.id(number)};
  bring_bytes(*id, wire::encode_frame(wire::FrameType::Welcome, 0, wire::encode(welcome)));
}

void Play::bring_frame(bool is_raw) {
  using enum wire::FrameType;
  static constexpr std::array types = {
      Digest,        State,       StateEnd,       Subscribe,      Unsubscribe, PayloadBegin,
      Chunk,         Credit,      PayloadApplied, PayloadRefused, ObjectQuery, ObjectInfo,
      ObjectRequest, ObjectBegin, DirectBegin,    Refusal,        WatchBegin,  WatchMembers};
  const auto id = choose_stream(true);
  const wire::FrameType type = types[input_.byte() % types.size()];
  const ByteBuffer body = is_raw ? input_.raw() : input_.body(type);
  if (!id) return;
  bring_bytes(*id, wire::encode_frame(type, streams_[*id].next_sequence, body));
}

// What is no frame, on a stream that is used or as the first of a new one.
void Play::bring_raw_stream(bool is_new) {
  std::optional<StreamId> id;
  if (is_new) {
    id = StreamId{next_accepted_};
    next_accepted_ += 2;
    const wire::Endpoint from = fuzzed_address(input_.partner());
    streams_[*id] = {.remote = from, .is_connected = true};
    peer_.on_accepted(*id, from, now(), effects_);
    carry();
  } else {
    id = choose_stream(true);
  }
  const ByteBuffer bytes = input_.raw();
  if (id) bring_bytes(*id, bytes);
}

// In two pieces, and one after the other as a driver reads them.
void Play::bring_bytes(StreamId id, Bytes bytes) {
  const std::size_t cut = std::min<std::size_t>(input_.byte(), bytes.size());
  if (const auto stream = streams_.find(id); stream != streams_.end())
    ++stream->second.next_sequence;
  for (const Bytes piece : {bytes.first(cut), bytes.subspan(cut)}) {
    if (!streams_.contains(id)) return;
    peer_.on_bytes(id, piece, now(), effects_);
    carry();
  }
}

void Play::break_stream() {
  const auto id = choose_stream(true);
  if (!id) return;
  streams_.erase(*id);
  peer_.on_closed(*id, now(), effects_);
}

void Play::answer_command() {
  const std::uint8_t how = input_.byte();
  const std::uint8_t twist = input_.byte();
  const auto report = how % 4U == 3 ? worker_.tell(twist, how / 4U) : worker_.take_answer(twist);
  if (report) peer_.on_report(*report, now(), effects_);
}

// --- What the peer does ---

void Play::carry() {
  const Effects effects = std::exchange(effects_, {});
  CHECK(effects.datagrams.size() + effects.streams.size() + effects.commands.size() +
            effects.events.size() <
        effects_max);
  for (const SendDatagram& sent : effects.datagrams) carry_datagram(sent);
  for (const Effects::StreamAction& action : effects.streams) carry_stream(action);
  for (const WorkerCommand& command : effects.commands) worker_.submit(command);
}

void Play::carry_datagram(const SendDatagram& sent) {
  CHECK(sent.bytes.size() + wire::seal_bytes_max <= wire::datagram_bytes_max, sent.bytes.size());
  const auto datagram = wire::decode_datagram(sent.bytes);
  CHECK(datagram.has_value());
  CHECK(datagram->sender == peer_.id());
  if (const auto* ping = std::get_if<wire::Ping>(&datagram->message)) last_ping_ = ping->sequence;
}

void Play::carry_stream(const Effects::StreamAction& action) {
  std::visit(Overloaded{[&](const OpenStream& open) {
                          CHECK(open.stream.value % 2 == 1, open.stream);
                          CHECK(dialled_.insert(open.stream).second, open.stream);
                          streams_[open.stream] = {.remote = open.to, .is_dialled = true};
                        },
                        [&](const SendBytes& sent) {
                          const auto stream = streams_.find(sent.stream);
                          CHECK(stream != streams_.end(), sent.stream);
                          CHECK(stream->second.is_connected, sent.stream);
                        },
                        [&](const CloseStream& close) {
                          CHECK(streams_.erase(close.stream) == 1, close.stream);
                        }},
             action);
}

}  // namespace

void peer_case(Bytes input) {
  if (input.empty()) return;
  Play(input).run();
}

}  // namespace quadrille::fuzz

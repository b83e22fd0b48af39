#include "peer/stage.hpp"

#include <boost/test/unit_test.hpp>

#include <utility>
#include <variant>

#include "base/printed.hpp"
#include "peer/session/stream_pair.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer::test {
namespace {

constexpr std::uint64_t random_seed = 7;
// More turns without time passing are a peer that does not sleep.
constexpr int turns_at_once_max = 4;

template <class Value>
void append(std::vector<Value>& to, const std::vector<Value>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

PeerOptions options_of(const Grid& grid, std::uint32_t capacity,
                       std::vector<wire::Endpoint> seeds) {
  PeerOptions options;
  options.run = this_run;
  options.run_name = "horses";
  options.run_spec = "[run]\nname = \"horses\"\n";
  options.name = "peer-1";
  options.endpoints = {address(1)};
  options.seeds = std::move(seeds);
  options.placement.genesis = grid;
  options.placement.capacity = capacity;
  return options;
}

Stage::Stage(PeerOptions options, StoredPeer stored, std::chrono::milliseconds since_1970)
    : since_1970_(since_1970),
      peer_(std::move(options), std::move(stored), pool_, random_seed, both_clocks()) {}

Now Stage::both_clocks() const {
  return {.time = now_,
          .unix_milliseconds = static_cast<std::uint64_t>((since_1970_ + now_.since_start) /
                                                          std::chrono::milliseconds(1))};
}

// --- Time ---

void Stage::start() {
  in("start");
  Effects effects;
  peer_.start(both_clocks(), effects);
  out(effects);
}

void Stage::run_for(Duration time) {
  const TimePoint end = now_ + time;
  int turns = 0;
  while (peer_.wake_at() <= end) {
    turns = peer_.wake_at() > now_ ? 0 : turns + 1;
    BOOST_REQUIRE_LT(turns, turns_at_once_max);
    now_ = std::max(now_, peer_.wake_at());
    Effects effects;
    peer_.on_time(both_clocks(), effects);
    out(effects);
  }
  now_ = end;
}

void Stage::leave() {
  in("leave");
  Effects effects;
  peer_.leave(both_clocks(), effects);
  out(effects);
}

// --- Datagrams ---

void Stage::enter(const Partner& partner) {
  present_.insert_or_assign(partner.endpoint(), partner);
}

void Stage::exit(const Partner& partner) {
  present_.erase(partner.endpoint());
}

void Stage::say(const Partner& from, const wire::Message& message,
                const std::vector<wire::Update>& updates,
                const std::vector<wire::CellStatus>& statuses) {
  const ByteBuffer bytes = from.datagram(message, updates, statuses);
  datagram(from.endpoint(), bytes, describe_datagram(bytes));
}

void Stage::datagram(const wire::Endpoint& from, Bytes bytes, const std::string& what) {
  in(printed("datagram from ", from, ": ", what));
  Effects effects;
  peer_.on_datagram(from, bytes, both_clocks(), effects);
  is_answer_ = true;
  out(effects);
  is_answer_ = false;
}

// --- Streams ---

StreamId Stage::dial(const Partner& from, wire::StreamPurpose purpose) {
  return dial(from.endpoint(), from.hello(purpose));
}

StreamId Stage::dial(const wire::Endpoint& from, const wire::Hello& hello) {
  const StreamId stream = come(from);
  if (!closed_.contains(stream)) frame(stream, wire::FrameType::Hello, hello);
  return stream;
}

StreamId Stage::come(const wire::Endpoint& from) {
  const StreamId stream{next_accepted_};
  next_accepted_ += 2;
  in(printed(stream, " comes from ", from));
  Effects effects;
  peer_.on_accepted(stream, from, both_clocks(), effects);
  out(effects);
  return stream;
}

StreamId Stage::take_wanted(const Partner& partner) {
  std::deque<StreamId>& wanted = wanted_[partner.endpoint()];
  while (!wanted.empty() && closed_.contains(wanted.front())) wanted.pop_front();
  BOOST_REQUIRE_MESSAGE(!wanted.empty(), "no stream to " << partner.record.name << '\n' << text());
  const StreamId stream = wanted.front();
  wanted.pop_front();
  return stream;
}

StreamId Stage::connect(const Partner& partner) {
  const StreamId stream = take_wanted(partner);
  in(printed(stream, " is connected"));
  Effects effects;
  peer_.on_opened(stream, both_clocks(), effects);
  out(effects);
  return stream;
}

StreamId Stage::accept(const Partner& partner) {
  const StreamId stream = connect(partner);
  frame(stream, wire::FrameType::Welcome, partner.welcome());
  return stream;
}

void Stage::refuse(const Partner& partner) {
  const StreamId stream = take_wanted(partner);
  in(printed(stream, " finds nobody"));
  Effects effects;
  peer_.on_open_failed(stream, both_clocks(), effects);
  out(effects);
}

void Stage::frame(StreamId stream, wire::FrameType type, const ByteBuffer& body) {
  const std::uint32_t sequence = sequences_[stream]++;
  const wire::Frame shown{.header = {.type = type}, .body = body};
  bytes(stream, wire::encode_frame(type, sequence, body), describe_frame(shown));
}

void Stage::chunk(StreamId stream, std::uint32_t transfer, const ByteBuffer& bytes) {
  ByteBuffer body = wire::encode(wire::ChunkHead{.transfer = transfer, .offset = 0});
  body.insert(body.end(), bytes.begin(), bytes.end());
  frame(stream, wire::FrameType::Chunk, body);
}

void Stage::bytes(StreamId stream, Bytes bytes, const std::string& what) {
  in(printed(stream, " brings: ", what));
  Effects effects;
  peer_.on_bytes(stream, bytes, both_clocks(), effects);
  out(effects);
}

void Stage::hang_up(StreamId stream) {
  in(printed(stream, " breaks"));
  Effects effects;
  peer_.on_closed(stream, both_clocks(), effects);
  out(effects);
}

std::vector<Stage::SentFrame> Stage::frames(StreamId stream) const {
  std::vector<SentFrame> frames;
  const auto found = sent_.find(stream);
  if (found == sent_.end()) return frames;
  Bytes bytes = found->second;
  wire::FrameReader reader;
  reader.open();
  while (!bytes.empty()) {
    const auto frame = reader.take(bytes);
    BOOST_REQUIRE_MESSAGE(frame.has_value(), frame.error().detail);
    if (*frame)
      frames.push_back({.type = (*frame)->header.type,
                        .body = ByteBuffer((*frame)->body.begin(), (*frame)->body.end())});
  }
  return frames;
}

void Stage::report(const WorkerReport& report, const std::string& what) {
  in("worker: " + what);
  Effects effects;
  peer_.on_report(report, both_clocks(), effects);
  out(effects);
}

// --- What is written down ---

void Stage::in(const std::string& text) {
  if (written_at_ != now_) transcript_.at(now_);
  written_at_ = now_;
  transcript_.say(text);
}

void Stage::out(const Effects& effects) {
  Effects news = effects;
  std::erase_if(news.datagrams,
                [&](const SendDatagram& each) { return !says_something_new(each); });
  const bool is_silent = news.datagrams.empty() && news.streams.empty() && news.commands.empty() &&
                         news.events.empty() && !news.has_left;
  if (!is_silent && written_at_ != now_) transcript_.at(now_);
  if (!is_silent) written_at_ = now_;
  transcript_.record(news);
  for (const Effects::StreamAction& action : effects.streams) {
    if (const auto* open = std::get_if<OpenStream>(&action))
      wanted_[open->to].push_back(open->stream);
    if (const auto* sent = std::get_if<SendBytes>(&action))
      append(sent_[sent->stream], bytes_of(*sent));
    if (const auto* close = std::get_if<CloseStream>(&action)) closed_.insert(close->stream);
  }
  append(commands_, effects.commands);
  append(seen_.datagrams, effects.datagrams);
  append(seen_.streams, effects.streams);
  append(seen_.commands, effects.commands);
  append(seen_.events, effects.events);
  if (effects.store) seen_.store = effects.store;
  seen_.has_left = seen_.has_left || effects.has_left;
  answer_pings(effects.datagrams);
}

// An answer, a message that is no heartbeat, or something that was not said before.
bool Stage::says_something_new(const SendDatagram& sent) {
  const Result<wire::Datagram> datagram = wire::decode_datagram(sent.bytes);
  BOOST_REQUIRE_MESSAGE(datagram.has_value(), datagram.error().detail);
  const wire::Message& message = datagram->message;
  const bool is_heartbeat =
      std::holds_alternative<wire::Gossip>(message) ||
      std::holds_alternative<wire::CompareViews>(message) ||
      (std::holds_alternative<wire::Ping>(message) && present_.contains(sent.to));
  bool is_new = is_answer_ || !is_heartbeat;
  for (const wire::Update& update : datagram->updates) {
    const bool is_said = !told_.insert(describe_update(update)).second;
    is_new = is_new || !is_said;
  }
  for (const wire::CellStatus& status : datagram->statuses)
    is_new = told_.insert(printed("status ", status.cell, ' ', status.round)).second || is_new;
  return is_new;
}

void Stage::answer_pings(const std::vector<SendDatagram>& datagrams) {
  for (const SendDatagram& sent : datagrams) {
    const auto partner = present_.find(sent.to);
    if (partner == present_.end()) continue;
    const Result<wire::Datagram> datagram = wire::decode_datagram(sent.bytes);
    const auto* ping = std::get_if<wire::Ping>(&datagram->message);
    if (ping == nullptr || ping->target != partner->second.id()) continue;
    Effects effects;
    const ByteBuffer ack = partner->second.datagram(wire::Ack{.sequence = ping->sequence});
    peer_.on_datagram(sent.to, ack, both_clocks(), effects);
    out(effects);
  }
}

}  // namespace quadrille::peer::test

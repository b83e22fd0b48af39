#include "peer/exchange/fleet.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <sstream>
#include <utility>

namespace quadrille::peer::test {

Fleet::Fleet(std::size_t peers, FleetOptions options, MakeLearner make_learner)
    : options_(options), make_learner_(std::move(make_learner)), peers_(peers) {
  for (std::size_t peer = 0; peer < peers; ++peer) begin_process(peer);
}

void Fleet::begin_process(std::size_t peer) {
  Peer& process = peers_[peer];
  ++process.life;
  process.learner = make_learner_(peer);
  process.worker =
      std::make_unique<ToyWorker>(ToyWorker::Options{.synchronous = options_.synchronous,
                                                     .difference_bytes = options_.difference_bytes,
                                                     .keyframe_bytes = options_.keyframe_bytes},
                                  *process.learner);
  process.exchange =
      std::make_unique<Exchange>(ExchangeOptions{.synchronous = options_.synchronous}, id_of(peer));
  process.worker_free_at = now_;
  process.starts_due.clear();
}

// --- Cells ---

void Fleet::start() {
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) set_sources(peer);
  for (const auto& [cell, peer] : owners_)
    command(peer, StartCell{.cell = cell, .origin = StartFresh{}});
}

void Fleet::set_sources(std::size_t peer) {
  for (const auto& [cell, owner] : owners_) {
    if (owner != peer) continue;
    std::vector<EdgeSource> sources;
    for (const CellIndex source : peers_[peer].learner->neighbours(cell))
      if (owners_.contains(source))
        sources.push_back({.cell = source, .owner = id_of(owners_.at(source))});
    act(peer, [&, reader = cell](ExchangeOutput& out) {
      exchange(peer).set_sources(reader, sources, now_, out);
    });
  }
}

void Fleet::move(CellIndex cell, std::size_t to, Round jump_to, Duration news_delay) {
  const std::size_t from = std::exchange(owners_[cell], to);
  act(from, [&](ExchangeOutput& out) { exchange(from).drop(cell, now_, out); });
  command(from, ReleaseCell{cell});
  Duration delay{};
  for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
    if (peer == to) continue;
    at(now_ + delay, [this, peer] { set_sources(peer); });
    delay += news_delay;
  }
  set_sources(to);
  command(to,
          StartCell{.cell = cell, .origin = StartFromSnapshot{.snapshot = {}, .jump_to = jump_to}});
}

std::uint64_t Fleet::newest_round(CellIndex cell) const {
  std::uint64_t newest = 0;
  for (const Peer& peer : peers_)
    for (const auto& [edge, statistics] : peer.exchange->statistics())
      if (edge.source == cell) newest = std::max(newest, statistics.newest.index);
  return newest;
}

void Fleet::stop(std::size_t peer) {
  for (auto& [number, stream] : streams_)
    if (stream.open && (stream.dialler == peer || stream.listener == peer)) close(number, peer);
  for (std::size_t each = 0; each < peers_.size(); ++each)
    if (each != peer) cut(peer, each);
  begin_process(peer);
}

void Fleet::restart(std::size_t peer) {
  stop(peer);
  for (std::size_t each = 0; each < peers_.size(); ++each) mend(peer, each);
  set_sources(peer);
  for (const auto& [cell, owner] : owners_)
    if (owner == peer) command(peer, StartCell{.cell = cell, .origin = StartFresh{}});
}

// --- Events ---

void Fleet::at(TimePoint time, std::function<void()> event) {
  events_.emplace(time, std::move(event));
}

TimePoint Fleet::wake_at() const {
  TimePoint at{Duration::max()};
  for (const Peer& peer : peers_) at = std::min(at, peer.exchange->wake_at());
  return at;
}

void Fleet::run_for(Duration duration) {
  const TimePoint end = now_ + duration;
  while (true) {
    const TimePoint event_at =
        events_.empty() ? TimePoint{Duration::max()} : events_.begin()->first;
    const TimePoint next = std::max(now_, std::min(event_at, wake_at()));
    if (next > end) break;
    now_ = next;
    if (event_at <= next) {
      auto event = events_.extract(events_.begin());
      event.mapped()();
      continue;
    }
    for (std::size_t peer = 0; peer < peers_.size(); ++peer)
      if (exchange(peer).wake_at() <= now_)
        act(peer, [&](ExchangeOutput& out) { exchange(peer).on_time(now_, out); });
  }
  now_ = end;
}

void Fleet::act(std::size_t peer, const std::function<void(ExchangeOutput&)>& input) {
  ExchangeOutput out;
  input(out);
  for (const WorkerCommand& each : out.commands) command(peer, each);
  for (const OutFrame& frame : out.frames) send(peer, frame);
  for (const StreamId stream : out.hang_ups) close(stream.value - (stream.value + 1) % 2, peer);
  for (const PeerId owner : out.dials) dial(peer, owner.low);
  for (const auto& offence : out.offences)
    offences.push_back("peer " + std::to_string(peer) + ": " + offence.reason);
  for (const auto& fault : out.faults) {
    std::ostringstream line;
    line << "peer " << peer << ": edge " << fault.edge.source << " to " << fault.edge.reader
         << " from peer " << fault.sender.low << ", fault " << int(fault.fault);
    faults.push_back(line.str());
  }
}

void Fleet::report(std::size_t peer, const WorkerReport& report) {
  act(peer, [&](ExchangeOutput& out) { exchange(peer).on_report(report, now_, out); });
}

// One command at a time, each as long as its kind takes.
void Fleet::command(std::size_t peer, const WorkerCommand& command) {
  Peer& process = peers_[peer];
  if (const auto* start = std::get_if<StartCell>(&command)) ++process.starts_due[start->cell];
  const bool trains = std::holds_alternative<AdvanceCell>(command);
  const bool codes = std::holds_alternative<EncodePayload>(command) ||
                     std::holds_alternative<ApplyPayload>(command);
  process.worker_free_at = std::max(process.worker_free_at, now_) +
                           (trains  ? process.training_time.value_or(options_.training_time)
                            : codes ? options_.codec_time
                                    : Duration{});
  at(process.worker_free_at, [this, peer, command, life = process.life] {
    if (peers_[peer].life != life) return;
    for (const WorkerReport& each : worker(peer).carry_out(command))
      if (is_of_this_start(peer, each)) report(peer, each);
  });
}

// What is reported of a cell's earlier start, while the last one is still due, is left out here:
// the exchange sees neither the command nor how many there were.
bool Fleet::is_of_this_start(std::size_t peer, const WorkerReport& report) {
  std::map<CellIndex, int>& due = peers_[peer].starts_due;
  if (const auto* started = std::get_if<CellStarted>(&report)) return --due[started->cell] == 0;
  if (const auto* published = std::get_if<CellPublished>(&report)) return due[published->cell] == 0;
  if (const auto* needs = std::get_if<CellNeeds>(&report)) return due[needs->need.cell] == 0;
  if (const auto* chunk = std::get_if<DirectChunk>(&report)) return due[chunk->from] == 0;
  return true;
}

// --- Streams ---

void Fleet::set_rate(std::size_t from, std::size_t to, double bytes_per_second) {
  rates_[{from, to}] = bytes_per_second;
}

void Fleet::cut(std::size_t a, std::size_t b) {
  cut_.insert({{a, b}, {b, a}});
  for (const auto& [number, stream] : streams_)
    if (cut_.contains({stream.dialler, stream.listener})) close(number, std::nullopt);
}

void Fleet::mend(std::size_t a, std::size_t b) {
  cut_.erase({a, b});
  cut_.erase({b, a});
}

void Fleet::break_at_frame(wire::FrameType type, int n) {
  on_sent = [type, n](std::size_t, std::size_t, const OutFrame& frame) mutable {
    return frame.type != type || n-- != 1;
  };
}

void Fleet::set_frozen(std::size_t from, std::size_t to, bool frozen) {
  if (frozen)
    frozen_.insert({from, to});
  else
    frozen_.erase({from, to});
}

void Fleet::dial(std::size_t from, std::size_t to) {
  ++dials;
  const std::uint64_t number = next_stream_;
  next_stream_ += 2;
  const int life = peers_[from].life;
  at(now_ + 2 * options_.latency, [this, from, to, number, life] {
    if (peers_[from].life != life) return;
    if (cut_.contains({from, to})) {
      act(from, [&](ExchangeOutput&) { exchange(from).on_dial_failed(id_of(to), now_); });
      return;
    }
    streams_[number] = {.dialler = from, .listener = to};
    act(to, [&](ExchangeOutput& out) {
      exchange(to).on_accepted(id_of(from), {number + 1}, now_, out);
    });
    act(from,
        [&](ExchangeOutput& out) { exchange(from).on_dialled(id_of(to), {number}, now_, out); });
  });
}

// Frames of one way share its rate, and arrive whole.
void Fleet::send(std::size_t from, const OutFrame& frame) {
  const std::uint64_t number = frame.stream.value - (frame.stream.value + 1) % 2;
  const Stream& stream = streams_.at(number);
  const std::size_t to = from == stream.dialler ? stream.listener : stream.dialler;
  const bool is_lost = on_sent && !on_sent(from, to, frame);
  if (is_lost) return close(number, std::nullopt);
  if (!stream.open || frozen_.contains({from, to})) return;
  const auto rate = rates_.try_emplace({from, to}, options_.bytes_per_second).first->second;
  const std::size_t bytes = 16 + frame.body.size() + frame.tail_bytes;
  bytes_sent += bytes;
  TimePoint& free_at = free_at_[{from, to}];
  free_at = std::max(free_at, now_) +
            Duration(static_cast<Duration::rep>(1e9 * static_cast<double>(bytes) / rate));
  at(free_at + options_.latency, [this, to, number, frame] { deliver(to, number, frame); });
}

void Fleet::deliver(std::size_t to, std::uint64_t number, const OutFrame& frame) {
  const Stream& stream = streams_.at(number);
  if (!stream.open) return;
  ByteBuffer body = frame.body;
  if (frame.tail)
    body.insert(body.end(), frame.tail->begin() + std::ptrdiff_t(frame.tail_offset),
                frame.tail->begin() + std::ptrdiff_t(frame.tail_offset + frame.tail_bytes));
  const wire::Frame received{
      .header = {.type = frame.type, .body_bytes = std::uint32_t(body.size())}, .body = body};
  const StreamId end{to == stream.dialler ? number : number + 1};
  act(to, [&](ExchangeOutput& out) { exchange(to).on_frame(end, received, now_, out); });
}

// The other end hears of it after the delay; who closed it does not.
void Fleet::close(std::uint64_t number, std::optional<std::size_t> by) {
  Stream& stream = streams_.at(number);
  if (!std::exchange(stream.open, false)) return;
  for (const std::size_t peer : {stream.dialler, stream.listener}) {
    if (peer == by) continue;
    const StreamId end{peer == stream.dialler ? number : number + 1};
    at(now_ + options_.latency, [this, peer, end, life = peers_[peer].life] {
      if (peers_[peer].life != life) return;
      act(peer, [&](ExchangeOutput& out) { exchange(peer).on_closed(end, now_, out); });
    });
  }
}

void Fleet::send_frame(std::size_t from, std::size_t to, wire::FrameType type, ByteBuffer body) {
  for (const auto& [number, stream] : streams_) {
    if (!stream.open) continue;
    if (stream.dialler == from && stream.listener == to)
      return send(from, {.stream = {number}, .type = type, .body = std::move(body), .tail = {}});
    if (stream.listener == from && stream.dialler == to)
      return send(from,
                  {.stream = {number + 1}, .type = type, .body = std::move(body), .tail = {}});
  }
  BOOST_FAIL("there is no stream between " << from << " and " << to);
}

EdgeStatistics Fleet::statistics(EdgeId edge) {
  return exchange(owners_.at(edge.reader)).statistics().at(edge);
}

}  // namespace quadrille::peer::test

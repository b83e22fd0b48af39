#include "sim/world.hpp"

#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/printed.hpp"

namespace quadrille::sim {
namespace {

constexpr RunId the_run{.high = 0x5155'4144'5249'4C4C, .low = 1};
constexpr RunId the_other_run{.high = 0x5155'4144'5249'4C4C, .low = 2};

RandomStream stream_of(const WorldOptions& options, const char* purpose) {
  return RandomStream(stream_key(options.seed, purpose, 0));
}

}  // namespace

// Two nodes more than there are hosts: whoever dials nowhere dials the first of them, and the
// second watches.
World::World(const WorldOptions& options)
    : options_(options),
      network_(options.hosts + options.other_hosts + 2, options.network,
               stream_of(options, "network")),
      streams_(network_, events_, stream_of(options, "streams")),
      invariants_(options.hosts + options.other_hosts, options.capacity),
      ledger_(options.hosts + options.other_hosts) {
  RandomStream clocks = stream_of(options, "clocks");
  const std::uint32_t count = options.hosts + options.other_hosts;
  const auto error_ms = static_cast<double>(options.clock_error / std::chrono::milliseconds(1));
  hosts_.reserve(count);
  for (NodeIndex node = 0; node < count; ++node) {
    const double drift = (2 * clocks.uniform() - 1) * options.drift_ppm;
    const auto error = static_cast<std::int64_t>((2 * clocks.uniform() - 1) * error_ms);
    hosts_.emplace_back(Host::Self{.node = node,
                                   .run = node < options.hosts ? the_run : the_other_run,
                                   .drift_ppm = drift,
                                   .clock_error_ms = error},
                        Surroundings{.options = options_,
                                     .events = events_,
                                     .network = network_,
                                     .streams = streams_,
                                     .pool = pool_});
  }
}

void World::violate(Violation violation) {
  if (violation_) return;
  violation.time = now_;
  violation_ = std::move(violation);
}

std::vector<NodeIndex> World::up_hosts() const {
  std::vector<NodeIndex> up;
  for (NodeIndex node = 0; node < options_.hosts; ++node)
    if (hosts_[node].is_up()) up.push_back(node);
  return up;
}

std::optional<NodeIndex> World::host_of(PeerId peer) const {
  const auto found = processes_.find(peer);
  if (found == processes_.end()) return std::nullopt;
  return found->second;
}

void World::run_until(TimePoint end) {
  while (!violation_ && !events_.empty() && events_.next().time <= end) step();
  if (!violation_) now_ = std::max(now_, end);
}

std::optional<Duration> World::run_until_true(const std::function<bool()>& condition,
                                              Duration limit, Duration grain) {
  const TimePoint begin = now_;
  while (!condition()) {
    if (violation_ || now_ >= begin + limit) return std::nullopt;
    run_for(grain);
  }
  return now_ - begin;
}

void World::step() {
  const EventQueue::Entry next = events_.pop();
  now_ = next.time;
  ++event_count_;
  const auto time = static_cast<std::uint64_t>(now_.since_start.count());
  const Event& event = next.event;
  history_hash_ = chain(history_hash_, time) ^
                  (std::uint64_t{event.node} << 32U | event.subject) * 0x9E37'79B9'7F4A'7C15U ^
                  (static_cast<std::uint64_t>(event.kind) << 32U | event.detail);
  dispatch(event);
  if (pulse_ && event_count_ % pulse_events == 0) pulse_();
}

void World::note_bytes(Bytes bytes) {
  history_hash_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), history_hash_);
}

void World::dispatch(const Event& event) {
  if (event.kind == EventKind::Fault) return carry_out(plan_[event.subject]);
  if (event.kind == EventKind::Datagram) {
    SimNetwork::Datagram datagram = network_.take(event.subject);
    note_bytes(datagram.bytes);
    Host& host = hosts_[event.node];
    if (!host.is_up()) return;
    host.on_datagram(std::move(datagram), now_);
    return after(host);
  }
  const bool is_hosts = event.kind == EventKind::Wake || event.kind == EventKind::WorkerStep ||
                        event.kind == EventKind::RoundEnd;
  if (is_hosts) {
    if (event.node >= hosts_.size()) return watcher_->on_wake(now_);
    Host& host = hosts_[event.node];
    host.on_event(event, now_);
    if (event.kind == EventKind::RoundEnd) note_published(host, {event.subject});
    return after(host);
  }
  if (const auto news = streams_.carry_out(event, now_)) {
    if (news->kind == StreamNews::Kind::Bytes) note_bytes(news->bytes);
    tell(*news);
  }
}

void World::tell(const StreamNews& news) {
  if (news.node >= hosts_.size()) return watcher_->on_stream(news, now_);
  hosts_[news.node].on_stream(news, now_);
  after(hosts_[news.node]);
}

void World::attach_watcher(Watcher::Sink sink) {
  const auto node = static_cast<NodeIndex>(hosts_.size() + 1);
  watcher_.emplace(Watcher::Self{.node = node,
                                 .run = the_run,
                                 .hosts = options_.hosts,
                                 .start_unix_milliseconds = epoch_unix_milliseconds},
                   streams_, events_, std::move(sink));
  network_.set_presence(node, Presence::Listening);
  watcher_->start(now_);
}

// What the world does and checks once a host has taken an input.
void World::after(Host& host) {
  if (!host.is_up()) return;
  check_starts(host);
  if (auto found = invariants_.check(host, now_)) violate(std::move(*found));
  ledger_.on_event(host, now_);
  read_news(host);
  if (host.has_left()) end_process(host, Presence::Refusing);
}

void World::read_news(Host& host) {
  for (const wire::WatchEvent& event : host.take_news()) {
    if (news_reader_) news_reader_(host.node(), event);
    if (event.kind != wire::EventKind::Died) continue;
    const auto dead = host_of(event.peer);
    if (!dead || event.peer == host.peer().id()) continue;
    const bool is_alive = hosts_[*dead].is_up() && hosts_[*dead].peer().id() == event.peer;
    if (is_alive && network_.can_stream(host.node(), *dead)) ledger_.on_false_death();
  }
}

void World::note_published(const Host& host, CellIndex cell) {
  if (!host.is_up()) return;
  if (const auto round = host.worker().round_of(cell))
    published_[cell] = std::max(published_[cell], *round);
}

// I7: a handed over state is no older than what its owner had on its disk.
void World::check_starts(Host& host) {
  for (const SimWorker::Start& start : std::exchange(host.worker().starts(), {})) {
    Round& published = published_[start.cell];
    if (start.state && start.state->is_handover) {
      const std::map<CellIndex, Round>& durable = hosts_[start.state->saved_by].disk().checkpoints;
      const auto found = durable.find(start.cell);
      if (found != durable.end() && found->second > start.round) {
        violate({.invariant = "I7",
                 .node = host.node(),
                 .text = printed("cell ", start.cell, " was handed over at round ", start.round,
                                 ", and its owner had stored round ", found->second),
                 .time = {}});
      }
    }
    if (published > start.round) rounds_lost_ += published.index - start.round.index;
    published = start.round;
  }
}

void World::start(NodeIndex node) {
  Host& host = hosts_[node];
  if (host.is_up() || violation_) return;
  network_.set_presence(node, Presence::Listening);
  streams_.on_paths_changed(now_);
  host.start(now_);
  processes_[host.peer().id()] = node;
  invariants_.on_started(host, now_);
  after(host);
}

void World::install(NodeIndex node, Software software) {
  hosts_[node].install(software);
}

void World::end_process(Host& host, Presence presence) {
  ledger_.on_ended(host, now_);
  host.end_process();
  network_.set_presence(host.node(), presence);
  streams_.on_process_ended(host.node(), now_);
}

void World::kill_process(NodeIndex node) {
  if (hosts_[node].is_up()) end_process(hosts_[node], Presence::Refusing);
}

void World::lose_machine(NodeIndex node) {
  if (hosts_[node].is_up()) end_process(hosts_[node], Presence::Absent);
  network_.set_presence(node, Presence::Absent);
  streams_.on_paths_changed(now_);
}

void World::leave(NodeIndex node) {
  if (!hosts_[node].is_up() || hosts_[node].is_leaving() || hosts_[node].is_paused()) return;
  hosts_[node].leave(now_);
  after(hosts_[node]);
}

void World::pause(NodeIndex node) {
  if (hosts_[node].is_up()) hosts_[node].pause();
}

void World::resume(NodeIndex node) {
  if (!hosts_[node].is_up() || !hosts_[node].is_paused()) return;
  Host& host = hosts_[node];
  host.resume(now_);
  if (host.is_up())
    for (const CellIndex cell : host.peer().training_cells()) note_published(host, cell);
  after(host);
}

}  // namespace quadrille::sim

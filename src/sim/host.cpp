#include "sim/host.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "base/overloaded.hpp"
#include "base/random.hpp"
#include "sim/address.hpp"
#include "sim/toy_worker.hpp"

namespace quadrille::sim {
namespace {

Duration stretched(Duration time, double parts_per_million) {
  const double extra = static_cast<double>(time.count()) * parts_per_million * 1e-6;
  return time + Duration(static_cast<Duration::rep>(extra));
}

}  // namespace

// This host's clock: steady, but a little fast or slow; and its wall clock.
peer::Now Host::local(TimePoint now) const {
  const Duration time = stretched(now.since_start, self_.drift_ppm);
  const std::int64_t milliseconds = time / std::chrono::milliseconds(1) + self_.clock_error_ms;
  return {.time = {time},
          .unix_milliseconds = epoch_unix_milliseconds + static_cast<std::uint64_t>(milliseconds)};
}

TimePoint Host::global(TimePoint local_time) const {
  return {stretched(local_time.since_start, -self_.drift_ppm)};
}

peer::PeerOptions Host::peer_options() const {
  const WorldOptions& world = around_.options;
  peer::PeerOptions options;
  options.run = self_.run;
  options.run_name = "simulated";
  options.run_spec = "[run]\nname = \"simulated\"\n";
  options.name = "host-" + std::to_string(self_.node);
  options.zone = "zone-" + std::to_string(self_.node % 3);
  options.endpoints = {endpoint_of(self_.node)};
  for (NodeIndex seed = 0; seed < world.seed_hosts; ++seed)
    options.seeds.push_back(endpoint_of(seed));
  options.placement.genesis = genesis(world);
  options.placement.capacity = world.capacity;
  options.placement.minority_brake = world.minority_brake;
  options.placement.growth_patience = world.growth_patience;
  options.placement.largest = options.placement.genesis;
  options.placement.growth = world.growth;
  const auto side_max = static_cast<std::uint16_t>(world.grid_side_max);
  if (world.growth == peer::Growth::Rows) options.placement.largest.epoch.rows = side_max;
  if (world.growth == peer::Growth::Columns) options.placement.largest.epoch.columns = side_max;
  options.device = wire::DeviceKind::Cpu;
  options.exchange.synchronous = world.toy.synchronous;
  options.understudy_every = world.understudy_every;
  if (world.set_up_peer) world.set_up_peer(self_.node, options);
  return options;
}

void Host::start(TimePoint now) {
  CHECK(!peer_, self_.node);
  ++process_;
  running_ = installed_;
  is_leaving_ = has_left_ = is_paused_ = false;
  failed_cells_.clear();
  const std::uint64_t owner = std::uint64_t{self_.node} << 32U | process_;
  const PhiloxKey identity = stream_key(around_.options.seed, "peer", owner);
  const peer::Grid grid = genesis(around_.options);
  const WorkerSeat seat{.options = around_.options.toy,
                        .self = {.node = self_.node, .process = process_},
                        .grid = grid,
                        .disk = disk_,
                        .events = around_.events,
                        .random = RandomStream(stream_key(around_.options.seed, "worker", owner))};
  worker_ = around_.options.make_worker ? around_.options.make_worker(seat)
                                        : std::make_unique<ToyWorker>(seat);
  peer::StoredPeer stored{.known_peers = disk_.known_peers, .cells = {}};
  for (const auto& [cell, round] : disk_.checkpoints)
    stored.cells.push_back({.cell = cell, .round = round});
  peer_ = std::make_unique<peer::Peer>(peer_options(), std::move(stored), around_.pool, identity,
                                       local(now));
  effects_.clear();
  peer_->start(local(now), effects_);
  carry_out(now);
}

bool Host::is_given_seeds() const {
  return around_.options.seed_hosts > (self_.node == 0 ? 1U : 0U);
}

ByteBuffer Host::sent_record() const {
  const ByteBuffer& record = peer_->membership().self()->bytes;
  return running_ == Software::NextVersion ? record_of_next_version(record) : record;
}

void Host::end_worker_faults() {
  if (worker_) worker_->end_faults();
}

void Host::end_process() {
  peer_.reset();
  worker_.reset();
  held_.clear();
  held_datagram_bytes_ = 0;
  is_paused_ = false;
  timer_ = TimePoint::never();
  effects_.clear();
  news_.clear();
}

void Host::leave(TimePoint now) {
  CHECK(peer_, self_.node);
  is_leaving_ = true;
  effects_.clear();
  peer_->leave(local(now), effects_);
  carry_out(now);
}

// What piled up is taken in the order in which it came, and then the timer that is overdue.
void Host::resume(TimePoint now) {
  is_paused_ = false;
  held_datagram_bytes_ = 0;
  for (const Held& held : std::exchange(held_, {})) take(held, now);
  if (peer_) take_event({.kind = EventKind::Wake, .node = self_.node, .subject = process_}, now);
}

void Host::take(const Held& held, TimePoint now) {
  if (held.kind == Held::Kind::Datagram) return take_datagram(held.datagram, now);
  if (held.kind == Held::Kind::Event) return take_event(held.event, now);
  StreamNews news = held.news;
  news.bytes = held.bytes;
  take_stream(news, now);
}

void Host::on_datagram(SimNetwork::Datagram datagram, TimePoint now) {
  if (!peer_) return;
  if (!is_paused_) return take_datagram(datagram, now);
  if (held_datagram_bytes_ + datagram.bytes.size() > SimNetwork::receive_buffer_bytes) return;
  held_datagram_bytes_ += datagram.bytes.size();
  held_.push_back({.kind = Held::Kind::Datagram, .datagram = std::move(datagram)});
}

void Host::on_stream(const StreamNews& news, TimePoint now) {
  if (!peer_) return;
  if (!is_paused_) return take_stream(news, now);
  held_.push_back({.kind = Held::Kind::Stream,
                   .news = news,
                   .bytes = ByteBuffer(news.bytes.begin(), news.bytes.end())});
}

void Host::on_event(const Event& event, TimePoint now) {
  const std::uint32_t process = event.kind == EventKind::RoundEnd ? event.detail : event.subject;
  if (!peer_ || process != process_) return;
  if (!is_paused_) return take_event(event, now);
  if (event.kind != EventKind::Wake) held_.push_back({.kind = Held::Kind::Event, .event = event});
}

void Host::take_datagram(const SimNetwork::Datagram& datagram, TimePoint now) {
  effects_.clear();
  peer_->on_datagram(endpoint_of(datagram.from), datagram.bytes, local(now), effects_);
  carry_out(now);
}

void Host::take_stream(const StreamNews& news, TimePoint now) {
  effects_.clear();
  switch (news.kind) {
    case StreamNews::Kind::Opened:
      peer_->on_opened(news.stream, local(now), effects_);
      break;
    case StreamNews::Kind::OpenFailed:
      peer_->on_open_failed(news.stream, local(now), effects_);
      break;
    case StreamNews::Kind::Accepted:
      peer_->on_accepted(news.stream, endpoint_of(news.from), local(now), effects_);
      break;
    case StreamNews::Kind::Bytes:
      peer_->on_bytes(news.stream, news.bytes, local(now), effects_);
      break;
    case StreamNews::Kind::Closed:
      peer_->on_closed(news.stream, local(now), effects_);
      break;
  }
  carry_out(now);
}

void Host::take_event(const Event& event, TimePoint now) {
  effects_.clear();
  reports_.clear();
  if (event.kind == EventKind::WorkerStep) {
    worker_->on_step(now, reports_);
  } else if (event.kind == EventKind::RoundEnd) {
    worker_->on_round_end({event.subject}, now, reports_);
  } else {
    // Timers that were set for later than the present one are told by their time.
    if (now < timer_) return;
    timer_ = TimePoint::never();
    if (peer_->wake_at() <= local(now).time) peer_->on_time(local(now), effects_);
  }
  for (const peer::WorkerReport& report : reports_) {
    const auto* failed = std::get_if<peer::CellFailed>(&report);
    if (failed != nullptr && !failed->at_start) failed_cells_.insert(failed->cell);
    peer_->on_report(report, local(now), effects_);
  }
  carry_out(now);
}

void Host::carry_out(TimePoint now) {
  for (peer::SendDatagram& sending : effects_.datagrams) {
    if (running_ == Software::NextVersion) sending.bytes = datagram_of_next_version(sending.bytes);
    largest_datagram_ = std::max(largest_datagram_, sending.bytes.size());
    const auto to = node_at(sending.to);
    const bool exists = to && *to < around_.options.hosts + around_.options.other_hosts;
    if (exists && *to != self_.node)
      around_.network.send(self_.node, *to, std::move(sending.bytes), now, around_.events);
  }
  carry_out_streams(now);
  for (peer::WorkerCommand& command : effects_.commands) worker_->submit(std::move(command), now);
  if (effects_.store) disk_.known_peers = effects_.store->endpoints;
  std::ranges::move(effects_.events, std::back_inserter(news_));
  has_left_ = has_left_ || effects_.has_left;
  set_timer(now);
}

void Host::carry_out_streams(TimePoint now) {
  SimStreams& streams = around_.streams;
  for (peer::Effects::StreamAction& action : effects_.streams)
    std::visit(
        Overloaded{
            [&](const peer::OpenStream& open) {
              const auto to = node_at(open.to);
              const NodeIndex count = around_.options.hosts + around_.options.other_hosts;
              // Nobody is there, and nobody answers: as of a machine that is gone.
              streams.open(self_.node, open.stream, to && *to < count ? *to : count, now);
            },
            [&](peer::SendBytes& bytes) { send(bytes, now); },
            [&](const peer::CloseStream& close) { streams.close(self_.node, close.stream, now); }},
        action);
}

void Host::send(peer::SendBytes& sending, TimePoint now) {
  largest_frame_ = std::max(largest_frame_, sending.head.size() + sending.tail_bytes);
  if (running_ == Software::NextVersion)
    sending.head = frame_of_next_version(std::move(sending.head), peer_->id());
  around_.streams.send(self_.node, sending.stream,
                       {.head = std::move(sending.head),
                        .tail = std::move(sending.tail),
                        .tail_offset = sending.tail_offset,
                        .tail_bytes = sending.tail_bytes},
                       now);
}

void Host::set_timer(TimePoint now) {
  const TimePoint wanted = peer_->wake_at();
  if (wanted == TimePoint::never()) return;
  const TimePoint wake = std::max(global(wanted), now + timer_grain);
  if (wake >= timer_) return;
  timer_ = wake;
  around_.events.push(wake, {.kind = EventKind::Wake, .node = self_.node, .subject = process_});
}

}  // namespace quadrille::sim

#include "peer/membership/cluster.hpp"

#include <algorithm>

namespace quadrille::peer::test {

using std::chrono::milliseconds;

Cluster::Cluster(Network network, MembershipOptions options)
    : network_(network), options_(options), random_(stream_key(network.seed, "network", 0)) {}

Cluster::Index Cluster::add(std::vector<Index> seeds) {
  const auto address = static_cast<std::uint32_t>(0x0A000001 + nodes_.size());
  return start(wire::Endpoint::v4(address, 7746), seeds);
}

void Cluster::add_many(std::size_t peers, std::size_t seeds) {
  std::vector<Index> known;
  for (std::size_t peer = 0; peer < peers; ++peer) {
    const Index index = add(known);
    if (known.size() < seeds) known.push_back(index);
  }
}

Cluster::Index Cluster::add_in_place_of(Index other, std::vector<Index> seeds) {
  return start(nodes_[other].endpoint, seeds);
}

Cluster::Index Cluster::start(const wire::Endpoint& endpoint, const std::vector<Index>& seeds) {
  const Index index = nodes_.size();
  Membership::Self self{.run = {.high = 1, .low = 2}, .record = {}, .seeds = {}};
  self.record.id = {.high = random_.next_u64(), .low = random_.next_u64()};
  self.record.incarnation = static_cast<std::uint64_t>(
      1'700'000'000'000 + std::chrono::duration_cast<milliseconds>(now_.since_start).count());
  self.record.name = "peer-" + std::to_string(index);
  self.record.endpoints = {endpoint};
  for (const Index seed : seeds) self.seeds.push_back(nodes_[seed].endpoint);
  nodes_.push_back(
      {.id = self.record.id,
       .endpoint = endpoint,
       .membership = std::make_unique<Membership>(
           options_, self, pool_, RandomStream(stream_key(network_.seed, "peer", index))),
       .is_running = true,
       .paused_until = {},
       .wake_at = {Duration::max()},
       .is_left = false});
  by_endpoint_[endpoint] = index;
  MembershipOutput out;
  nodes_[index].membership->start(now_, out);
  deliver(index, out);
  return index;
}

void Cluster::crash(Index peer) {
  nodes_[peer].is_running = false;
  timers_.erase({nodes_[peer].wake_at, peer});
}

void Cluster::leave(Index peer) {
  MembershipOutput out;
  nodes_[peer].membership->leave(now_, out);
  deliver(peer, out);
}

void Cluster::pause(Index peer, Duration time) {
  nodes_[peer].paused_until = now_ + time;
}

void Cluster::split(const std::function<bool(Index)>& is_left) {
  is_split_ = true;
  for (Index peer = 0; peer < nodes_.size(); ++peer) nodes_[peer].is_left = is_left(peer);
}

void Cluster::heal() {
  is_split_ = false;
}

bool Cluster::run_until(const std::function<bool()>& done, Duration time, Duration grain) {
  const TimePoint end = now_ + time;
  while (!done()) {
    if (now_ >= end) return false;
    run_for(std::min(grain, end - now_));
  }
  return true;
}

void Cluster::run_for(Duration time) {
  const TimePoint end = now_ + time;
  for (;;) {
    TimePoint next = end;
    if (!events_.empty()) next = std::min(next, events_.top().at);
    if (!timers_.empty()) next = std::min(next, timers_.begin()->first);
    if (next >= end) break;
    now_ = std::max(now_, next);
    step();
  }
  now_ = end;
}

void Cluster::step() {
  if (!events_.empty() && events_.top().at <= now_) {
    const Event event = events_.top();
    events_.pop();
    if (!nodes_[event.to].is_running) return;
    if (nodes_[event.to].paused_until > now_) {
      events_.push({nodes_[event.to].paused_until, next_sequence_++, event.to, event.what});
      return;
    }
    event.what();
    return;
  }
  const Index peer = timers_.begin()->second;
  Node& node = nodes_[peer];
  if (node.paused_until > now_) {
    timers_.erase(timers_.begin());
    node.wake_at = node.paused_until;
    timers_.insert({node.wake_at, peer});
    return;
  }
  MembershipOutput out;
  node.membership->on_time(now_, out);
  deliver(peer, out);
}

void Cluster::later(Index to, std::function<void()> what, int trips) {
  const double spread = static_cast<double>((network_.delay_max - network_.delay_min).count());
  Duration delay{};
  for (int trip = 0; trip < trips; ++trip)
    delay += network_.delay_min + Duration(static_cast<Duration::rep>(spread * random_.uniform()));
  events_.push({now_ + delay, next_sequence_++, to, std::move(what)});
}

void Cluster::deliver(Index from, MembershipOutput& out) {
  for (const MembershipOutput::Note& note : out.notes) {
    if (note.kind != wire::EventKind::Died) continue;
    const auto dead = std::ranges::find(nodes_, note.peer, &Node::id);
    if (dead != nodes_.end() && dead->is_running) deaths_.emplace_back(note.peer, from);
  }
  for (MembershipOutput::Sending& sending : out.datagrams) {
    ++datagram_count_;
    update_count_ += sending.datagram.updates.size();
    const std::optional<Index> to = at(sending.to);
    if (to && !nodes_[*to].is_running) ++calls_to_the_dead_;
    if (!to || !reaches(from, *to) || random_.uniform() < network_.loss) continue;
    auto datagram = std::make_shared<wire::Datagram>(std::move(sending.datagram));
    later(*to, [this, to = *to, endpoint = nodes_[from].endpoint, datagram] {
      MembershipOutput reply;
      nodes_[to].membership->on_datagram(endpoint, *datagram, now_, reply);
      deliver(to, reply);
    });
  }
  for (const MembershipOutput::Dial& wanted : out.dials) dial(from, wanted);
  reschedule(from);
}

void Cluster::dial(Index from, const MembershipOutput::Dial& wanted) {
  const std::optional<Index> to = at(wanted.to);
  const bool answers = to && nodes_[*to].is_running && reaches(from, *to) &&
                       nodes_[*to].paused_until <= now_ &&
                       (!wanted.expected || *wanted.expected == nodes_[*to].id);
  if (wanted.purpose == wire::StreamPurpose::Probe) {
    if (!answers) return;
    later(
        from,
        [this, from, target = *wanted.expected] {
          nodes_[from].membership->on_stream_answer(target);
          reschedule(from);
        },
        4);
    return;
  }
  later(
      from,
      [this, from, to, answers, endpoint = wanted.to] {
        if (answers && nodes_[*to].is_running) return sync(from, *to);
        nodes_[from].membership->on_sync_failed(endpoint, now_);
        reschedule(from);
      },
      4);
}

void Cluster::sync(Index from, Index to) {
  ++sync_count_;
  Membership& dialler = *nodes_[from].membership;
  Membership& listener = *nodes_[to].membership;
  const wire::StateEnd buckets = listener.differing_from(dialler.view().digest());
  std::vector<wire::State> theirs, ours;
  listener.send_state(buckets, {}, [&](const wire::State& state) { theirs.push_back(state); });
  dialler.send_state(buckets, theirs, [&](const wire::State& state) { ours.push_back(state); });
  MembershipOutput out;
  dialler.begin_sync();
  listener.begin_sync();
  for (const wire::State& state : theirs) dialler.merge(state, now_, out);
  dialler.on_sync_done(nodes_[to].endpoint);
  deliver(from, out);
  MembershipOutput reply;
  for (const wire::State& state : ours) listener.merge(state, now_, reply);
  deliver(to, reply);
}

void Cluster::reschedule(Index peer) {
  Node& node = nodes_[peer];
  timers_.erase({node.wake_at, peer});
  node.wake_at = node.membership->wake_at();
  if (node.is_running) timers_.insert({node.wake_at, peer});
}

bool Cluster::reaches(Index from, Index to) const {
  return !is_split_ || nodes_[from].is_left == nodes_[to].is_left;
}

std::optional<Cluster::Index> Cluster::at(const wire::Endpoint& endpoint) const {
  const auto found = by_endpoint_.find(endpoint);
  if (found == by_endpoint_.end()) return std::nullopt;
  return found->second;
}

std::size_t Cluster::running() const {
  return static_cast<std::size_t>(std::ranges::count(nodes_, true, &Node::is_running));
}

bool Cluster::converged() const {
  const std::size_t count = running();
  const auto sees_all = [&](const Node& node) {
    const View& view = node.membership->view();
    if (view.live_count() != count) return false;
    return std::ranges::all_of(nodes_, [&](const Node& other) {
      const Member* member = view.find(other.id);
      return !other.is_running || (member != nullptr && member->state() == MemberState::Alive);
    });
  };
  return std::ranges::all_of(nodes_,
                             [&](const Node& node) { return !node.is_running || sees_all(node); });
}

bool Cluster::all_see_gone(Index peer) const {
  return std::ranges::all_of(nodes_, [&](const Node& node) {
    if (!node.is_running || node.id == nodes_[peer].id) return true;
    const Member* member = node.membership->view().find(nodes_[peer].id);
    return member == nullptr || !is_live(member->state());
  });
}

}  // namespace quadrille::peer::test

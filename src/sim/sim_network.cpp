#include "sim/sim_network.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace quadrille::sim {
namespace {

constexpr std::size_t ip_and_udp_bytes = 28;

Duration time_of(std::uint64_t bytes, std::uint64_t bytes_per_second) {
  return Duration(static_cast<Duration::rep>(bytes * 1'000'000'000 / bytes_per_second));
}

}  // namespace

SimNetwork::SimNetwork(std::size_t node_count, NetworkQuality quality, RandomStream random)
    : quality_(quality), random_(random), nodes_(node_count) {
  join_groups();
}

// No draw where there is no choice: a world without that fault has the same history as before.
bool SimNetwork::chance(double probability) {
  if (probability <= 0) return false;
  return random_.next_u32() < probability * 0x1p32;
}

const SimNetwork::Link* SimNetwork::find_link(NodeIndex from, NodeIndex to) const {
  if (links_.empty()) return nullptr;
  const auto found = links_.find(pair_key(from, to));
  return found == links_.end() ? nullptr : &found->second;
}

void SimNetwork::send(NodeIndex from, NodeIndex to, ByteBuffer bytes, TimePoint now,
                      EventQueue& events) {
  ++nodes_[from].sent.datagrams;
  nodes_[from].sent.datagram_bytes += bytes.size() + ip_and_udp_bytes;
  if (draw_loss(from, to) || is_blocked(from, to)) return;
  if (chance(quality_.duplication)) put_in_flight(from, to, bytes, now, events);
  put_in_flight(from, to, std::move(bytes), now, events);
}

void SimNetwork::put_in_flight(NodeIndex from, NodeIndex to, ByteBuffer bytes, TimePoint now,
                               EventQueue& events) {
  TimePoint arrival = now + draw_delay();
  arrival = arrival + time_of(bytes.size(), bytes_per_second(from, to));
  if (chance(quality_.straggling)) arrival = arrival + quality_.straggle;
  std::uint32_t slot = static_cast<std::uint32_t>(slots_.size());
  if (free_slots_.empty()) {
    slots_.emplace_back();
  } else {
    slot = free_slots_.back();
    free_slots_.pop_back();
  }
  slots_[slot] = {.from = from, .bytes = std::move(bytes)};
  events.push(arrival, {.kind = EventKind::Datagram, .node = to, .subject = slot});
}

SimNetwork::Datagram SimNetwork::take(std::uint32_t slot) {
  free_slots_.push_back(slot);
  return std::move(slots_[slot]);
}

bool SimNetwork::is_blocked(NodeIndex from, NodeIndex to) const {
  if (unheard_[nodes_[from].group][nodes_[to].group]) return true;
  const Link* link = find_link(from, to);
  return link != nullptr && link->fault.blocked;
}

bool SimNetwork::can_stream(NodeIndex a, NodeIndex b) const {
  return !is_blocked(a, b) && !is_blocked(b, a) && nodes_[a].presence != Presence::Absent &&
         nodes_[b].presence != Presence::Absent;
}

Duration SimNetwork::draw_delay() {
  // 32 bits of a second's fraction are finer than the clock.
  const std::uint64_t jitter = static_cast<std::uint64_t>(quality_.jitter.count());
  if (jitter == 0) return quality_.delay;
  const double drawn = random_.next_u32() * 0x1p-32 * static_cast<double>(jitter);
  return quality_.delay + Duration(static_cast<Duration::rep>(drawn));
}

bool SimNetwork::draw_loss(NodeIndex from, NodeIndex to) {
  const Link* link = find_link(from, to);
  return chance(quality_.loss) || (link != nullptr && chance(link->fault.loss));
}

std::uint64_t SimNetwork::bytes_per_second(NodeIndex from, NodeIndex to) const {
  const Link* link = find_link(from, to);
  if (link == nullptr || link->fault.bytes_per_second == 0) return quality_.bytes_per_second;
  return std::min(quality_.bytes_per_second, link->fault.bytes_per_second);
}

TimePoint SimNetwork::transmit(NodeIndex from, NodeIndex to, std::size_t bytes, TimePoint now) {
  nodes_[from].sent.stream_bytes += bytes;
  const std::uint64_t rate = bytes_per_second(from, to);
  // A slow pair does not hold up what the uplink carries to others.
  const auto slow = links_.find(pair_key(from, to));
  const bool is_slow = slow != links_.end() && slow->second.fault.bytes_per_second != 0;
  TimePoint& free = is_slow ? slow->second.free : nodes_[from].uplink_free;
  free = std::max(free, now) + time_of(bytes, rate);
  return free;
}

void SimNetwork::set_fault(NodeIndex from, NodeIndex to, const LinkFault& fault) {
  links_[pair_key(from, to)] = {.fault = fault, .free = {}};
}

void SimNetwork::clear_faults() {
  links_.clear();
}

void SimNetwork::set_group(NodeIndex node, std::uint8_t group) {
  CHECK(group < groups_max, int{group});
  nodes_[node].group = group;
}

void SimNetwork::set_heard(std::uint8_t from_group, std::uint8_t to_group, bool heard) {
  CHECK(from_group < groups_max && to_group < groups_max, int{from_group}, int{to_group});
  unheard_[from_group][to_group] = !heard;
}

void SimNetwork::join_groups() {
  for (Node& node : nodes_) node.group = 0;
  for (std::size_t from = 0; from < groups_max; ++from)
    for (std::size_t to = 0; to < groups_max; ++to) unheard_[from][to] = from != to;
}

}  // namespace quadrille::sim

#include "sim/invariants.hpp"

#include <utility>

#include "base/printed.hpp"
#include "wire/limits.hpp"

namespace quadrille::sim {

Invariants::Invariants(std::uint32_t hosts, std::uint32_t capacity)
    : stride_(hosts <= small_world_hosts ? 1 : hosts / watched_hosts),
      memories_(hosts),
      claims_(hosts, capacity),
      views_(hosts) {}

void Invariants::on_started(const Host& host) {
  memories_[host.node()] = Memory{};
  claims_.on_started(host.node());
  views_.on_started(host.node(), host.run(), host.peer().id());
}

std::optional<Violation> Invariants::check(const Host& host, TimePoint now) {
  Memory& memory = memories_[host.node()];
  if (auto found = check_own_record(host, memory)) return found;
  if (auto found = check_training(host)) return found;
  if (auto found = check_sizes(host)) return found;
  return look_at_view(host, memory, now);
}

std::optional<Violation> Invariants::check_own_record(const Host& host, Memory& memory) {
  const peer::RecordRef& own = host.peer().membership().self();
  const wire::PeerRecord& record = own->record;
  if (own != memory.own) {
    memory.own = own;
    const Edition edition{.incarnation = record.incarnation, .version = record.version};
    if (auto found = views_.on_own_record(host.node(), record.id, edition, host.sent_record()))
      return found;
    ClaimHistory::Claims claims{.cells = claimed_cells(record, host.peer().placement().grid()),
                                .capacity = record.capacity,
                                .failed_here = host.failed_cells(),
                                .has_joined = host.peer().membership().joined(),
                                .is_leaving = host.is_leaving()};
    if (auto found = claims_.look(host.node(), std::move(claims))) return found;
  }
  return record.yields.empty() ? std::nullopt : check_yields(host, record);
}

// I6.
std::optional<Violation> Invariants::check_yields(const Host& host,
                                                  const wire::PeerRecord& record) const {
  const peer::View& view = host.peer().membership().view();
  for (const wire::CellYield& yield : record.yields) {
    const peer::Member* target = view.find(yield.to);
    if (target == nullptr || !peer::is_live(target->state))
      return broken("I6", host.node(), "it yields cell ", yield.first, " to ", yield.to,
                    ", which is not live in its view");
  }
  return std::nullopt;
}

// I3.
std::optional<Violation> Invariants::check_training(const Host& host) const {
  const PeerId self = host.peer().id();
  for (const CellIndex cell : host.peer().training_cells()) {
    const std::optional<PeerId> owner = host.peer().placement().owner(cell);
    if (owner == self) continue;
    return broken("I3", host.node(), "it trains cell ", cell, ", which in its own view is ",
                  owner ? printed("owned by ", *owner) : "vacant");
  }
  return std::nullopt;
}

// I8.
std::optional<Violation> Invariants::check_sizes(const Host& host) const {
  constexpr std::size_t most = wire::envelope_bytes + wire::datagram_body_bytes_max;
  if (host.largest_datagram() > most)
    return broken("I8", host.node(), "it sent a datagram of ", host.largest_datagram(),
                  " bytes; the most is ", most);
  if (!host.worker().complaints().empty())
    return broken("worker", host.node(),
                  "its worker was told what makes no sense: ", host.worker().complaints().front());
  return std::nullopt;
}

// I1, I2, I5, I9, I10.
std::optional<Violation> Invariants::look_at_view(const Host& host, Memory& memory, TimePoint now) {
  if (host.node() % stride_ != 0) return std::nullopt;
  if (stride_ > 1) {
    if (now < memory.next_look) return std::nullopt;
    memory.next_look = now + std::chrono::seconds(1);
  }
  return views_.look(host.node(), host.peer().membership().view(),
                     host.peer().placement().owners_hash());
}

}  // namespace quadrille::sim

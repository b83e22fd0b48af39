#include "sim/invariants.hpp"

#include <utility>

#include "sim/host_rules.hpp"

namespace quadrille::sim {

Invariants::Invariants(std::uint32_t hosts, std::uint32_t capacity)
    : stride_(hosts <= small_world_hosts ? 1 : hosts / watched_hosts),
      capacity_(capacity),
      memories_(hosts),
      gates_(hosts),
      claims_(hosts, capacity),
      views_(hosts) {}

void Invariants::on_started(const Host& host, TimePoint now) {
  memories_[host.node()] = Memory{};
  gates_.on_started(host.node(), host.is_given_seeds(), host.local_time(now));
  claims_.on_started(host.node());
  views_.on_started(host.node(), host.run(), host.peer().id());
}

std::optional<Violation> Invariants::check(const Host& host, TimePoint now) {
  Memory& memory = memories_[host.node()];
  look_at_gate(host, now);
  if (auto found = check_own_record(host, memory)) return found;
  const peer::Placement& placement = host.peer().placement();
  if (auto found = check_training(host.node(), host.peer().id(), host.peer().training_cells(),
                                  [&](CellIndex cell) { return placement.owner(cell); }))
    return found;
  if (auto found = check_sizes(host)) return found;
  return look_at_view(host, memory, now);
}

// At every event: that nothing changed for a second cannot be told from a look each second.
void Invariants::look_at_gate(const Host& host, TimePoint now) {
  if (gates_.may_be_open(host.node())) return;
  const peer::Membership& membership = host.peer().membership();
  gates_.look(host.node(),
              {.view = is_watched(host) ? &membership.view() : nullptr,
               .cells = host.peer().placement().grid().cell_count(),
               .has_joined = membership.joined()},
              host.local_time(now));
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
                                .gate_may_be_open = gates_.may_be_open(host.node()),
                                .is_leaving = host.is_leaving()};
    if (auto found = claims_.look(host.node(), std::move(claims))) return found;
    const HostSizes sizes{.record_bytes = own->bytes.size(),
                          .claim_runs = record.claims.size(),
                          .yields = record.yields.size()};
    if (auto found = sim::check_sizes(host.node(), sizes, capacity_)) return found;
  }
  if (record.yields.empty()) return std::nullopt;
  return check_yields(host.node(), record.yields, host.peer().membership().view());
}

// I8, but for the own record; and what the worker says.
std::optional<Violation> Invariants::check_sizes(const Host& host) const {
  const SimStreams::Load& load = host.stream_load();
  const HostSizes sizes{.datagram_bytes = host.largest_datagram(),
                        .frame_bytes = host.largest_frame(),
                        .backlog_bytes = load.largest_backlog,
                        .members = host.peer().membership().view().members().size(),
                        .streams = load.streams,
                        .accepted = load.accepted,
                        .objects = host.worker().objects_waiting()};
  if (auto found = sim::check_sizes(host.node(), sizes, capacity_)) return found;
  if (!host.worker().complaints().empty())
    return broken("worker", host.node(),
                  "its worker was told what makes no sense: ", host.worker().complaints().front());
  return std::nullopt;
}

// I1, I2, I5, I9, I10.
std::optional<Violation> Invariants::look_at_view(const Host& host, Memory& memory, TimePoint now) {
  if (!is_watched(host)) return std::nullopt;
  if (stride_ > 1) {
    if (now < memory.next_look) return std::nullopt;
    memory.next_look = now + std::chrono::seconds(1);
  }
  return views_.look(host.node(), host.peer().membership().view(),
                     host.peer().placement().owners_hash());
}

}  // namespace quadrille::sim

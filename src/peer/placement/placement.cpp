#include "peer/placement/placement.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "peer/placement/rendezvous.hpp"

namespace quadrille::peer {

namespace {

GrowthRule rule_of(const PlacementOptions& options) {
  return {.genesis = options.genesis, .growth = options.growth, .largest = options.largest};
}

// The stream for one of the parts, so that none shifts another's numbers.
RandomStream split(RandomStream& random) {
  return RandomStream(random.next_u64());
}

}  // namespace

Placement::Placement(const PlacementOptions& options, Self self, RandomStream random)
    : holdings_(
          {.self = self.id, .capacity = options.capacity, .yield_deadline = options.yield_deadline},
          rule_of(options)),
      gate_({.latest = options.gate, .early_quiet = options.early_gate_quiet, .sync = self.sync}),
      brake_({.enabled = options.minority_brake,
              .memory = options.brake_memory,
              .time = options.brake_time}),
      vacancies_({.plan_quiet = options.plan_quiet,
                  .vacancy_max = options.vacancy_max,
                  .stored = std::move(self.stored)},
                 split(random)),
      rebalance_({.members_quiet = options.plan_quiet,
                  .patience = options.vacancy_max,
                  .interval = options.yield_request_interval,
                  .interval_max = options.yield_request_interval_max,
                  .yield_deadline = options.yield_deadline},
                 split(random)),
      departure_(options.yield_deadline),
      growth_(options.growth_patience),
      unheard_stamp_(self.unheard_stamp) {}

void Placement::start(TimePoint now) {
  holdings_.start(now);
  gate_.start(now);
  note(OwnerMap::Shift::Members, now);
}

void Placement::on_member_changed(const MemberChange& change, TimePoint now, PlacementOutput& out) {
  if (change.id == holdings_.self()) return;  // known here before it stood in the record
  note(holdings_.hear(change.id, change.after, now, out), now);
  finish(now, out);
}

void Placement::on_joined() {
  gate_.on_synced();
}

void Placement::on_yield_request(PeerId from, const wire::YieldRequest& request, TimePoint now,
                                 PlacementOutput& out) {
  rebalance_.on_request(from, request, holdings_, now, out);
  finish(now, out);
}

void Placement::on_yield_reply(PeerId from, const wire::YieldReply& reply) {
  rebalance_.on_reply(from, reply);
}

void Placement::on_acquired(CellIndex cell, TimePoint now, PlacementOutput& out) {
  holdings_.acquired(cell, now, out);
  finish(now, out);
}

void Placement::on_acquire_failed(CellIndex cell, TimePoint now, PlacementOutput& out) {
  holdings_.acquire_failed(cell, now);
  finish(now, out);
}

void Placement::decline(CellIndex cell, TimePoint now, PlacementOutput& out) {
  holdings_.decline(cell, now);
  finish(now, out);
}

void Placement::give_up(CellIndex cell, TimePoint now, PlacementOutput& out) {
  holdings_.give_up(cell, now, out);
  finish(now, out);
}

void Placement::on_time(TimePoint now, PlacementOutput& out) {
  holdings_.take_back_expired(now, out);
  holdings_.retry(now);
  open_gate(now, out);
  propose_growth(now, out);
  if (gate_.is_open() && !holdings_.leaving() && !brake_.holds(now)) {
    vacancies_.act(holdings_, now, out);
    rebalance_.act(holdings_, now, out);
  }
  finish(now, out);
}

TimePoint Placement::wake_at() const {
  TimePoint at = holdings_.grants().next_deadline();
  const auto consider = [&at](std::optional<TimePoint> due) {
    if (due) at = std::min(at, *due);
  };
  consider(gate_.due(covers_grid()));
  consider(growth_.due());
  consider(holdings_.retry_due());
  if (!gate_.is_open() || holdings_.leaving()) return at;
  const TimePoint released = brake_.released_at().value_or(TimePoint{Duration::min()});
  for (const auto due : {vacancies_.due(holdings_), rebalance_.due(holdings_)})
    if (due) consider(std::max(*due, released));
  return at;
}

void Placement::note(OwnerMap::Shift shift, TimePoint now) {
  if (shift == OwnerMap::Shift::None) return;
  const OwnerMap& owners = holdings_.owners();
  gate_.note(now);
  vacancies_.note(shift, now);
  rebalance_.note(shift, now);
  departure_.note();
  if (shift == OwnerMap::Shift::Members) brake_.note(owners.peers().size(), now);
  const bool may_grow = owners.rule().next(owners.grid()) && !holdings_.leaving();
  growth_.note(owners.grid(), may_grow && owners.taker_count() >= peers_to_grow(owners.grid()),
               now);
}

// Every event ends here: what it changed of this peer's own is told to the map.
void Placement::finish(TimePoint now, PlacementOutput& out) {
  note(holdings_.commit(now, out), now);
  if (!holdings_.leaving()) return;
  departure_.act(holdings_, now, out);
  note(holdings_.commit(now, out), now);
}

void Placement::open_gate(TimePoint now, PlacementOutput& out) {
  if (gate_.is_open()) return;
  gate_.update(covers_grid(), now);
  if (!gate_.is_open()) return;
  if (gate_.state() == Gate::State::OpenedEarly) vacancies_.hurry();
  if (!gate_.synced()) holdings_.count_from(unheard_stamp_);
  holdings_.open(out);
}

bool Placement::covers_grid() const {
  return holdings_.owners().capacity() >= holdings_.owners().grid().cell_count();
}

// First this peer's place among all is found out, and then it waits for those before it.
void Placement::propose_growth(TimePoint now, PlacementOutput& out) {
  if (!growth_.due() || now < *growth_.due()) return;
  if (!growth_.ranked()) {
    growth_.rank(growth_rank());
    if (now < *growth_.due()) return;
  }
  const auto next = holdings_.owners().rule().next(holdings_.owners().grid());
  CHECK(next.has_value());
  holdings_.grow(*next, now, out);
}

std::uint32_t Placement::growth_rank() const {
  const PeerTable& peers = holdings_.owners().peers();
  const CellIndex seed{holdings_.owners().grid().epoch.epoch};
  const std::uint64_t own = rendezvous_weight(seed, holdings_.self());
  std::uint32_t rank = 0;
  for (PeerSlot slot = 0; slot < peers.slots_end(); ++slot)
    if (peers[slot].record && is_taker(peers[slot].record->record))
      rank += rendezvous_weight(seed, peers.id(slot)) > own ? 1 : 0;
  return rank;
}

void Placement::leave(TimePoint now, PlacementOutput& out) {
  if (holdings_.leaving()) return;
  holdings_.leave(out);
  finish(now, out);
}

void Placement::let_go(TimePoint now, PlacementOutput& out) {
  holdings_.let_go(now, out);
  finish(now, out);
}

bool Placement::drained() const {
  return departure_.is_done(holdings_);
}

const Grid& Placement::grid() const {
  return holdings_.owners().grid();
}

std::vector<wire::ClaimRun> Placement::runs() const {
  return holdings_.claims().encode(grid());
}

std::vector<wire::CellYield> Placement::yields() const {
  return holdings_.grants().encode(grid());
}

std::optional<PeerId> Placement::owner(CellIndex cell) const {
  if (!grid().contains(cell)) return std::nullopt;
  const PeerSlot slot = holdings_.owners().owner(grid().position_of(cell));
  if (slot == no_peer) return std::nullopt;
  return holdings_.owners().peers().id(slot);
}

std::vector<CellIndex> Placement::own_cells() const {
  std::vector<CellIndex> cells;
  for (const OwnClaims::Run& run : holdings_.claims().runs())
    for (std::uint32_t position = run.first; position < run.end(); ++position)
      cells.push_back(grid().cell_at(position));
  return cells;
}

std::uint64_t Placement::owners_hash() const {
  return holdings_.owners().hash();
}

std::uint32_t Placement::vacant_count() const {
  return holdings_.owners().vacant_count();
}

CellIndex Placement::neighbour(CellIndex cell, Direction direction) const {
  CellIndex next = step(grid(), cell, direction);
  while (next != cell && holdings_.owners().owner(grid().position_of(next)) == no_peer)
    next = step(grid(), next, direction);
  return next;
}

std::optional<PeerId> Placement::understudy(CellIndex cell) const {
  return understudies_.of(cell, holdings_.owners());
}

std::vector<CellIndex> Placement::understudied() const {
  return understudies_.cells_of(holdings_.self(), holdings_.owners());
}

}  // namespace quadrille::peer

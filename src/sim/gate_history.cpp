#include "sim/gate_history.hpp"

#include "base/hash.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::sim {
namespace {

// Of what placement goes by. A refutation changes the view, and nothing of this.
std::uint64_t hash_of_place(const wire::PeerRecord& record) {
  std::uint64_t hash = chain(chain(record.id.high, record.id.low), record.capacity);
  hash = chain(hash, std::uint64_t{record.leaving} << 32U | record.grid.epoch);
  for (const wire::ClaimRun& run : record.claims)
    hash = chain(chain(hash, std::uint64_t{run.first} << 32U | run.count), run.stamp);
  for (const wire::CellYield& yield : record.yields)
    hash = chain(chain(hash, std::uint64_t{yield.first} << 32U | yield.count), yield.to.low);
  return hash;
}

}  // namespace

void GateHistory::on_started(NodeIndex node, bool is_given_seeds, TimePoint now) {
  gates_[node] = Gate{};
  gates_[node].started = gates_[node].changed = now;
  gates_[node].is_given_seeds = is_given_seeds;
}

void GateHistory::look(NodeIndex node, const Sight& sight, TimePoint now) {
  Gate& gate = gates_[node];
  if (gate.may_be_open) return;
  if (sight.view == nullptr) {
    gate.may_be_open = sight.has_joined || !gate.is_given_seeds;
    return;
  }
  // Until this event it saw what it saw at the last look.
  const bool early = sight.has_joined && gate.covers_grid && now - gate.changed >= quiet;
  const bool late = now - gate.started >= latest && (sight.has_joined || !gate.is_given_seeds);
  gate.may_be_open = early || late;
  if (sight.view->hash() == gate.view_hash) return;
  gate.view_hash = sight.view->hash();
  see(*sight.view, sight.cells, now, gate);
}

void GateHistory::see(const peer::View& view, std::uint32_t cells, TimePoint now, Gate& gate) {
  std::uint64_t hash = 0;
  std::uint64_t capacity = 0;
  for (const peer::Member& member : view.live()) {
    const wire::PeerRecord& record = member.record->record;
    hash ^= hash_of_place(record);
    if (!record.leaving) capacity += record.capacity;
  }
  if (hash == gate.fleet_hash) return;
  gate.fleet_hash = hash;
  gate.changed = now;
  gate.covers_grid = capacity >= cells;
}

}  // namespace quadrille::sim

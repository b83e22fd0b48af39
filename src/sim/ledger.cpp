#include "sim/ledger.hpp"

#include <utility>

#include "sim/claim_history.hpp"

namespace quadrille::sim {

void Ledger::on_event(const Host& host, TimePoint now) {
  Claims& claims = claims_[host.node()];
  const peer::RecordRef& record = host.peer().membership().self();
  if (record == claims.record) return;
  claims.record = record;
  std::set<CellIndex> cells = claimed_cells(record->record, host.peer().placement().grid());
  for (const CellIndex cell : cells)
    if (!claims.cells.contains(cell))
      moves_.push_back({now, host.node(), cell, Move::Kind::Gained});
  for (const CellIndex cell : claims.cells)
    if (!cells.contains(cell)) moves_.push_back({now, host.node(), cell, Move::Kind::Lost});
  claims.cells = std::move(cells);
}

void Ledger::on_ended(const Host& host, TimePoint now) {
  Claims& claims = claims_[host.node()];
  for (const CellIndex cell : claims.cells)
    moves_.push_back({now, host.node(), cell, Move::Kind::Ended});
  claims = Claims{};
}

}  // namespace quadrille::sim

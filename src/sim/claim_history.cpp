#include "sim/claim_history.hpp"

#include <utility>

namespace quadrille::sim {

std::set<CellIndex> claimed_cells(const wire::PeerRecord& record, const peer::Grid& grid) {
  std::set<CellIndex> cells;
  for (const wire::ClaimRun& run : record.claims)
    for (std::uint32_t offset = 0; offset < run.count; ++offset)
      if (grid.contains({run.first + offset})) cells.insert({run.first + offset});
  return cells;
}

std::optional<Violation> ClaimHistory::look(NodeIndex node, Claims claims) {
  const std::set<CellIndex> before = std::exchange(last_[node], claims.cells);
  if (claims.cells.size() > capacity_)
    return broken("I4", node, "it claims ", claims.cells.size(), " cells and can hold ", capacity_);
  if (claims.cells.size() > claims.capacity)
    return broken("I4", node, "it claims ", claims.cells.size(),
                  " cells and says that it can hold ", claims.capacity);
  for (const CellIndex cell : claims.failed_here)
    if (claims.cells.contains(cell))
      return broken("I4", node, "it claims cell ", cell, ", which failed there");
  if (!claims.cells.empty() && !claims.gate_may_be_open)
    return broken("I4", node, "it claims cells before its gate can have opened");
  if (!claims.is_leaving) return std::nullopt;
  for (const CellIndex cell : claims.cells)
    if (!before.contains(cell)) return broken("I4", node, "it is leaving and gains cell ", cell);
  return std::nullopt;
}

}  // namespace quadrille::sim

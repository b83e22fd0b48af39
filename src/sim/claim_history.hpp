// What hosts claimed before, and what they may therefore not claim now: I4 of docs/simulation.md.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/ids.hpp"
#include "peer/placement/grid.hpp"
#include "sim/event_queue.hpp"
#include "sim/violation.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::sim {

// The cells of the grid that a record claims.
std::set<CellIndex> claimed_cells(const wire::PeerRecord& record, const peer::Grid& grid);

class ClaimHistory {
 public:
  // A host can hold `capacity` cells, whatever its record says.
  ClaimHistory(std::size_t nodes, std::uint32_t capacity) : capacity_(capacity), last_(nodes) {}

  // A new process there, which claims nothing yet.
  void on_started(NodeIndex node) { last_[node].clear(); }

  struct Claims {
    std::set<CellIndex> cells;
    std::uint32_t capacity = 0;         // as the same record says
    std::set<CellIndex> failed_here{};  // with the same process
    bool gate_may_be_open = false;      // GateHistory
    bool is_leaving = false;
  };
  // What its newest record claims.
  std::optional<Violation> look(NodeIndex node, Claims claims);

 private:
  std::uint32_t capacity_;
  std::vector<std::set<CellIndex>> last_;
};

}  // namespace quadrille::sim

// Since when a host may claim cells at all (docs/placement.md, "The gate"), by what it could see
// since its process began: part of I4 of docs/simulation.md. Keeps its own memory, and never asks
// the gate that it judges.
//
// A gate that may be open stays so, whatever is seen later. The time is the host's own.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "base/time.hpp"
#include "peer/membership/view.hpp"
#include "sim/event_queue.hpp"

namespace quadrille::sim {

class GateHistory {
 public:
  // After its start it opens in any case; and once the view was quiet for so long, if those who
  // live can hold the grid.
  static constexpr Duration latest = std::chrono::seconds(12);
  static constexpr Duration quiet = std::chrono::seconds(1);

  explicit GateHistory(std::size_t nodes) : gates_(nodes) {}

  // A new process there, which was told of others (seeds), or was not.
  void on_started(NodeIndex node, bool is_given_seeds, TimePoint now);

  struct Sight {
    // Null: nobody looks at the whole view there, and it counts as one that opens the gate.
    const peer::View* view = nullptr;
    std::uint32_t cells = 0;  // of the grid
    bool has_joined = false;  // its view was levelled with somebody's, or found equal
  };
  // After every event of the host: what it sees now, and has seen since the last look.
  void look(NodeIndex node, const Sight& sight, TimePoint now);

  bool may_be_open(NodeIndex node) const { return gates_[node].may_be_open; }

 private:
  struct Gate {
    TimePoint started;
    bool is_given_seeds = false;
    bool may_be_open = false;
    std::uint64_t view_hash = 0;
    std::uint64_t fleet_hash = 0;
    TimePoint changed;  // since when the fleet looks like that
    bool covers_grid = false;
  };
  static void see(const peer::View& view, std::uint32_t cells, TimePoint now, Gate& gate);

  std::vector<Gate> gates_;
};

}  // namespace quadrille::sim

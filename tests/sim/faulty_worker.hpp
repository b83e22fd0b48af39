// A worker that does one thing wrong, for tests of what looks at workers.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <variant>

#include "sim/sim_worker.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

class FaultyWorker final : public SimWorker {
 public:
  enum class Fault {
    LosesCells,           // says that they have started, and has none
    StartsFromOldStates,  // older than what it has stored, and has none either
    Complains,
    NeverPublishes,  // has its cells, and nothing ever comes of them
  };
  FaultyWorker(Fault fault, const WorkerSeat& seat)
      : SimWorker(seat.options, seat.self, seat.events), fault_(fault), disk_(seat.disk) {}

  void on_round_end(CellIndex, TimePoint, Reports&) override {}
  std::optional<Round> round_of(CellIndex cell) const override {
    const auto found = cells_.find(cell);
    return found == cells_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void carry_out(const peer::WorkerCommand& command, TimePoint, Reports& reports) override {
    if (const auto* release = std::get_if<peer::ReleaseCell>(&command)) cells_.erase(release->cell);
    const auto* start = std::get_if<peer::StartCell>(&command);
    if (start == nullptr) return;
    if (fault_ == Fault::Complains) complain("it is never content");
    if (fault_ == Fault::NeverPublishes) cells_[start->cell] = {};
    if (fault_ == Fault::StartsFromOldStates) {
      disk_.checkpoints[start->cell] = {.index = 5};
      const ToyCell state{
          .cell = start->cell, .round = {.index = 3}, .saved_by = self_.node, .is_handover = true};
      starts_.push_back({.cell = start->cell, .round = state.round, .state = state});
    }
    reports.emplace_back(peer::CellStarted{.cell = start->cell, .round = {}, .neighbours = {}});
  }

  Fault fault_;
  Disk& disk_;
  std::map<CellIndex, Round> cells_;
};

inline WorkerFactory all_with(FaultyWorker::Fault fault) {
  return [fault](const WorkerSeat& seat) { return std::make_unique<FaultyWorker>(fault, seat); };
}

}  // namespace quadrille::sim

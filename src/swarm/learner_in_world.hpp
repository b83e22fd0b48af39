// A real learner in the simulated world. Its arithmetic takes no virtual time; what it says, it
// says when the turn of its device is over, which takes as long as a toy's round.
//
//   StartCell, AdvanceCell --> a turn begins, or has begun --round_time--> Learner::advance(), once
//
// A cell that becomes ready within a turn is worked with the others at its end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/learner.hpp"
#include "sim/sim_worker.hpp"
#include "sim/toy_bytes.hpp"
#include "swarm/handovers.hpp"
#include "worker/learner_worker.hpp"

namespace quadrille::swarm {

class LearnerInWorld final : public sim::SimWorker {
 public:
  LearnerInWorld(const sim::WorkerSeat& seat, std::unique_ptr<peer::Learner> learner,
                 const worker::WorkerOptions& options, Handovers& handovers);

  void on_round_end(CellIndex cell, TimePoint now, Reports& reports) override;
  std::optional<Round> round_of(CellIndex cell) const override { return worker_.round_of(cell); }

 private:
  void carry_out(const peer::WorkerCommand& command, TimePoint now, Reports& reports) override;
  Result<worker::SavedCell> stored(CellIndex cell) const;
  void on_started(const peer::StartCell& command, const peer::CellStarted& started,
                  Reports& reports);
  void store_if_due(const peer::CellPublished& published, Reports& reports);
  void store(CellIndex cell, Round round, ByteBuffer state, Reports& reports);
  void wait_for_turn(CellIndex cell, TimePoint now);
  void note_handovers(std::span<const peer::WorkerReport> reports);
  std::optional<sim::ToyCell> state_of(const peer::StartCell& command, Round round) const;

  sim::Disk& disk_;
  RandomStream random_;
  Handovers& handovers_;
  std::set<std::uint32_t> parking_;  // requests for a state to hand over that are not answered yet
  std::unique_ptr<peer::Learner> learner_;
  worker::LearnerWorker worker_;
  std::optional<TimePoint> turn_ends_;
};

}  // namespace quadrille::swarm

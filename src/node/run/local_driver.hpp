// Drives a learner within one process: works its cells, hands their
// snapshots over in memory, and tells an observer what happened. The
// network driver will do the same with neighbours on other hosts.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/run/clock.hpp"
#include "node/run/local_exchange.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

// Called on the driver's thread, between two calls of advance().
class DriverObserver {
 public:
  virtual ~DriverObserver() = default;
  // The snapshot is in the exchange; Learner::save(cell) is allowed now.
  virtual void on_published(CellIndex cell, Round round) = 0;
  virtual void on_status(const peer::Status& status) = 0;
  virtual void on_notice(const peer::Notice& notice) = 0;
};

class LocalDriver {
 public:
  // What one advance() should take, so that signals and publications are answered soon.
  static constexpr Duration advance_target = std::chrono::milliseconds(100);
  static constexpr std::uint32_t quantum_steps_max = 1U << 20;

  LocalDriver(peer::Learner& learner, LocalExchange& exchange, Clock& clock,
              DriverObserver& observer);

  // Takes a cell that the learner has started.
  void add(CellIndex cell);
  // Forgets a cell (it was released); its snapshots stay in the exchange.
  void remove(CellIndex cell);
  // A parked cell is not advanced any more; its neighbours may still wait for it.
  void park(CellIndex cell);

  // One advance() of all cells that can go on. False when there is nothing left to do: every cell
  // is done, parked or failed, or waits for one that is. Sleeps where all wait for a deadline.
  bool turn();

  struct CellFailure {
    CellIndex cell;
    Error error;
  };
  // Cells that said so, and those whose snapshot the codec refused: no neighbour could read on.
  std::span<const CellFailure> failures() const { return failures_; }
  // Cells that neither ended nor can go on, after turn()
  // returned false: they wait for a cell that failed.
  std::vector<CellIndex> stuck() const;
  std::uint32_t quantum_steps() const { return quantum_.steps; }

 private:
  enum class Phase : std::uint8_t { Runnable, Waiting, Done, Failed };
  struct Chunk {
    CellIndex from;
    Round round;
    ByteBuffer payload;
  };
  struct Cell {
    Phase phase = Phase::Runnable;
    bool parked = false;
    std::vector<CellIndex> neighbours;
    peer::Need need;
    std::optional<TimePoint> deadline;
    std::vector<Chunk> chunks;
  };
  struct Inputs;  // what one advance() is given, and the memory behind it

  bool need_met(CellIndex index, const Cell& cell) const;
  bool ready(CellIndex index, const Cell& cell, TimePoint now) const;
  void collect(CellIndex index, Cell& cell, TimePoint now, Inputs& inputs) const;
  void tune_quantum(Duration taken);
  void apply(const peer::Action& action, TimePoint now);
  void hand_over(const peer::Publish& publish);
  void wait(const peer::Need& need, TimePoint now);
  void fail(CellIndex index, const Error& error);
  bool sleep_to_next_deadline();

  peer::Learner& learner_;
  LocalExchange& exchange_;
  Clock& clock_;
  DriverObserver& observer_;
  std::map<CellIndex, Cell> cells_;
  std::vector<CellFailure> failures_;
  std::vector<peer::Action> actions_;
  peer::Quantum quantum_;
};

}  // namespace quadrille::node

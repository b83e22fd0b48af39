// What stands behind a peer in the world: commands are carried out one after the other, each once
// its virtual time is over, and rounds of cells pass beside them. By what: a toy, or whatever the
// program brings along (WorkerFactory).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/placement/grid.hpp"
#include "peer/worker.hpp"
#include "sim/disk.hpp"
#include "sim/event_queue.hpp"
#include "sim/toy_bytes.hpp"

namespace quadrille::sim {

struct ToyOptions {
  Duration round_time = std::chrono::seconds(1);  // and up to a fifth more or less
  std::uint64_t rounds_max = 0;                   // 0: without end
  std::uint64_t checkpoint_every = 10;
  bool synchronous = false;
  double not_finite = 0;      // of payloads: one in two holds a NaN, the other lies out of norm
  double failing_rounds = 0;  // of all: the cell cannot go on after it
  double failing_places = 0;  // of hosts and cells: there its first round is one of these
  std::uint64_t failing_draw = 0;  // which of them
  std::size_t payload_bytes = 2048;
  std::size_t state_bytes = 4096;
  std::size_t sheet_bytes = 1024;
  Duration encode_time = std::chrono::milliseconds(1);
  Duration apply_time = std::chrono::milliseconds(1);
  Duration state_time = std::chrono::milliseconds(5);   // to save one or start from one
  Duration other_time = std::chrono::microseconds(20);  // anything else

  void end_faults() { not_finite = failing_rounds = failing_places = 0; }
};

class SimWorker {
 public:
  static constexpr std::size_t commands_max = 65536;

  struct Self {
    NodeIndex node = 0;
    std::uint32_t process = 0;
  };
  using Reports = std::vector<peer::WorkerReport>;

  SimWorker(const ToyOptions& options, Self self, EventQueue& events)
      : options_(options), self_(self), events_(events) {}
  virtual ~SimWorker() = default;
  SimWorker(const SimWorker&) = delete;
  SimWorker& operator=(const SimWorker&) = delete;

  void submit(peer::WorkerCommand command, TimePoint now);
  // The events WorkerStep and RoundEnd.
  void on_step(TimePoint now, Reports& reports);
  virtual void on_round_end(CellIndex cell, TimePoint now, Reports& reports) = 0;

  void end_faults() { options_.end_faults(); }

  // How cells began, for those who check it. Emptied by its reader.
  struct Start {
    CellIndex cell;
    Round round;
    std::optional<ToyCell> state;  // that it began from
  };
  std::vector<Start>& starts() { return starts_; }
  // What a peer asked that no peer may ask.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // States, snapshots and sheets that it was asked for and has not come to.
  std::size_t objects_waiting() const { return objects_waiting_; }
  virtual std::optional<Round> round_of(CellIndex cell) const = 0;

 protected:
  virtual void carry_out(const peer::WorkerCommand& command, TimePoint now, Reports& reports) = 0;
  // How long a round takes, where `random` is the worker's own.
  Duration draw_round_time(RandomStream& random) const;
  void complain(std::string what) { complaints_.push_back(std::move(what)); }

  ToyOptions options_;
  Self self_;
  EventQueue& events_;
  std::vector<Start> starts_;

 private:
  Duration time_of(const peer::WorkerCommand& command) const;
  template <class Command, class Opening>
  bool has_waiting(const peer::EdgeId& edge) const;
  void check_waiting(const peer::WorkerCommand& command);

  std::deque<peer::WorkerCommand> commands_;
  std::size_t objects_waiting_ = 0;
  std::vector<std::string> complaints_;
};

// What a worker is made with.
struct WorkerSeat {
  const ToyOptions& options;
  SimWorker::Self self;
  const peer::Grid& grid;
  Disk& disk;
  EventQueue& events;
  RandomStream random;
};
using WorkerFactory = std::function<std::unique_ptr<SimWorker>(const WorkerSeat&)>;

}  // namespace quadrille::sim

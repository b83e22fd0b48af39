// A worker without floats: cells are counters of rounds, replicas are a version and a chain of
// checksums, and every command takes virtual time. What a real worker would check of a payload, it
// checks; what a peer must never ask, it notes as a complaint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "base/time.hpp"
#include "peer/placement/grid.hpp"
#include "peer/worker.hpp"
#include "sim/disk.hpp"
#include "sim/event_queue.hpp"
#include "sim/sim_worker.hpp"
#include "sim/toy_bytes.hpp"

namespace quadrille::sim {

class ToyWorker final : public SimWorker {
 public:
  ToyWorker(const ToyOptions& options, Self self, const peer::Grid& grid, Disk& disk,
            EventQueue& events, RandomStream random);
  explicit ToyWorker(const WorkerSeat& seat)
      : ToyWorker(seat.options, seat.self, seat.grid, seat.disk, seat.events, seat.random) {}

  void on_round_end(CellIndex cell, TimePoint now, Reports& reports) override;
  std::optional<Round> round_of(CellIndex cell) const override;
  std::size_t cell_count() const { return cells_.size(); }

 private:
  struct Cell {
    Round round;
    std::optional<TimePoint> round_ends;
    bool is_parked = false;
    bool is_done = false;
    bool is_failed = false;      // and waits to be released
    bool advance_waits = false;  // it was met while parked
    bool need_waits = false;     // it was not said while parked
    std::vector<peer::SaveState> saves;
  };
  struct Replica {
    std::uint64_t version = 0;
    std::uint64_t checksum = 0;
    Round round;
    std::optional<Round> previous;
  };

  void carry_out(const peer::WorkerCommand& command, TimePoint now, Reports& reports) override;
  void carry_out(const peer::StartCell& command, Reports& reports);
  void carry_out(const peer::ReleaseCell& command, Reports& reports);
  void carry_out(const peer::AdvanceCell& command, Reports& reports);
  void carry_out(const peer::OpenSendingEdge& command, Reports& reports);
  void carry_out(const peer::EncodePayload& command, Reports& reports);
  void carry_out(const peer::CloseSendingEdge& command, Reports& reports);
  void carry_out(const peer::OpenReceivingEdge& command, Reports& reports);
  void carry_out(const peer::ApplyPayload& command, Reports& reports);
  void carry_out(const peer::CloseReceivingEdge& command, Reports& reports);
  void carry_out(const peer::SaveState& command, Reports& reports);
  void carry_out(const peer::ResumeCell& command, Reports& reports);
  void carry_out(const peer::PackSnapshot& command, Reports& reports);
  void carry_out(const peer::DrawSheet& command, Reports& reports);
  void carry_out(const peer::GrowGrid& command, Reports& reports);
  void carry_out(const peer::KeepState& command, Reports& reports);

  struct Beginning {
    Round round;
    std::optional<ToyCell> state;
  };
  std::optional<Beginning> beginning(const peer::StartCell& command) const;
  std::vector<CellIndex> neighbours(CellIndex cell) const;
  void store(CellIndex cell, Round round, Reports& reports);
  void begin_round(CellIndex cell, Cell& state);
  bool draw_failure(CellIndex cell);
  void fail(CellIndex cell, Cell& state, Reports& reports);
  void say_published(CellIndex cell, const Cell& state, Reports& reports) const;
  void say_need(CellIndex cell, const Cell& state, Reports& reports) const;
  void save(CellIndex cell, Cell& state, Reports& reports);
  void check_inputs(const peer::AdvanceCell& command);
  void check_edges_closed(CellIndex cell);
  ToyWeights draw_weights();
  static std::optional<wire::PayloadFault> fault_of(const std::optional<ToyPayload>& payload,
                                                    const peer::ApplyPayload& command,
                                                    const Replica& replica);
  static void report_object(const auto& command, Round round, peer::Payload payload,
                            Reports& reports) {
    reports.emplace_back(peer::ObjectReady{.request = command.request,
                                           .cell = command.cell,
                                           .round = round,
                                           .payload = std::move(payload)});
  }

  peer::Grid grid_;
  Disk& disk_;
  RandomStream random_;
  TimePoint now_;
  std::map<CellIndex, Cell> cells_;
  std::map<peer::EdgeId, Replica> sending_;
  std::map<peer::EdgeId, Replica> receiving_;
  // Rounds that closed edges held last, by reader and source, until the reader is released.
  std::map<std::pair<CellIndex, CellIndex>, Round> left_;
  std::map<CellIndex, peer::KeepState> kept_;
};

}  // namespace quadrille::sim

// A worker without floats: cells are counters of rounds, replicas are a version and a chain of
// checksums, and every command takes virtual time. What a real worker would check of a payload, it
// checks; what a peer must never ask, it notes as a complaint.
//
// Commands are carried out one after the other; rounds of cells pass beside them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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
  double not_finite = 0;  // of payloads: hold a NaN
  std::size_t payload_bytes = 2048;
  std::size_t state_bytes = 4096;
  std::size_t sheet_bytes = 1024;
  Duration encode_time = std::chrono::milliseconds(1);
  Duration apply_time = std::chrono::milliseconds(1);
  Duration state_time = std::chrono::milliseconds(5);   // to save one or start from one
  Duration other_time = std::chrono::microseconds(20);  // anything else
};

class ToyWorker {
 public:
  static constexpr std::size_t commands_max = 65536;

  struct Self {
    NodeIndex node = 0;
    std::uint32_t process = 0;
  };
  ToyWorker(const ToyOptions& options, Self self, const peer::Grid& grid, Disk& disk,
            EventQueue& events, RandomStream random);

  void submit(peer::WorkerCommand command, TimePoint now);
  // The events WorkerStep and RoundEnd.
  void on_step(TimePoint now, std::vector<peer::WorkerReport>& reports);
  void on_round_end(CellIndex cell, TimePoint now, std::vector<peer::WorkerReport>& reports);

  void end_faults() { options_.not_finite = 0; }

  // How cells began, for those who check it. Emptied by its reader.
  struct Start {
    CellIndex cell;
    Round round;
    std::optional<ToyCell> state;  // that it began from
  };
  std::vector<Start>& starts() { return starts_; }
  // What a peer asked that no peer may ask.
  const std::vector<std::string>& complaints() const { return complaints_; }
  std::optional<Round> round_of(CellIndex cell) const;
  std::size_t cell_count() const { return cells_.size(); }

 private:
  struct Cell {
    Round round;
    std::optional<TimePoint> round_ends;
    bool is_parked = false;
    bool is_done = false;
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
  using Reports = std::vector<peer::WorkerReport>;

  Duration time_of(const peer::WorkerCommand& command) const;
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
  void begin_round(CellIndex cell, Cell& state);
  void say_published(CellIndex cell, const Cell& state, Reports& reports) const;
  void say_need(CellIndex cell, const Cell& state, Reports& reports) const;
  void save(CellIndex cell, Cell& state, Reports& reports);
  void check_inputs(const peer::AdvanceCell& command);
  static void report_object(const auto& command, Round round, peer::Payload payload,
                            Reports& reports) {
    reports.emplace_back(peer::ObjectReady{.request = command.request,
                                           .cell = command.cell,
                                           .round = round,
                                           .payload = std::move(payload)});
  }
  void complain(std::string what);

  ToyOptions options_;
  Self self_;
  peer::Grid grid_;
  Disk& disk_;
  EventQueue& events_;
  RandomStream random_;
  TimePoint now_;
  std::deque<peer::WorkerCommand> commands_;
  std::map<CellIndex, Cell> cells_;
  std::map<peer::EdgeId, Replica> sending_;
  std::map<peer::EdgeId, Replica> receiving_;
  // Rounds that closed edges held last, by reader and source, until the reader is released.
  std::map<std::pair<CellIndex, CellIndex>, Round> left_;
  std::map<CellIndex, peer::KeepState> kept_;
  std::vector<Start> starts_;
  std::vector<std::string> complaints_;
};

}  // namespace quadrille::sim

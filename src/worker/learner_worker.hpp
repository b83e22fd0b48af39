// The worker of a device: carries a peer's commands out on a learner, with the floats of its cells
// and of their edges, and reports.
//
// Pure: neither clock nor thread. The driver gives it one of its own, hands it commands in the
// peer's order, and calls advance() while that returns true:
//
//   carry_out(AdvanceCell ...)   the inputs are copied, for the edges may move on meanwhile
//   advance(quantum)             one Learner::advance() of all cells that can go on
//
// What a peer asks of a cell or an edge that is not here was asked before it heard so: orders that
// count on an answer are answered empty, others are passed over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "codec/codec.hpp"
#include "peer/learner.hpp"
#include "peer/worker.hpp"
#include "worker/held_replicas.hpp"
#include "worker/publications.hpp"
#include "worker/saved_cell.hpp"
#include "worker/training_cell.hpp"

namespace quadrille::worker {

struct WorkerOptions {
  codec::CodecOptions codec;
  bool synchronous = false;
  std::size_t sheet_samples = 64;
};

// What else a worker needs of its driver; called within carry_out().
struct WorkerServices {
  // The newest checkpoint of the cell; NotFound where there is none.
  std::function<Result<SavedCell>(CellIndex)> checkpoint;
  // A picture (PNG) of so many samples, as Learner::samples() gives them.
  std::function<Result<ByteBuffer>(std::span<const float> samples, std::size_t count)> paint;
};

class LearnerWorker {
 public:
  static constexpr std::size_t saves_waiting_max = 64;  // of one cell; more are answered empty
  static constexpr std::size_t kept_states_max = 1024;  // as an understudy; more are not kept

  using Reports = std::vector<peer::WorkerReport>;

  // The learner outlives the worker, and is nobody else's meanwhile.
  LearnerWorker(peer::Learner& learner, const WorkerOptions& options, WorkerServices services);
  LearnerWorker(const LearnerWorker&) = delete;
  LearnerWorker& operator=(const LearnerWorker&) = delete;

  void carry_out(const peer::WorkerCommand& command, Reports& reports);
  // Whether there is more to do at once.
  bool advance(peer::Quantum quantum, Reports& reports);
  std::vector<CellIndex> ready_cells() const;  // that advance() would work

  // For a checkpoint. NotFound while the cell is between two round boundaries; one follows every
  // CellPublished until the next advance(). Memory or Limit: what the learner threw.
  Result<SavedCell> save(CellIndex cell) const;
  // The newest round that the cell published.
  std::optional<Round> round_of(CellIndex cell) const;
  std::size_t cell_count() const { return cells_.size(); }

  const Publications& publications() const { return publications_; }
  const HeldReplicas& replicas() const { return replicas_; }

 private:
  // learner_worker.cpp: commands
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

  Result<ByteBuffer> draw(CellIndex cell);

  // learner_worker_start.cpp
  Result<Round> begin(CellIndex cell, const peer::StartOrigin& origin);
  Result<Round> begin_restored(CellIndex cell, SavedCell saved);
  Result<Round> begin_adopted(CellIndex cell, const peer::StartFromSnapshot& from);
  Result<void> start(CellIndex cell, const peer::Origin& origin);
  Result<void> check_snapshot(const PublishedSnapshot& snapshot) const;

  // learner_worker_actions.cpp
  void apply(const peer::Action& action, Reports& reports);
  void publish(const peer::Publish& publish, Reports& reports);
  void fail(CellIndex cell, const Error& error, Reports& reports);
  void answer_saves(CellIndex cell, Reports& reports);

  peer::Learner& learner_;
  WorkerOptions options_;
  WorkerServices services_;
  std::size_t float_count_;
  Publications publications_;
  HeldReplicas replicas_;
  std::map<CellIndex, TrainingCell> cells_;
  std::map<CellIndex, peer::KeepState> kept_;
  std::vector<peer::Action> actions_;
};

}  // namespace quadrille::worker

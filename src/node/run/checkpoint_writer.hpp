// Saves the cells of a peer as they reach the generations that are due, so that every complete
// checkpoint is one generation of all of them: in synchronous mode exactly what an unbroken run
// would go on from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/run/checkpoint.hpp"
#include "node/run/local_exchange.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

class CheckpointWriter {
 public:
  struct Schedule {
    std::uint64_t every;  // generations; 0: only the last one
    std::uint64_t last;   // the run's last generation
  };

  CheckpointWriter(CheckpointStore store, WholeCheckpoint whole, Schedule schedule);

  // One more generation to save, whatever the schedule says: the run stops there.
  void also_at(std::uint64_t generation) { extra_ = generation; }
  // Called for every generation that a cell has just published. Io when the disk refused: this
  // generation is given up, and said once; the next one that is due is tried again.
  Result<void> published(CellIndex cell, std::uint64_t generation, const peer::Learner& learner,
                         const LocalExchange& exchange);
  // Called when all else of a cell's generation is on the disk, too; the last one completes it. Io
  // when the disk refused, Mismatch when a cell was never published: it is given up, too.
  Result<void> ended(std::uint64_t generation);
  std::optional<std::uint64_t> newest_complete() const { return newest_complete_; }

 private:
  // A generation that some cells have reached and others have not.
  struct Pending {
    std::set<CellIndex> saved;
    std::size_t ended = 0;  // cells
    bool given_up = false;
  };

  bool due(std::uint64_t generation) const;
  Result<void> complete(std::uint64_t generation, const Pending& pending) const;
  void give_up(std::uint64_t generation, Pending& pending);

  CheckpointStore store_;
  WholeCheckpoint whole_;
  Schedule schedule_;
  std::optional<std::uint64_t> extra_;
  std::map<std::uint64_t, Pending> pending_;
  std::optional<std::uint64_t> newest_complete_;
};

}  // namespace quadrille::node

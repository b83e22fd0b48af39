#include "node/checkpoint_writer.hpp"

#include <utility>

namespace quadrille::node {

CheckpointWriter::CheckpointWriter(CheckpointStore store, std::size_t cell_count, Schedule schedule)
    : store_(std::move(store)), cell_count_(cell_count), schedule_(schedule) {}

bool CheckpointWriter::due(std::uint64_t generation) const {
  if (generation == 0) return false;
  return generation == schedule_.last || generation == extra_ ||
         (schedule_.every != 0 && generation % schedule_.every == 0);
}

Result<void> CheckpointWriter::published(CellIndex cell, std::uint64_t generation,
                                         const peer::Learner& learner,
                                         const LocalExchange& exchange) {
  if (!due(generation)) return {};
  Pending& pending = pending_[generation];
  const bool last = ++pending.cells == cell_count_;
  Result<void> saved;
  if (!pending.given_up) {
    saved = store_.write_cell(
        generation,
        {.cell = cell, .state = learner.save(cell), .published = exchange.snapshots(cell)});
    if (saved && last) {
      saved = store_.complete(generation);
      if (saved) newest_complete_ = generation;
    }
    if (!saved) {
      store_.abandon(generation);
      pending.given_up = true;
    }
  }
  if (last) pending_.erase(generation);
  return saved;
}

}  // namespace quadrille::node

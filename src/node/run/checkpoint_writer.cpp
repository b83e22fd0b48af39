#include "node/run/checkpoint_writer.hpp"

#include <string>
#include <utility>

namespace quadrille::node {

CheckpointWriter::CheckpointWriter(CheckpointStore store, WholeCheckpoint whole, Schedule schedule)
    : store_(std::move(store)), whole_(std::move(whole)), schedule_(schedule) {}

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
  if (pending.given_up) return {};
  Result<void> saved = store_.write_cell(generation, {.cell = cell,
                                                      .state = learner.save(cell),
                                                      .published = exchange.kept(cell),
                                                      .whole = whole_});
  if (saved)
    pending.saved.insert(cell);
  else
    give_up(generation, pending);
  return saved;
}

Result<void> CheckpointWriter::ended(std::uint64_t generation) {
  const auto found = pending_.find(generation);
  if (found == pending_.end() || ++found->second.ended < whole_.cell_count) return {};
  Result<void> saved;
  if (!found->second.given_up) {
    saved = complete(generation, found->second);
    if (saved)
      newest_complete_ = generation;
    else
      give_up(generation, found->second);
  }
  pending_.erase(found);
  return saved;
}

// Older checkpoints go when this one is there, so it has to be whole.
Result<void> CheckpointWriter::complete(std::uint64_t generation, const Pending& pending) const {
  if (pending.saved.size() == whole_.cell_count) return store_.complete(generation);
  return failure(ErrorCode::Mismatch, store_.path_of(generation).string() + ": only " +
                                          std::to_string(pending.saved.size()) + " of " +
                                          std::to_string(whole_.cell_count) + " cells were saved");
}

void CheckpointWriter::give_up(std::uint64_t generation, Pending& pending) {
  store_.abandon(generation);
  pending.given_up = true;
}

}  // namespace quadrille::node

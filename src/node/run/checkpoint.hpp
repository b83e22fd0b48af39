// Checkpoints of one peer: a directory per generation, one safetensors file per cell.
//
//   checkpoints/000012/cell-00000.safetensors   the cell's state, and its snapshots in flight
//   checkpoints/000013.partial/...              being written
//
// The cells of a generation are saved as each reaches it; the directory gets its name only when all
// are there, synced. So a peer killed at any point finds a whole, consistent generation when it
// resumes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/run/checkpoint_file.hpp"

namespace quadrille::node {

// The newest complete generation in a directory of checkpoints, whoever's, if there is one.
std::optional<std::uint64_t> newest_generation(const std::filesystem::path& directory);
// Has it the name of one that is being written?
bool is_partial_checkpoint(const std::filesystem::path& path);

class CheckpointStore {
 public:
  // `kept` complete checkpoints stay (at least one); older ones of this run are removed. Those of
  // another owner are refused.
  CheckpointStore(std::filesystem::path directory, CheckpointOwner owner, std::size_t kept);

  // Io when the disk refuses, NotFinite when read() would refuse what was written. What was
  // complete before stays.
  Result<void> write_cell(std::uint64_t generation, const CellToSave& cell) const;
  Result<void> complete(std::uint64_t generation) const;
  // Removes what is there of a generation that cannot be completed.
  void abandon(std::uint64_t generation) const;
  // Removes what a killed process left half-written. Io when the directory cannot be read, or
  // something in it not be removed: what is whole in there might go unseen.
  Result<void> remove_partial() const;

  std::filesystem::path path_of(std::uint64_t generation) const;
  std::optional<std::uint64_t> newest() const { return newest_generation(directory_); }
  // Every cell of a complete generation, in their order. Corrupt, Mismatch or Io name the file and
  // the next step.
  Result<std::vector<CheckpointedCell>> read(std::uint64_t generation) const;
  // Mismatch, with the next step, when what was read of it is not exactly these cells.
  Result<void> check_cells(std::uint64_t generation, std::span<const CheckpointedCell> saved,
                           std::span<const CellIndex> cells) const;

  // Scores on two classifiers do not compare, and choose other mixtures. Mismatch, with the next
  // step, where the data's test split came or went, which a person can mend; else what a person
  // should know of it, or nothing.
  Result<std::string> check_classifier(std::uint64_t generation,
                                       std::span<const CheckpointedCell> saved,
                                       const std::optional<ScoredOn>& now) const;
  // What its learner or the exchange refused about a cell that read() gave. That it is of this run
  // and these data was seen there, so what does not fit is damage: names the file and the next
  // step.
  Failure unusable(std::uint64_t generation, CellIndex cell, const Error& why) const;

 private:
  Result<CheckpointedCell> read_cell(std::uint64_t generation,
                                     const std::filesystem::path& path) const;
  Result<void> check_whole(std::uint64_t generation, std::span<const CheckpointedCell> cells) const;
  std::filesystem::path partial_path_of(std::uint64_t generation) const;
  // What to do about a checkpoint that is damaged.
  std::string way_out(std::uint64_t generation) const;

  std::filesystem::path directory_;
  CheckpointOwner owner_;
  std::size_t kept_;
};

}  // namespace quadrille::node

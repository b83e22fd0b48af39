// One cell of a checkpoint as a safetensors file: its state, its snapshots in flight, and in the
// metadata whose they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/run/local_exchange.hpp"
#include "peer/learner.hpp"

namespace quadrille::node {

// The classifier that a run's scores are on. Of a set without a test split it is another one.
struct ScoredOn {
  std::string classifier;   // its name
  bool test_split = false;  // the set had one

  bool operator==(const ScoredOn&) const = default;
};

// What every file of a checkpoint says of the whole of it.
struct WholeCheckpoint {
  std::uint32_t cell_count = 0;            // that it holds; 0: an older version did not say
  std::optional<ScoredOn> scored_on = {};  // none: nothing, or an older version did not say
};

struct CheckpointedCell {
  CellIndex cell;
  peer::CellState state;
  std::vector<PublishedSnapshot> published;  // oldest first
  WholeCheckpoint whole = {};
};

// What is written of one, where it lies.
struct CellToSave {
  CellIndex cell;
  const peer::CellState& state;
  std::vector<KeptSnapshot> published;  // oldest first
  WholeCheckpoint whole;
};

// What a run must not change between its beginning and its end, beside what its id says.
struct TrainedOn {
  std::string data;         // the data set's name
  std::string fingerprint;  // of its content
  GridShape grid;
};

// Whose a checkpoint is.
struct CheckpointOwner {
  std::string run_id;
  TrainedOn trained_on;
};

// "cell-00007.safetensors"
std::string cell_file_name(CellIndex cell);

// Into a directory that is there. Io when the disk refuses, NotFinite when the reader would: what
// holds NaN or infinity is not written.
Result<void> write_cell_file(const std::filesystem::path& directory, const CellToSave& cell,
                             const CheckpointOwner& owner);
// Corrupt when the file is damaged or not a checkpoint, Mismatch when it is of another version,
// run, grid or data set, Io when the system refuses to read it.
Result<CheckpointedCell> read_cell_file(const std::filesystem::path& path,
                                        const CheckpointOwner& owner);

}  // namespace quadrille::node

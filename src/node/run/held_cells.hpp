// How many cells a peer takes on: as --cells says, as its newest checkpoint holds, or all of the
// grid that memory allows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

struct HeldCells {
  std::vector<CellIndex> cells;
  std::string notice;  // for a person, when some cells of the grid have to wait; else empty
};

struct CellsWanted {
  std::optional<std::uint32_t> asked;       // --cells; none for auto
  std::optional<std::uint32_t> saved = {};  // in the checkpoint that the run goes on from
};

// Config when a synchronous run cannot have all its cells here, or memory is too small for one of
// a new run.
Result<HeldCells> held_cells(const RunSpec& spec, const CellsWanted& wanted,
                             std::size_t sample_size, std::uint64_t bytes_available);

// What one cell takes, about: networks, moments, sub-population, activations, snapshots.
Result<std::uint64_t> cell_bytes(const RunSpec& spec, std::size_t sample_size);

}  // namespace quadrille::node

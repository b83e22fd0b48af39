// Reads the named parts of a saved cell. A checkpoint comes from a disk: each part is there, has
// its size and is finite, or the error names it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/result.hpp"
#include "peer/learner.hpp"
#include "train/lipizzaner/genome.hpp"

namespace quadrille::train {

class CheckpointReader {
 public:
  explicit CheckpointReader(const peer::CellState& state) : state_(state) {}

  Round round() const { return state_.round; }
  Result<std::uint64_t> counter(const std::string& name) const;
  // Counters that hold the bits of a double.
  Result<double> number(const std::string& name) const;
  Result<std::span<const float>> floats(const std::string& name, std::size_t count) const;
  // What write_traits() wrote under `prefix`.
  Result<Traits> traits(const std::string& prefix) const;

 private:
  const peer::CellState& state_;
};

void write_number(peer::CellState& state, const std::string& name, double value);
void write_traits(peer::CellState& state, const std::string& prefix, const Traits& traits);

}  // namespace quadrille::train

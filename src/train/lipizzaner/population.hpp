// The sub-population of a cell in device memory: the center in slot 0, then every neighbour that
// was heard of, in the order of first hearing. A slot is laid out as a snapshot is; slots are
// contiguous, so that all members run in one pass. One slot past the last member is for the
// offspring that is tested against them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "compute/backend.hpp"
#include "nn/network.hpp"
#include "peer/learner.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner/setup.hpp"

namespace quadrille::train {

// One network in a slot; the moments are empty where they do not travel.
struct Genome {
  compute::Floats parameters;
  compute::Floats first_moment;
  compute::Floats second_moment;
};

// Holds a discriminator to the run's weight_clip, where it has one. All of a run's are held to it,
// the first and the received ones too: a critic with larger weights would win every contest by its
// scale alone.
void clip_discriminator(compute::Queue& queue, const LipizzanerOptions& options,
                        compute::Floats parameters);

class Population {
 public:
  struct Neighbour {
    CellIndex source;
    Round round;
    PairTraits traits;
  };

  Population(compute::Arena& arena, const Setup& setup);

  // The center, and the neighbours heard of: at least 1.
  std::size_t count() const { return 1 + neighbours_.size(); }
  // In `member`'s slot: 1 to count() - 1.
  const Neighbour& neighbour(std::size_t member) const { return neighbours_.at(member - 1); }
  std::optional<std::size_t> slot_of(CellIndex source) const;

  // slot: 0 to count(), the last one the offspring's.
  Genome genome(Role role, std::size_t slot) const;
  // The networks of the first `slots` slots, for one pass.
  nn::Members members(Role role, std::size_t slots) const;

  // Memory for one network that is free but for the contest: the last slot is an offspring's at
  // most, and no offspring is there while the center trains.
  compute::Floats spare(Role role) const;

  // Puts a snapshot that read_snapshot() found in order into its source's slot, a new one where it
  // is the first of that source.
  void take(compute::Queue& queue, const peer::SnapshotView& snapshot, const PairTraits& traits);
  // All floats of a slot, as take() left them; there after the next synchronise().
  void download(compute::Queue& queue, std::size_t slot, std::span<float> values) const;

 private:
  compute::Floats slot(std::size_t slot) const;
  std::size_t slot_for(CellIndex source);

  const Setup& setup_;
  std::size_t stride_;
  compute::Floats slots_;
  std::vector<Neighbour> neighbours_;
  std::vector<float> mended_;  // a snapshot on its way to the device, where moments travel
};

}  // namespace quadrille::train

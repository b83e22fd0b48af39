// A cell's random numbers, split by purpose: what one consumer draws never shifts another's. All
// positions together are a few integers, saved with the cell.
//
// The owner of every stream is the cell and its life: an adopter starts life anew at the round it
// jumps to, so that it does not draw again what the dead owner drew.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/ids.hpp"
#include "base/random.hpp"
#include "nn/gan_step.hpp"

namespace quadrille::train {

// A stream that the device reads, block after block.
class LatentStream {
 public:
  explicit LatentStream(PhiloxKey key) : key_(key) {}

  nn::LatentDraw take(std::uint64_t blocks) {
    next_block_ += blocks;
    return {.key = key_, .first_block = next_block_ - blocks};
  }
  std::uint64_t position() const { return next_block_; }
  void seek(std::uint64_t block) { next_block_ = block; }

 private:
  PhiloxKey key_;
  std::uint64_t next_block_ = 0;
};

struct CellStreams {
  struct Owner {
    CellIndex cell;
    std::uint64_t life;  // 0, or the round that its adopter jumped to
  };
  CellStreams(std::uint64_t seed, Owner owner);

  RandomStream selection;
  RandomStream mutation;
  RandomStream opponents;
  RandomStream mixture;     // its mutation, and which member makes which sample
  RandomStream evaluation;  // the real rows of a fitness sample
  LatentStream training_latent;
  LatentStream evaluation_latent;
  LatentStream mixture_latent;

  // visit(name, stream) for each, in an order that never changes.
  template <class Streams, class Visit>
  static void for_each(Streams& streams, Visit visit) {
    visit("stream.selection", streams.selection);
    visit("stream.mutation", streams.mutation);
    visit("stream.opponents", streams.opponents);
    visit("stream.mixture", streams.mixture);
    visit("stream.evaluation", streams.evaluation);
    visit("stream.training_latent", streams.training_latent);
    visit("stream.evaluation_latent", streams.evaluation_latent);
    visit("stream.mixture_latent", streams.mixture_latent);
  }
};

// The key of a purpose that has no position: initial weights, batches, sample sheets.
PhiloxKey cell_key(std::uint64_t seed, std::string_view purpose, CellStreams::Owner owner);

}  // namespace quadrille::train

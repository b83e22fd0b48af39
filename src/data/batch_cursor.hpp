// An endless stream of mini-batches over the rows of one cell, shuffled anew in every epoch. Its
// whole state is (epoch, position): a checkpoint keeps two numbers and resumes to the same rows.
//
// A batch never spans two epochs, so no row is in it twice; the rows % batch_size that are left
// over are skipped, other ones in each epoch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/result.hpp"

namespace quadrille::data {

struct CursorState {
  std::uint64_t epoch = 0;
  std::uint64_t position = 0;  // batches drawn in this epoch, 0 to batches_per_epoch()

  bool operator==(const CursorState&) const = default;
};

class BatchCursor {
 public:
  // Config error for a batch of no rows, or of more than there are. `key`: the cell's own stream.
  static Result<BatchCursor> create(std::vector<std::uint32_t> rows, std::size_t batch_size,
                                    PhiloxKey key);

  // The next batch_size rows, valid until the next call. Allocates nothing.
  std::span<const std::uint32_t> next();

  // Without the rows that an epoch skips.
  std::uint64_t batches_per_epoch() const { return rows_.size() / batch_size_; }
  std::size_t batch_size() const { return batch_size_; }
  std::span<const std::uint32_t> rows() const { return rows_; }

  CursorState state() const { return state_; }
  // Mismatch, with nothing changed, for a state that no cursor over these rows was ever in.
  Result<void> restore(CursorState state);

 private:
  BatchCursor(std::vector<std::uint32_t> rows, std::size_t batch_size, PhiloxKey key);
  void shuffle_epoch();

  std::vector<std::uint32_t> rows_;   // the order that every epoch's shuffle starts from
  std::vector<std::uint32_t> order_;  // this epoch's
  std::size_t batch_size_;
  PhiloxKey key_;
  CursorState state_;
};

}  // namespace quadrille::data

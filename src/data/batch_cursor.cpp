#include "data/batch_cursor.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace quadrille::data {
namespace {

// An epoch's shuffle starts at epoch * 2^34 words of the stream: four times what 2^32 rows take
// without rejections, which are rarer than one in two.
constexpr int epoch_words_log2 = 34;
constexpr std::uint64_t epoch_max = (std::uint64_t{1} << (64 - epoch_words_log2)) - 1;

}  // namespace

Result<BatchCursor> BatchCursor::create(std::vector<std::uint32_t> rows, std::size_t batch_size,
                                        PhiloxKey key) {
  if (batch_size == 0)
    return failure(ErrorCode::Config, "batch_size is 0; a batch needs at least 1 row");
  if (batch_size > rows.size())
    return failure(ErrorCode::Config,
                   "batch_size is " + std::to_string(batch_size) + ", but the cell has only " +
                       std::to_string(rows.size()) + " rows of data; lower batch_size to " +
                       std::to_string(rows.size()) +
                       " or less, or give the cell more data (data_fraction, partition)");
  return BatchCursor(std::move(rows), batch_size, key);
}

BatchCursor::BatchCursor(std::vector<std::uint32_t> rows, std::size_t batch_size, PhiloxKey key)
    : rows_(std::move(rows)), order_(rows_), batch_size_(batch_size), key_(key) {
  shuffle_epoch();
}

std::span<const std::uint32_t> BatchCursor::next() {
  if (state_.position == batches_per_epoch()) {
    state_ = {.epoch = state_.epoch + 1, .position = 0};
    shuffle_epoch();
  }
  const std::size_t first = static_cast<std::size_t>(state_.position++) * batch_size_;
  return std::span(order_).subspan(first, batch_size_);
}

Result<void> BatchCursor::restore(CursorState state) {
  if (state.epoch > epoch_max || state.position > batches_per_epoch())
    return failure(ErrorCode::Mismatch,
                   "the data cursor is at batch " + std::to_string(state.position) + " of epoch " +
                       std::to_string(state.epoch) + ", but an epoch has " +
                       std::to_string(batches_per_epoch()) +
                       " batches; the checkpoint is of other data or another batch_size");
  const bool other_epoch = state.epoch != state_.epoch;
  state_ = state;
  if (other_epoch) shuffle_epoch();
  return {};
}

void BatchCursor::shuffle_epoch() {
  std::ranges::copy(rows_, order_.begin());
  RandomStream random(key_, state_.epoch << epoch_words_log2);
  random.shuffle(order_);
}

}  // namespace quadrille::data

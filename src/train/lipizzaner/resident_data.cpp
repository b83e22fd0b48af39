#include "train/lipizzaner/resident_data.hpp"

#include <span>

namespace quadrille::train {

ResidentData::ResidentData(compute::Backend& backend, const data::Dataset& dataset)
    : sample_size_(dataset.shape.size()), arena_(backend.make_arena()) {
  if (dataset.is_image())
    bytes_ = arena_->resident(std::span<const std::uint8_t>(dataset.bytes));
  else
    points_ = arena_->resident(std::span<const float>(dataset.points));
}

void ResidentData::gather(compute::Queue& queue, compute::ConstWords rows,
                          compute::Floats to) const {
  if (points_.empty())
    queue.submit(compute::GatherBytes{.row_count = rows.count(),
                                      .columns = sample_size_,
                                      .source = bytes_,
                                      .rows = rows,
                                      .scale = data::byte_scale,
                                      .shift = data::byte_shift,
                                      .to = to});
  else
    queue.submit(compute::GatherFloats{.row_count = rows.count(),
                                       .columns = sample_size_,
                                       .source = points_,
                                       .rows = rows,
                                       .to = to});
}

}  // namespace quadrille::train

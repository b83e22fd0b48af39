#include "train/score/dataset_rows.hpp"

#include "base/check.hpp"

namespace quadrille::train {
namespace {

// Copies the values [first, first + to.size()) of the whole set.
void copy_values(const data::Dataset& dataset, std::size_t first, std::span<float> to) {
  if (!dataset.is_image()) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = dataset.points[first + i];
    return;
  }
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = static_cast<float>(dataset.bytes[first + i]) * data::byte_scale + data::byte_shift;
}

}  // namespace

void copy_rows(const data::Dataset& dataset, std::span<const std::uint32_t> rows,
               std::span<float> to) {
  const std::size_t size = dataset.shape.size();
  CHECK(to.size() == rows.size() * size, to.size(), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i] < dataset.count, rows[i], dataset.count);
    copy_values(dataset, rows[i] * size, to.subspan(i * size, size));
  }
}

void copy_rows_from(const data::Dataset& dataset, std::size_t first, std::span<float> to) {
  const std::size_t size = dataset.shape.size();
  CHECK(to.size() % size == 0 && first + to.size() / size <= dataset.count, first, to.size());
  copy_values(dataset, first * size, to);
}

}  // namespace quadrille::train

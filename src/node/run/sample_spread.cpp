#include "node/run/sample_spread.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quadrille::node {

double sample_spread(std::span<const float> samples, std::size_t size) {
  const std::size_t count = size == 0 ? 0 : samples.size() / size;
  if (count < 2) return 0;
  std::vector<double> sum(size), sum_of_squares(size);
  for (std::size_t row = 0; row < count; ++row)
    for (std::size_t i = 0; i < size; ++i) {
      const double value = samples[row * size + i];
      sum[i] += value;
      sum_of_squares[i] += value * value;
    }
  double spread = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double mean = sum[i] / static_cast<double>(count);
    spread +=
        std::sqrt(std::max(0.0, sum_of_squares[i] / static_cast<double>(count) - mean * mean));
  }
  return spread / static_cast<double>(size);
}

double dataset_spread(const data::Dataset& dataset, std::size_t count) {
  const std::size_t values = std::min(count, dataset.count) * dataset.shape.size();
  if (!dataset.is_image())
    return sample_spread(std::span(dataset.points).first(values), dataset.shape.size());
  std::vector<float> scaled(values);
  std::ranges::transform(std::span(dataset.bytes).first(values), scaled.begin(),
                         [](std::uint8_t byte) {
                           return static_cast<float>(byte) * data::byte_scale + data::byte_shift;
                         });
  return sample_spread(scaled, dataset.shape.size());
}

}  // namespace quadrille::node

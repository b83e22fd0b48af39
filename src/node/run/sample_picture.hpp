// A picture of generated samples, whatever the data set
// holds: tiles of images, or points over the real ones.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "base/result.hpp"
#include "data/dataset.hpp"

namespace quadrille::node {

// Points are too small to be told apart one by one: a scatter plot shows at least this many.
inline constexpr std::size_t scatter_points_min = 2000;

// samples: (count, sample size), in the data set's scale.
Result<void> write_samples(const std::filesystem::path& path, std::span<const float> samples,
                           std::size_t count, const data::Dataset& dataset);

}  // namespace quadrille::node

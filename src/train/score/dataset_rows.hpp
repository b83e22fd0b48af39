// Rows of a data set as floats on the host, scaled as the backend scales a mini-batch: the real
// side of a score, which is computed once and off the training path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/dataset.hpp"

namespace quadrille::train {

// to: (rows.size(), sample size).
void copy_rows(const data::Dataset& dataset, std::span<const std::uint32_t> rows,
               std::span<float> to);

// The consecutive rows [first, first + to.size() / sample size).
void copy_rows_from(const data::Dataset& dataset, std::size_t first, std::span<float> to);

}  // namespace quadrille::train

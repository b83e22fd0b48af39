// How much samples differ from each other: the mean
// over pixels of the standard deviation over samples.
#pragma once

#include <cstddef>
#include <span>

#include "data/dataset.hpp"

namespace quadrille::node {

// samples: (count, size), in the data set's scale. 0 for fewer than two.
double sample_spread(std::span<const float> samples, std::size_t size);
// Of the first rows of a data set, at most `count`.
double dataset_spread(const data::Dataset& dataset, std::size_t count);

}  // namespace quadrille::node

// Improved precision and recall (Kynkaanniemi et al. 2019): precision is the share
// of generated samples that lie within the real manifold, recall the share of real
// samples that lie within the generated one. A manifold is the union of balls
// around its samples, each reaching to its k-th nearest neighbour in features. All
// against all: meant for at most precision_recall_count_max samples a side.
#pragma once

#include <cstddef>
#include <span>

#include "base/result.hpp"

namespace quadrille::train {

inline constexpr std::size_t precision_recall_neighbour = 3;  // k
inline constexpr std::size_t precision_recall_count_min = 100;
inline constexpr std::size_t precision_recall_count_max = 2000;

struct PrecisionRecall {
  double precision;
  double recall;
};

struct FeaturePair {
  std::span<const float> real;       // (any count, dimension)
  std::span<const float> generated;  // (any count, dimension)
};

// Config when a side has fewer than precision_recall_count_min samples, or more than the largest
// number; NotFinite when a feature is.
Result<PrecisionRecall> precision_recall(const FeaturePair& features, std::size_t dimension);

}  // namespace quadrille::train

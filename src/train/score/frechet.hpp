// Frechet distance between two sets of feature vectors,
// each taken for a Gaussian (Heusel et al. 2017):
//
//   |m1 - m2|^2 + tr(S1 + S2 - 2 (S1 S2)^(1/2))
//
// in double precision. The value belongs to its features: distances over other features, or over
// another N, are not comparable (docs/scores.md).
//
// The subtlety is the trace term. With S = L L^T it is the sum of the singular values of L1^T L2,
// found as the non-negative eigenvalues of a symmetric matrix of twice the size. The square roots
// of the eigenvalues of S1 S2 would lose half the digits wherever a feature hardly varies.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace quadrille::train {

// Mean and unbiased covariance (row-major) of `count` vectors.
struct Gaussian {
  std::size_t dimension = 0;
  std::size_t count = 0;
  std::vector<double> mean;
  std::vector<double> covariance;
};

// Sums of rows that need not all be in memory at once.
class Moments {
 public:
  explicit Moments(std::size_t dimension);

  void add(std::span<const float> rows);  // (any count, dimension)
  // NotFinite when a value was NaN or infinite; Config
  // when there were fewer than frechet_count_min rows.
  Result<Gaussian> gaussian() const;

 private:
  std::size_t dimension_;
  std::size_t count_ = 0;
  std::vector<double> origin_;    // the first row: sums around it cancel less than around 0
  std::vector<double> sums_;      // of x - origin
  std::vector<double> products_;  // of (x - origin) (x - origin)^T, lower triangle
};

// With fewer samples than twice the dimension a covariance
// is mostly noise, and the distance mostly bias.
constexpr std::size_t frechet_count_min(std::size_t dimension) {
  return 2 * dimension;
}

// So many samples of so many features.
struct FeatureSize {
  std::size_t count;
  std::size_t dimension;
};
// Config, with what to do, when they are too few.
Result<void> check_frechet_count(FeatureSize size);

// The real side of a distance, with what depends on it alone computed once.
class FrechetReference {
 public:
  explicit FrechetReference(Gaussian real);

  // Of one dimension with the real side. NaN where the covariances are too large to be worked with.
  double distance(const Gaussian& generated) const;

 private:
  Gaussian real_;
  std::vector<double> factor_;  // L of the real covariance
};

}  // namespace quadrille::train

#include "train/score/precision_recall.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "base/all_finite.hpp"
#include "base/check.hpp"

namespace quadrille::train {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;

// Rows whose distances to all others are in memory at a time.
constexpr Eigen::Index rows_per_distance_block = 128;

// Distances from p to q are |p|^2 + |q|^2 - 2 p q: a difference of this share of the norms is
// rounding, so that a sample counts as within a ball of radius 0 around its own copy.
constexpr double rounding = 1e-12;

Matrix matrix_of(std::span<const float> rows, std::size_t dimension) {
  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const FloatRows>(rows.data(),
                                     static_cast<Eigen::Index>(rows.size() / dimension),
                                     static_cast<Eigen::Index>(dimension))
      .cast<double>();
}

// Squared distances from rows [start, start + height)
// of `from` to every row of `to`: (height, to.rows()).
Matrix squared_distances(const Matrix& from, Eigen::Index start, Eigen::Index height,
                         const Matrix& to) {
  const auto block = from.middleRows(start, height);
  Matrix out = -2 * block * to.transpose();
  out.colwise() += block.rowwise().squaredNorm();
  out.rowwise() += to.rowwise().squaredNorm().transpose();
  return out;
}

// For each row, the squared distance to the k-th nearest of the other rows.
Vector squared_radii(const Matrix& rows) {
  Vector radii(rows.rows());
  for (Eigen::Index start = 0; start < rows.rows(); start += rows_per_distance_block) {
    const Eigen::Index height = std::min(rows_per_distance_block, rows.rows() - start);
    Matrix distances = squared_distances(rows, start, height, rows);
    for (Eigen::Index r = 0; r < height; ++r) {
      distances(r, start + r) = std::numeric_limits<double>::infinity();  // itself
      double* first = distances.row(r).data();
      double* kth = first + (precision_recall_neighbour - 1);
      std::nth_element(first, kth, first + distances.cols());
      radii(start + r) = *kth;
    }
  }
  return radii;
}

// The share of `rows` that lie in at least one ball around a row of `centres`.
double share_within(const Matrix& rows, const Matrix& centres, const Vector& radii) {
  Eigen::Index within = 0;
  const Vector slack = rounding * centres.rowwise().squaredNorm();
  for (Eigen::Index start = 0; start < rows.rows(); start += rows_per_distance_block) {
    const Eigen::Index height = std::min(rows_per_distance_block, rows.rows() - start);
    const Matrix distances = squared_distances(rows, start, height, centres);
    for (Eigen::Index r = 0; r < height; ++r)
      within += (distances.row(r).transpose() - radii - slack).minCoeff() <= 0 ? 1 : 0;
  }
  return static_cast<double>(within) / static_cast<double>(rows.rows());
}

Result<void> check_side(const char* side, std::span<const float> features, std::size_t dimension) {
  const std::size_t count = features.size() / dimension;
  if (count < precision_recall_count_min || count > precision_recall_count_max)
    return failure(ErrorCode::Config, "precision and recall take " +
                                          std::to_string(precision_recall_count_min) + " to " +
                                          std::to_string(precision_recall_count_max) + " " + side +
                                          " samples, not " + std::to_string(count));
  if (!all_finite(features))
    return failure(ErrorCode::NotFinite,
                   std::string("a feature of the ") + side + " samples is not a finite number");
  return {};
}

}  // namespace

Result<PrecisionRecall> precision_recall(const FeaturePair& features, std::size_t dimension) {
  CHECK(dimension > 0 && features.real.size() % dimension == 0 &&
            features.generated.size() % dimension == 0,
        features.real.size(), features.generated.size(), dimension);
  TRY_VOID(check_side("real", features.real, dimension));
  TRY_VOID(check_side("generated", features.generated, dimension));
  const Matrix real = matrix_of(features.real, dimension);
  const Matrix generated = matrix_of(features.generated, dimension);
  return PrecisionRecall{.precision = share_within(generated, real, squared_radii(real)),
                         .recall = share_within(real, generated, squared_radii(generated))};
}

}  // namespace quadrille::train

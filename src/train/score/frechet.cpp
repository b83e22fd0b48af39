#include "train/score/frechet.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include <Eigen/Eigenvalues>

#include "base/all_finite.hpp"
#include "base/check.hpp"

namespace quadrille::train {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using MatrixView = Eigen::Map<const Matrix>;
using VectorView = Eigen::Map<const Vector>;

// Rows converted to double at a time: they stay in the cache.
constexpr std::size_t rows_per_block = 256;

Eigen::Index extent(std::size_t count) {
  return static_cast<Eigen::Index>(count);
}

MatrixView square(const std::vector<double>& values, std::size_t dimension) {
  return MatrixView(values.data(), extent(dimension), extent(dimension));
}

VectorView vector(const std::vector<double>& values) {
  return VectorView(values.data(), extent(values.size()));
}

// L with L L^T = covariance. Eigenvalues that rounding made negative are 0.
Matrix factor_of(const Gaussian& gaussian) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(
      square(gaussian.covariance, gaussian.dimension));
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

// The sum of a square matrix's singular values:
// [[0, A], [A^T, 0]] has them, and their negatives, as eigenvalues.
double singular_value_sum(const Matrix& a) {
  const Eigen::Index n = a.rows();
  Matrix symmetric = Matrix::Zero(2 * n, 2 * n);
  symmetric.bottomLeftCorner(n, n) = a.transpose();  // the solver reads the lower triangle alone
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(symmetric, Eigen::EigenvaluesOnly);
  if (solver.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  return solver.eigenvalues().cwiseMax(0).sum();
}

}  // namespace

Moments::Moments(std::size_t dimension)
    : dimension_(dimension), sums_(dimension, 0), products_(dimension * dimension, 0) {
  CHECK(dimension > 0);
}

void Moments::add(std::span<const float> rows) {
  CHECK(rows.size() % dimension_ == 0, rows.size(), dimension_);
  if (rows.empty()) return;
  if (origin_.empty()) origin_.assign(rows.begin(), rows.begin() + extent(dimension_));
  using FloatRows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const FloatRows> all(rows.data(), extent(rows.size() / dimension_),
                                        extent(dimension_));
  Eigen::Map<Vector> sums(sums_.data(), extent(dimension_));
  Eigen::Map<Matrix> products(products_.data(), extent(dimension_), extent(dimension_));
  Matrix block;
  for (Eigen::Index start = 0; start < all.rows(); start += extent(rows_per_block)) {
    const Eigen::Index height = std::min(extent(rows_per_block), all.rows() - start);
    block = all.middleRows(start, height).cast<double>();
    block.rowwise() -= vector(origin_).transpose();
    sums += block.colwise().sum().transpose();
    products.selfadjointView<Eigen::Lower>().rankUpdate(block.transpose());
  }
  count_ += static_cast<std::size_t>(all.rows());
}

Result<Gaussian> Moments::gaussian() const {
  TRY_VOID(check_frechet_count({.count = count_, .dimension = dimension_}));
  const auto n = static_cast<double>(count_);
  const Vector shift = vector(sums_) / n;
  Matrix covariance = square(products_, dimension_).selfadjointView<Eigen::Lower>();
  covariance = (covariance - n * shift * shift.transpose()) / (n - 1);
  const Vector mean = vector(origin_) + shift;
  Gaussian out{.dimension = dimension_, .count = count_, .mean = {}, .covariance = {}};
  out.mean.assign(mean.data(), mean.data() + mean.size());
  out.covariance.assign(covariance.data(), covariance.data() + covariance.size());
  if (!all_finite(out.mean) || !all_finite(out.covariance))
    return failure(ErrorCode::NotFinite,
                   "the features of the samples are not finite numbers: the generator that made "
                   "them has diverged");
  return out;
}

Result<void> check_frechet_count(FeatureSize size) {
  const auto [count, dimension] = size;
  if (count >= frechet_count_min(dimension)) return {};
  return failure(ErrorCode::Config, std::to_string(count) +
                                        " samples are too few for a Frechet "
                                        "distance on " +
                                        std::to_string(dimension) + " features: take " +
                                        std::to_string(frechet_count_min(dimension)) + " or more");
}

FrechetReference::FrechetReference(Gaussian real) : real_(std::move(real)) {
  const Matrix factor = factor_of(real_);
  factor_.assign(factor.data(), factor.data() + factor.size());
}

double FrechetReference::distance(const Gaussian& generated) const {
  CHECK(generated.dimension == real_.dimension, generated.dimension, real_.dimension);
  const double between_means = (vector(real_.mean) - vector(generated.mean)).squaredNorm();
  const double traces = square(real_.covariance, real_.dimension).trace() +
                        square(generated.covariance, real_.dimension).trace();
  const double shared =
      singular_value_sum(square(factor_, real_.dimension).transpose() * factor_of(generated));
  const double distance = between_means + traces - 2 * shared;
  return distance < 0 ? 0 : distance;  // rounding; NaN stays
}

}  // namespace quadrille::train

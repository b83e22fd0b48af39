#include "train/score/modes.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.hpp"
#include "train/score/tvd.hpp"

namespace quadrille::train {
namespace {

// The share of a round 2-D Gaussian beyond three sigma of its centre: exp(-r^2 / 2).
const double true_share_outside = std::exp(-mode_radius_sigmas * mode_radius_sigmas / 2);

struct Nearest {
  std::size_t mode = 0;
  double squared_distance = 0;
};

Nearest nearest_mode(std::span<const float> point, const data::MixtureTruth& truth) {
  Nearest nearest;
  for (std::size_t mode = 0; mode < truth.centres.size(); ++mode) {
    const double dx = double{point[0]} - double{truth.centres[mode][0]};
    const double dy = double{point[1]} - double{truth.centres[mode][1]};
    const double squared = dx * dx + dy * dy;
    if (mode == 0 || squared < nearest.squared_distance) nearest = {mode, squared};
  }
  return nearest;
}

}  // namespace

std::size_t ModeCounts::covered_count_min() const {
  return std::max<std::size_t>(1, sample_count / (good.size() * mode_share_divisor));
}

std::size_t ModeCounts::covered() const {
  const std::size_t enough = covered_count_min();
  return static_cast<std::size_t>(
      std::ranges::count_if(good, [enough](std::size_t count) { return count >= enough; }));
}

double ModeCounts::good_share() const {
  const std::size_t sum = std::accumulate(good.begin(), good.end(), std::size_t{0});
  return static_cast<double>(sum) / static_cast<double>(sample_count);
}

ModeCounts count_modes(std::span<const float> points, const data::MixtureTruth& truth) {
  CHECK(!points.empty() && points.size() % 2 == 0, points.size());
  CHECK(!truth.centres.empty());
  const double radius = mode_radius_sigmas * double{truth.sigma};
  ModeCounts counts{.good = std::vector<std::size_t>(truth.centres.size(), 0),
                    .sample_count = points.size() / 2};
  for (std::size_t start = 0; start < points.size(); start += 2) {
    const Nearest nearest = nearest_mode(points.subspan(start, 2), truth);
    // False for NaN too.
    if (nearest.squared_distance <= radius * radius) ++counts.good[nearest.mode];
  }
  return counts;
}

double mode_score(const ModeCounts& counts) {
  const auto mode_count = static_cast<double>(counts.good.size());
  std::vector<double> real(counts.good.size(), (1 - true_share_outside) / mode_count);
  std::vector<double> generated;
  for (const std::size_t good : counts.good)
    generated.push_back(static_cast<double>(good) / static_cast<double>(counts.sample_count));
  real.push_back(true_share_outside);
  generated.push_back(1 - counts.good_share());
  return total_variation(real, generated);
}

}  // namespace quadrille::train

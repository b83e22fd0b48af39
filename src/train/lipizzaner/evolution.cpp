#include "train/lipizzaner/evolution.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/all_finite.hpp"
#include "base/check.hpp"

namespace quadrille::train {

double aggregate_fitness(FitnessAggregate aggregate, std::span<const double> losses) {
  CHECK(!losses.empty());
  if (!all_finite(losses)) return std::numeric_limits<double>::infinity();
  switch (aggregate) {
    case FitnessAggregate::Worst:
      return std::ranges::max(losses);
    case FitnessAggregate::Best:
      return std::ranges::min(losses);
    case FitnessAggregate::Average:
      break;
  }
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

std::size_t tournament(RandomStream& random, std::span<const double> fitness, std::uint32_t size) {
  CHECK(!fitness.empty());
  CHECK(size > 0);
  const std::size_t count = fitness.size();
  std::size_t wanted = std::min<std::size_t>(size, count);
  std::size_t winner = count;
  // Selection sampling (Knuth, The Art of Computer Programming, 3.4.2, algorithm S).
  for (std::size_t member = 0; member < count && wanted > 0; ++member) {
    const auto left = static_cast<std::uint32_t>(count - member);
    if (random.below(left) >= wanted) continue;
    --wanted;
    const bool better = winner == count || fitness[member] < fitness[winner] ||
                        (std::isnan(fitness[winner]) && !std::isnan(fitness[member]));
    if (better) winner = member;
  }
  return winner;
}

double mutated_rate(RandomStream& random, double rate, BaseRate base, RateMutation mutation) {
  const bool mutates = random.uniform() < mutation.probability;
  const double step = random.normal() * mutation.sigma * base.value;
  return mutates ? clamp_rate(rate + step, base) : rate;
}

compute::LossKind mustangs_loss(RandomStream& random) {
  return mustangs_losses[random.below(mustangs_losses.size())];
}

void mutate_mixture(RandomStream& random, std::span<const double> parent, double sigma,
                    std::span<double> child) {
  CHECK(parent.size() == child.size(), parent.size(), child.size());
  double sum = 0;
  for (std::size_t i = 0; i < parent.size(); ++i) {
    child[i] = std::max(0.0, parent[i] + sigma * random.normal());
    sum += child[i];
  }
  if (sum <= 0) {
    std::ranges::copy(parent, child.begin());
    return;
  }
  for (double& weight : child) weight /= sum;
}

}  // namespace quadrille::train

#include "node/run/verdict.hpp"

#include <cmath>
#include <cstdio>

namespace quadrille::node {

void Verdict::observe(const Observation& observation) {
  last_ = observation;
  ++observed_;
  if (!observation.score || !std::isfinite(*observation.score)) return;
  // Scores that are negated measures lie below zero: the margin goes by size.
  if (!best_ || *observation.score < *best_->score - improvement_min * std::abs(*best_->score))
    best_ = observation;
}

std::string Verdict::text() const {
  char line[80];
  if (last_.rolled_back) return "diverged (NaN: rolled back)";
  if (last_.score && !std::isfinite(*last_.score)) return "diverged (the score is not finite)";
  if (last_.diversity && *last_.diversity < diversity_min &&
      last_.images_seen >= collapse_images_min) {
    std::snprintf(line, sizeof line, "collapsed (samples spread %.0f %% of the real ones)",
                  *last_.diversity * 100);
    return line;
  }
  if (last_.score && best_ && *best_->score > 0 &&
      *last_.score > divergence_factor * *best_->score) {
    std::snprintf(line, sizeof line, "diverged (the score is %.1f times its best)",
                  *last_.score / *best_->score);
    return line;
  }
  if (observed_ < 2) return "starting";
  if (!last_.score) return "training";
  if (best_->generation == last_.generation) return "improving";
  // The best cell changes, and another one may have seen less.
  const std::uint64_t since =
      last_.images_seen > best_->images_seen ? last_.images_seen - best_->images_seen : 0;
  if (since < flat_images_min) {
    std::snprintf(line, sizeof line, "best was %.3g at generation %llu", *best_->score,
                  static_cast<unsigned long long>(best_->generation));
    return line;
  }
  std::snprintf(line, sizeof line, "flat for %llu thousand images",
                static_cast<unsigned long long>(since / 1000));
  return line;
}

}  // namespace quadrille::node

#include "node/run/verdict.hpp"

#include <cmath>
#include <cstdio>

namespace quadrille::node {

void Verdict::observe(const Observation& observation) {
  last_ = observation;
  ++observed_;
  if (!observation.score || !std::isfinite(*observation.score)) return;
  const double score = *observation.score;
  // Scores that are negated measures lie below zero: the margin goes by size.
  if (!best_ || score < *best_ - improvement_min * std::abs(*best_)) {
    best_ = score;
    best_at_ = observation.images_seen;
  }
}

std::string Verdict::text() const {
  char line[80];
  if (last_.rolled_back) return "diverged (NaN: rolled back)";
  if (last_.score && !std::isfinite(*last_.score)) return "diverged (the score is not finite)";
  if (last_.diversity && *last_.diversity < diversity_min) {
    std::snprintf(line, sizeof line, "collapsed (samples spread %.0f %% of the real ones)",
                  *last_.diversity * 100);
    return line;
  }
  if (last_.score && best_ && *best_ > 0 && *last_.score > divergence_factor * *best_) {
    std::snprintf(line, sizeof line, "diverged (the score is %.1f times its best)",
                  *last_.score / *best_);
    return line;
  }
  if (observed_ < 2) return "starting";
  if (!last_.score) return "training";
  // The best cell changes, and another one may have seen less.
  const std::uint64_t since = last_.images_seen > best_at_ ? last_.images_seen - best_at_ : 0;
  if (since < flat_images_min) return "improving";
  std::snprintf(line, sizeof line, "flat for %llu thousand images",
                static_cast<unsigned long long>(since / 1000));
  return line;
}

}  // namespace quadrille::node

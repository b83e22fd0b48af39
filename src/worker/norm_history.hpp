// Whether the norm of some weights is in keeping with what the edge carried so far: within a factor
// of the median of the last ones.
//
// A norm that was refused counts, too: what stays different is believed in the end, so that an edge
// cannot be cut for ever by one leap of its source.
#pragma once

#include <cstddef>
#include <deque>
#include <span>

namespace quadrille::worker {

// sqrt(sum of squares), in double precision.
double norm_of(std::span<const float> values);

class NormHistory {
 public:
  static constexpr std::size_t norms_kept = 15;
  static constexpr double factor_max = 8;

  // Takes the norm in. The first one is always in keeping.
  bool accepts(double norm);

 private:
  std::deque<double> norms_;  // the oldest in front
};

}  // namespace quadrille::worker

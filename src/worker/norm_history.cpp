#include "worker/norm_history.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace quadrille::worker {

double norm_of(std::span<const float> values) {
  double sum = 0;
  for (const float value : values) sum += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(sum);
}

bool NormHistory::accepts(double norm) {
  bool is_in_keeping = true;
  if (!norms_.empty()) {
    std::vector<double> sorted(norms_.begin(), norms_.end());
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::ranges::nth_element(sorted, middle);
    is_in_keeping = norm <= *middle * factor_max && norm >= *middle / factor_max;
  }
  norms_.push_back(norm);
  if (norms_.size() > norms_kept) norms_.pop_front();
  return is_in_keeping;
}

}  // namespace quadrille::worker

#include "train/score/tvd.hpp"

#include <algorithm>
#include <cmath>

#include "base/check.hpp"

namespace quadrille::train {

ClassCounts::ClassCounts(std::size_t class_count) : counts_(class_count) {
  CHECK(class_count > 0);
}

void ClassCounts::add(std::span<const float> probabilities) {
  const std::size_t classes = counts_.size();
  CHECK(probabilities.size() % classes == 0, probabilities.size(), classes);
  for (std::size_t start = 0; start < probabilities.size(); start += classes) {
    const std::span<const float> row = probabilities.subspan(start, classes);
    ++counts_[static_cast<std::size_t>(std::ranges::max_element(row) - row.begin())];
    ++sample_count_;
  }
}

std::vector<double> ClassCounts::frequencies() const {
  CHECK(sample_count_ > 0);
  std::vector<double> out;
  for (const std::size_t count : counts_)
    out.push_back(static_cast<double>(count) / static_cast<double>(sample_count_));
  return out;
}

double total_variation(std::span<const double> p, std::span<const double> q) {
  CHECK(p.size() == q.size(), p.size(), q.size());
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i) sum += std::abs(p[i] - q[i]);
  return sum / 2;
}

}  // namespace quadrille::train

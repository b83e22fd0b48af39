#include "train/score/inception.hpp"

#include <cmath>
#include <vector>

#include "base/check.hpp"

namespace quadrille::train {
namespace {

// x log x, continued to 0 at 0.
double x_log_x(double x) {
  return x > 0 ? x * std::log(x) : 0;
}

}  // namespace

// E KL(p(y|x) || p(y)) is the entropy of the mean less the mean of the entropies.
double inception_style_score(std::span<const float> probabilities, std::size_t class_count) {
  CHECK(class_count > 0 && !probabilities.empty() && probabilities.size() % class_count == 0,
        probabilities.size(), class_count);
  const auto count = static_cast<double>(probabilities.size() / class_count);
  std::vector<double> marginal(class_count, 0);
  double conditional = 0;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i];
    marginal[i % class_count] += p / count;
    conditional += x_log_x(p) / count;
  }
  double divergence = conditional;
  for (const double p : marginal) divergence -= x_log_x(p);
  return std::exp(divergence);
}

}  // namespace quadrille::train

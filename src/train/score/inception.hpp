// exp(E KL(p(y|x) || p(y))), the formula of the Inception score (Salimans et al. 2016), over the
// classes of any classifier: from 1 (all samples look alike to it, or it cannot tell) to the number
// of classes (each sample certain, all classes equally often). It never looks at real data.
#pragma once

#include <cstddef>
#include <span>

namespace quadrille::train {

// probabilities: (count, class_count) with count > 0, each row summing to 1.
double inception_style_score(std::span<const float> probabilities, std::size_t class_count);

}  // namespace quadrille::train

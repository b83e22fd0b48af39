// Every figure that a data set allows, about one set
// of generated samples: what `peer evaluate` shows.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "train/score/figure.hpp"
#include "train/score/scorers.hpp"

namespace quadrille::train {

struct Evaluation {
  std::vector<Figure> figures;
  // Figures that these samples, or this data set, do not allow, and why.
  std::vector<std::string> refusals;
};

// samples: (count, sample size) on the host, in the data set's scale. Config when there is none;
// NotFinite when a sample is not: no figure means anything then.
Result<Evaluation> evaluate_samples(const ScoreSources& sources, std::span<const float> samples,
                                    std::size_t count);

}  // namespace quadrille::train

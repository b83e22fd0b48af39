// The real side of the scores on a labelled data set: computed once, over all of its rows.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "train/score/classifier.hpp"
#include "train/score/frechet.hpp"

namespace quadrille::train {

struct RealStatistics {
  std::vector<double> frequencies;   // of the classes, as the classifier assigns them
  Result<FrechetReference> frechet;  // an error when the set is too small for it
};

// CHECKs that the classifier is one for samples of this size.
RealStatistics real_statistics(const data::Dataset& dataset, const Classifier& classifier);

}  // namespace quadrille::train

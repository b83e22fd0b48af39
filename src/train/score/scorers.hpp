// The scores that a run file can name, over the figures of this folder (docs/scores.md):
//
//   Frechet    the distance on the classifier's features
//   Tvd        the total variation distance of its class frequencies
//   Inception  the inception-style score, negated
//   Modes      mode_score, for synthetic sets
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "data/mixture_truth.hpp"
#include "train/score/classifier.hpp"
#include "train/score/score_kind.hpp"
#include "train/score/scorer.hpp"

namespace quadrille::train {

// What a score is measured against. All outlive the scorer.
struct ScoreSources {
  const data::Dataset& dataset;
  const Classifier* classifier = nullptr;     // of the data set; none: it has no labels
  const data::MixtureTruth* truth = nullptr;  // none: it is not synthetic
};

// What the kind needs of the data set, so that a classifier is trained only where one is asked for.
bool needs_classifier(ScoreKind kind);

// Null for ScoreKind::None. Config when the kind needs a classifier or a truth that is not there,
// more than `sample_count` samples, or more rows than the data set has; NotFinite when the
// classifier's features of them are not.
Result<std::unique_ptr<Scorer>> make_scorer(ScoreKind kind, const ScoreSources& sources,
                                            std::size_t sample_count);

}  // namespace quadrille::train

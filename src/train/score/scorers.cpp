#include "train/score/scorers.hpp"

#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/all_finite.hpp"
#include "base/check.hpp"
#include "train/score/frechet.hpp"
#include "train/score/inception.hpp"
#include "train/score/modes.hpp"
#include "train/score/real_statistics.hpp"
#include "train/score/tvd.hpp"

namespace quadrille::train {
namespace {

constexpr double no_score = std::numeric_limits<double>::quiet_NaN();

class FrechetScorer : public Scorer {
 public:
  FrechetScorer(const Classifier& classifier, FrechetReference real)
      : classifier_(classifier), real_(std::move(real)) {}

  double score(std::span<const float> samples, std::size_t count) override {
    if (!all_finite(samples)) return no_score;
    std::vector<float> features(count * classifier_feature_count);
    classifier_.evaluate(samples, count, {.probabilities = {}, .features = features});
    Moments moments(classifier_feature_count);
    moments.add(features);
    const Result<Gaussian> generated = moments.gaussian();
    return generated ? real_.distance(*generated) : no_score;
  }

 private:
  const Classifier& classifier_;
  FrechetReference real_;
};

// The scores that look at the class probabilities alone.
class ProbabilityScorer : public Scorer {
 public:
  explicit ProbabilityScorer(const Classifier& classifier) : classifier_(classifier) {}

  double score(std::span<const float> samples, std::size_t count) override {
    if (count == 0 || !all_finite(samples)) return no_score;
    std::vector<float> probabilities(count * classifier_.class_count());
    classifier_.evaluate(samples, count, {.probabilities = probabilities, .features = {}});
    return all_finite(probabilities) ? measure(probabilities) : no_score;
  }

 protected:
  virtual double measure(std::span<const float> probabilities) const = 0;
  std::size_t class_count() const { return classifier_.class_count(); }

 private:
  const Classifier& classifier_;
};

class TvdScorer : public ProbabilityScorer {
 public:
  TvdScorer(const Classifier& classifier, std::vector<double> real)
      : ProbabilityScorer(classifier), real_(std::move(real)) {}

 protected:
  double measure(std::span<const float> probabilities) const override {
    ClassCounts counts(class_count());
    counts.add(probabilities);
    return total_variation(real_, counts.frequencies());
  }

 private:
  std::vector<double> real_;
};

class InceptionScorer : public ProbabilityScorer {
 public:
  using ProbabilityScorer::ProbabilityScorer;

 protected:
  double measure(std::span<const float> probabilities) const override {
    return -inception_style_score(probabilities, class_count());
  }
};

class ModesScorer : public Scorer {
 public:
  explicit ModesScorer(const data::MixtureTruth& truth) : truth_(truth) {}

  double score(std::span<const float> samples, std::size_t count) override {
    CHECK(samples.size() == 2 * count, samples.size(), count);
    if (count == 0 || !all_finite(samples)) return no_score;
    return mode_score(count_modes(samples, truth_));
  }

 private:
  const data::MixtureTruth& truth_;
};

Result<std::unique_ptr<Scorer>> make_frechet(const Classifier& classifier,
                                             const data::Dataset& dataset,
                                             std::size_t sample_count) {
  TRY_VOID(check_frechet_count({.count = sample_count, .dimension = classifier_feature_count}));
  TRY(real, real_statistics(dataset, classifier).frechet);
  return std::make_unique<FrechetScorer>(classifier, std::move(real));
}

Result<std::unique_ptr<Scorer>> make_modes(const ScoreSources& sources) {
  if (sources.truth && sources.dataset.shape.size() == 2)
    return std::make_unique<ModesScorer>(*sources.truth);
  return failure(ErrorCode::Config,
                 "the score 'modes' is for synthetic sets whose modes are known, "
                 "and data set " +
                     sources.dataset.name + " is none; choose another score");
}

}  // namespace

bool needs_classifier(ScoreKind kind) {
  return kind == ScoreKind::Frechet || kind == ScoreKind::Tvd || kind == ScoreKind::Inception;
}

Result<std::unique_ptr<Scorer>> make_scorer(ScoreKind kind, const ScoreSources& sources,
                                            std::size_t sample_count) {
  if (kind == ScoreKind::None) return nullptr;
  if (sample_count == 0)
    return failure(ErrorCode::Config, "a score is measured on 1 sample or more, not on 0");
  if (kind == ScoreKind::Modes) return make_modes(sources);
  if (!sources.classifier)
    return failure(ErrorCode::Config, "this score needs a classifier, and data set " +
                                          sources.dataset.name +
                                          " has no labels to train one on; add them, or choose the "
                                          "score 'none' ('modes' for a synthetic set)");
  const Classifier& classifier = *sources.classifier;
  if (kind == ScoreKind::Inception) return std::make_unique<InceptionScorer>(classifier);
  if (kind == ScoreKind::Frechet) return make_frechet(classifier, sources.dataset, sample_count);
  return std::make_unique<TvdScorer>(classifier,
                                     real_statistics(sources.dataset, classifier).frequencies);
}

}  // namespace quadrille::train

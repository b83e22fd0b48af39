#include "train/score/real_statistics.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "train/score/dataset_rows.hpp"
#include "train/score/tvd.hpp"

namespace quadrille::train {
namespace {

constexpr std::size_t rows_per_pass = 1024;

Result<FrechetReference> reference(const Moments& moments) {
  TRY(gaussian, moments.gaussian());
  return FrechetReference(std::move(gaussian));
}

}  // namespace

RealStatistics real_statistics(const data::Dataset& dataset, const Classifier& classifier) {
  const std::size_t size = dataset.shape.size();
  CHECK(size == classifier.sample_size(), size, classifier.sample_size());
  ClassCounts counts(classifier.class_count());
  Moments moments(classifier_feature_count);
  std::vector<float> samples, probabilities, features;
  for (std::size_t first = 0; first < dataset.count; first += rows_per_pass) {
    const std::size_t rows = std::min(rows_per_pass, dataset.count - first);
    samples.resize(rows * size);
    probabilities.resize(rows * classifier.class_count());
    features.resize(rows * classifier_feature_count);
    copy_rows_from(dataset, first, samples);
    classifier.evaluate(samples, rows, {.probabilities = probabilities, .features = features});
    counts.add(probabilities);
    moments.add(features);
  }
  return {.frequencies = counts.frequencies(), .frechet = reference(moments)};
}

}  // namespace quadrille::train

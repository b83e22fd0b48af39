#include "train/score/evaluation.hpp"

#include <algorithm>
#include <cstdint>

#include "base/all_finite.hpp"
#include "base/check.hpp"
#include "train/score/dataset_rows.hpp"
#include "train/score/frechet.hpp"
#include "train/score/inception.hpp"
#include "train/score/modes.hpp"
#include "train/score/precision_recall.hpp"
#include "train/score/real_statistics.hpp"
#include "train/score/tvd.hpp"

namespace quadrille::train {
namespace {

// One evaluation under way on a labelled set: what the classifier says of the generated samples.
struct Judged {
  const ScoreSources& sources;
  const Classifier& classifier;
  std::size_t count;
  std::vector<float> probabilities;
  std::vector<float> features;
};

std::string on_features(const Judged& judged) {
  return std::to_string(classifier_feature_count) + " features of classifier " +
         judged.classifier.name();
}

std::string on_classes(const Judged& judged) {
  return std::to_string(judged.classifier.class_count()) + " classes of classifier " +
         judged.classifier.name();
}

void refuse(Evaluation& out, const std::string& figure, const Error& error) {
  out.refusals.push_back(figure + ": " + error.detail);
}

void add_frechet(const Judged& judged, const Result<FrechetReference>& real, Evaluation& out) {
  const std::string name = "Frechet distance";
  Moments moments(classifier_feature_count);
  moments.add(judged.features);
  const Result<Gaussian> generated = moments.gaussian();
  if (!real) return refuse(out, name + ", real side", real.error());
  if (!generated) return refuse(out, name, generated.error());
  out.figures.push_back({.name = name,
                         .value = real->distance(*generated),
                         .features = on_features(judged),
                         .n = judged.count});
}

// Numbers of at most precision_recall_count_max rows, evenly spread over `count`: a data set may be
// sorted, and samples of a mixture come member by member.
std::vector<std::uint32_t> spread_rows(std::size_t count) {
  const std::size_t kept = std::min(count, precision_recall_count_max);
  std::vector<std::uint32_t> rows;
  for (std::size_t i = 0; i < kept; ++i)
    rows.push_back(static_cast<std::uint32_t>(i * count / kept));
  return rows;
}

std::vector<float> real_features(const Judged& judged) {
  const data::Dataset& dataset = judged.sources.dataset;
  const std::vector<std::uint32_t> rows = spread_rows(dataset.count);
  std::vector<float> samples(rows.size() * dataset.shape.size());
  std::vector<float> features(rows.size() * classifier_feature_count);
  copy_rows(dataset, rows, samples);
  judged.classifier.evaluate(samples, rows.size(), {.probabilities = {}, .features = features});
  return features;
}

std::vector<float> generated_features(const Judged& judged) {
  std::vector<float> features;
  for (const std::uint32_t row : spread_rows(judged.count)) {
    const auto of_row = std::span(judged.features)
                            .subspan(row * classifier_feature_count, classifier_feature_count);
    features.insert(features.end(), of_row.begin(), of_row.end());
  }
  return features;
}

void add_precision_recall(const Judged& judged, Evaluation& out) {
  const std::vector<float> real = real_features(judged);
  const std::vector<float> generated = generated_features(judged);
  const auto result =
      precision_recall({.real = real, .generated = generated}, classifier_feature_count);
  if (!result) return refuse(out, "precision and recall", result.error());
  const std::size_t count = generated.size() / classifier_feature_count;
  const std::string features =
      on_features(judged) + ", k = " + std::to_string(precision_recall_neighbour) + ", " +
      std::to_string(real.size() / classifier_feature_count) + " real rows";
  out.figures.push_back(
      {.name = "precision", .value = result->precision, .features = features, .n = count});
  out.figures.push_back(
      {.name = "recall", .value = result->recall, .features = features, .n = count});
}

void add_classifier_figures(const Judged& judged, Evaluation& out) {
  if (!all_finite(judged.probabilities)) {
    out.refusals.push_back(
        "figures of the classifier: samples so large overflow it, and no class "
        "it gives them means anything");
    return;
  }
  const std::size_t classes = judged.classifier.class_count();
  const RealStatistics real = real_statistics(judged.sources.dataset, judged.classifier);
  ClassCounts counts(classes);
  counts.add(judged.probabilities);
  out.figures.push_back({.name = "TVD",
                         .value = total_variation(real.frequencies, counts.frequencies()),
                         .features = on_classes(judged),
                         .n = judged.count});
  add_frechet(judged, real.frechet, out);
  out.figures.push_back({.name = "classifier score (own classifier, not Inception)",
                         .value = inception_style_score(judged.probabilities, classes),
                         .features = on_classes(judged),
                         .n = judged.count});
  add_precision_recall(judged, out);
}

void add_mode_figures(const data::MixtureTruth& truth, std::span<const float> points,
                      Evaluation& out) {
  const ModeCounts counts = count_modes(points, truth);
  const std::size_t modes = truth.centres.size();
  const std::size_t n = counts.sample_count;
  const std::string of = "of " + std::to_string(modes) + " known modes; ";
  out.figures.push_back({.name = "modes covered",
                         .value = static_cast<double>(counts.covered()),
                         .features = of + "covered: " + std::to_string(counts.covered_count_min()) +
                                     " or more samples within 3 sigma",
                         .n = n});
  out.figures.push_back({.name = "share within 3 sigma",
                         .value = counts.good_share(),
                         .features = of + "the true mixture has 0.9889",
                         .n = n});
  out.figures.push_back({.name = "TVD over modes",
                         .value = mode_score(counts),
                         .features = of + "nearest mode within 3 sigma, or nowhere",
                         .n = n});
}

}  // namespace

Result<Evaluation> evaluate_samples(const ScoreSources& sources, std::span<const float> samples,
                                    std::size_t count) {
  CHECK(samples.size() == count * sources.dataset.shape.size(), samples.size(), count);
  if (count == 0) return failure(ErrorCode::Config, "an evaluation takes 1 sample or more, not 0");
  if (!all_finite(samples))
    return failure(ErrorCode::NotFinite,
                   "a generated sample is not a finite number: the generator has diverged; take an "
                   "earlier checkpoint");
  Evaluation out;
  if (sources.truth) add_mode_figures(*sources.truth, samples, out);
  if (sources.classifier) {
    Judged judged{.sources = sources,
                  .classifier = *sources.classifier,
                  .count = count,
                  .probabilities = std::vector<float>(count * sources.classifier->class_count()),
                  .features = std::vector<float>(count * classifier_feature_count)};
    judged.classifier.evaluate(
        samples, count, {.probabilities = judged.probabilities, .features = judged.features});
    add_classifier_figures(judged, out);
  }
  if (out.figures.empty() && out.refusals.empty())
    out.refusals.push_back("data set " + sources.dataset.name +
                           " has neither labels nor known modes: no figure can be measured");
  return out;
}

}  // namespace quadrille::train

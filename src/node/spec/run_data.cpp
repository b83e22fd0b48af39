#include "node/spec/run_data.hpp"

#include <algorithm>

#include "data/cell_rows.hpp"
#include "node/spec/run_keys.hpp"
#include "train/score/classifier_training.hpp"
#include "train/score/frechet.hpp"
#include "train/score/scorers.hpp"

namespace quadrille::node {
namespace {

using train::LipizzanerOptions;
using train::ScoreKind;

// Why the score cannot be measured on these images.
std::optional<std::string> unmeasurable(ScoreKind score, const data::Dataset& dataset) {
  if (!train::needs_classifier(score)) return std::nullopt;
  if (auto why = unclassifiable(dataset)) return why;
  constexpr std::size_t few = train::frechet_count_min(train::classifier_feature_count);
  if (score == ScoreKind::Frechet && dataset.count < few)
    return "has " + std::to_string(dataset.count) + " rows, and a Frechet distance takes " +
           std::to_string(few) + " or more";
  return std::nullopt;
}

ScoreKind score_for(const data::Dataset& dataset) {
  if (data::is_synthetic(dataset.name)) return ScoreKind::Modes;
  return unmeasurable(ScoreKind::Frechet, dataset) ? ScoreKind::None : ScoreKind::Frechet;
}

class Disagreements {
 public:
  explicit Disagreements(const RunSpec& spec) : spec_(spec) {}

  void add(std::string_view key, const std::string& but) {
    const std::string_view is = spec_.origins.said(key) ? " is " : " is by default ";
    lines_.push_back(spec_.origins.of(key) + ": " + std::string(key) + std::string(is) +
                     value_text(find_key(key)->get(spec_)) + ", but " + but);
  }
  Result<void> result() const {
    if (lines_.empty()) return {};
    return failures(ErrorCode::Config, lines_);
  }

 private:
  const RunSpec& spec_;
  std::vector<std::string> lines_;
};

void check_labels(const train::RunFacts& run, const LipizzanerOptions& options,
                  const data::Dataset& dataset, Disagreements& found) {
  if (run.partition == train::Partition::Label && dataset.labels.empty())
    found.add("data.partition", dataset.name + " has no labels; use \"all\".");
  if (const auto why = unmeasurable(options.score, dataset))
    found.add("algorithm.score", dataset.name + " " + *why + "; use \"none\".");
}

// The fewest rows that a cell of the run draws from, counted rather than reckoned. Cells after the
// first class_count ones own what those own.
Result<std::size_t> fewest_rows(const train::RunFacts& run, const data::Dataset& dataset) {
  const bool by_label = run.partition == train::Partition::Label;
  const std::size_t distinct = by_label ? std::max<std::size_t>(dataset.class_count, 1) : 1;
  const std::uint32_t cells = run.grid.cell_count();
  std::size_t fewest = dataset.count;
  for (std::uint32_t cell = 0; cell < std::min<std::size_t>(distinct, cells); ++cell) {
    TRY(rows, data::rows_of_cell(dataset, run.share_of({cell})));
    fewest = std::min(fewest, rows.size());
  }
  return fewest;
}

}  // namespace

std::optional<std::string> unclassifiable(const data::Dataset& dataset) {
  if (dataset.labels.empty()) return "has no labels to train a classifier on";
  if (data::classes_of_cell(dataset, {}).size() < 2)
    return "has one class only (every label is " + std::to_string(dataset.labels.front()) +
           "), and a classifier tells two or more apart";
  if (dataset.count < train::classifier_row_count_min)
    return "has " + std::to_string(dataset.count) + " rows, and a classifier is trained on " +
           std::to_string(train::classifier_row_count_min) + " or more";
  return std::nullopt;
}

std::string no_score_note(const RunSpec& spec, const data::Dataset& dataset) {
  if (!spec.score_auto || data::is_synthetic(dataset.name)) return "";
  const auto why = unmeasurable(ScoreKind::Frechet, dataset);
  return why ? "scores: none, for " + dataset.name + " " + *why : "";
}

Result<LipizzanerOptions> fit_to_data(const RunSpec& spec, const data::Dataset& dataset) {
  LipizzanerOptions options = spec.lipizzaner;
  if (spec.model_auto) options.model = dataset.is_image() ? "mlp" : "toy";
  if (spec.score_auto) options.score = score_for(dataset);
  Disagreements found(spec);
  check_labels(spec.run, options, dataset, found);
  TRY_VOID(found.result());
  TRY(rows, fewest_rows(spec.run, dataset));
  const std::string has = rows == dataset.count ? dataset.name + " has " : "a cell's share has ";
  if (options.batch_size > rows)
    found.add("algorithm.batch_size", has + std::to_string(rows) + " rows; use at most that.");
  if (options.fitness_sample_size > dataset.count) {
    found.add("algorithm.fitness_sample_size",
              dataset.name + " has " + std::to_string(dataset.count) + " rows; use at most that.");
  }
  TRY_VOID(found.result());
  return options;
}

}  // namespace quadrille::node

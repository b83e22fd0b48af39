#include "node/spec/run_spec_checks.hpp"

#include <algorithm>

#include "base/count_text.hpp"
#include "node/spec/run_keys.hpp"
#include "train/lipizzaner/neighbourhood.hpp"
#include "train/score/classifier.hpp"
#include "train/score/frechet.hpp"

namespace quadrille::node {
namespace {

using train::NeighbourhoodKind;
using train::ScoreKind;

std::string grid_text(const GridShape& grid) {
  return std::to_string(grid.rows) + " x " + std::to_string(grid.columns);
}

// "grid.rows is 3"
std::string now(std::string_view path, const RunSpec& spec) {
  return std::string(path) + " is " + value_text(find_key(path)->get(spec));
}

void check_conditions(const RunSpec& spec, std::vector<Disagreement>& found) {
  for (const Key& key : run_keys()) {
    if (key.applies(spec) || is_default(key, spec)) continue;
    found.push_back(
        {key.path, now(key.path, spec) + ", but " + std::string(key.condition.otherwise) + "."});
  }
}

void check_grid(const RunSpec& spec, std::vector<Disagreement>& found) {
  const train::LipizzanerOptions& options = spec.lipizzaner;
  const GridShape& grid = spec.run.grid;
  const std::uint32_t cells = grid.cell_count();
  if (cells > cell_count_max) {
    found.push_back({"grid.rows", "a grid of " + grid_text(grid) + " has " + std::to_string(cells) +
                                      " cells; it may have " + std::to_string(cell_count_max) +
                                      "."});
  }
  if (options.neighbourhood == NeighbourhoodKind::TransposedCross && grid.rows != grid.columns) {
    found.push_back(
        {"grid.neighbourhood", now("grid.neighbourhood", spec) +
                                   "; only a square grid can be mirrored, and this is " +
                                   grid_text(grid) + "."});
  }
  // A radius of 1 is the default, and so fits the grids on which nobody has a neighbour, too.
  const std::uint32_t radius_max = std::max(1U, cells / 2);
  if (options.neighbourhood == NeighbourhoodKind::Ring && options.radius > radius_max) {
    found.push_back({"grid.radius", now("grid.radius", spec) + "; a ring of " +
                                        std::to_string(cells) + " cells has a radius of 1 to " +
                                        std::to_string(radius_max) + "."});
  }
}

void check_selection(const RunSpec& spec, std::vector<Disagreement>& found) {
  const train::LipizzanerOptions& options = spec.lipizzaner;
  if (!options.selection && options.opponents == train::Opponents::Selected) {
    found.push_back({"algorithm.opponents",
                     now("algorithm.opponents", spec) +
                         ", but algorithm.selection is false; set it, or opponents = \"random\"."});
  }
  // A tournament of 2 is the default and fits every grid: in a neighbourhood of 1 the center wins.
  const std::size_t members =
      train::neighbourhood_size(spec.run.grid, {options.neighbourhood, options.radius});
  if (options.selection && options.tournament_size > std::max<std::size_t>(2, members)) {
    found.push_back({"algorithm.tournament_size", now("algorithm.tournament_size", spec) +
                                                      "; a neighbourhood on this " +
                                                      grid_text(spec.run.grid) + " grid has " +
                                                      count_text(members, "member") + "."});
  }
}

void check_loss(const RunSpec& spec, std::vector<Disagreement>& found) {
  const train::LipizzanerOptions& options = spec.lipizzaner;
  if (options.loss == compute::LossKind::Wasserstein && options.weight_clip == 0) {
    found.push_back({"algorithm.loss",
                     now("algorithm.loss", spec) +
                         ", which needs a bounded critic; set algorithm.weight_clip, e.g. 0.01."});
  }
}

void check_score(const RunSpec& spec, std::vector<Disagreement>& found) {
  const ScoreKind score = spec.lipizzaner.score;
  const bool synthetic = data::is_synthetic(spec.data.name);
  if (score == ScoreKind::Modes && !synthetic) {
    found.push_back({"algorithm.score", now("algorithm.score", spec) +
                                            ", but modes are known of ring8 and grid25 only."});
  } else if (score != ScoreKind::Modes && score != ScoreKind::None && synthetic) {
    found.push_back(
        {"algorithm.score",
         now("algorithm.score", spec) + ", which is for images; a synthetic set has \"modes\"."});
  }
  constexpr std::size_t few = train::frechet_count_min(train::classifier_feature_count);
  if (score == ScoreKind::Frechet && spec.lipizzaner.score_sample_size < few) {
    found.push_back({"algorithm.score_sample_size", now("algorithm.score_sample_size", spec) +
                                                        "; a Frechet distance needs " +
                                                        std::to_string(few) + " or more."});
  }
}

void check_model(const RunSpec& spec, std::vector<Disagreement>& found) {
  const bool scaled = spec.data.synthetic.scale.has_value();
  if (data::is_synthetic(spec.data.name) && spec.lipizzaner.model == "mlp" && !scaled) {
    found.push_back({"model.name", now("model.name", spec) +
                                       ", which ends in a tanh and cannot "
                                       "reach the points; use \"toy\", or set data.scale = 0.2."});
  }
}

}  // namespace

std::string_view auto_model(const RunSpec& spec) {
  return data::is_synthetic(spec.data.name) ? "toy" : "mlp";
}

ScoreKind auto_score(const RunSpec& spec) {
  return data::is_synthetic(spec.data.name) ? ScoreKind::Modes : ScoreKind::Frechet;
}

std::vector<Disagreement> disagreements(const RunSpec& spec) {
  std::vector<Disagreement> found;
  check_conditions(spec, found);
  check_grid(spec, found);
  check_selection(spec, found);
  check_loss(spec, found);
  check_score(spec, found);
  check_model(spec, found);
  return found;
}

}  // namespace quadrille::node

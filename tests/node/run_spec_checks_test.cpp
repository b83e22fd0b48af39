// The rules between keys, and between keys and data.
#include "node/spec/run_spec_checks.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "data/synthetic.hpp"
#include "node/spec/run_data.hpp"
#include "node/spec/run_spec.hpp"
#include "support/error_text.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_spec_checks_test)

namespace {

std::string errors_of(const std::string& tables) {
  const auto spec = parse_run_spec("[run]\nname = \"x\"\n" + tables, "run.toml");
  return spec ? "none" : spec.error().detail;
}

data::Dataset images(std::size_t count, bool labelled) {
  data::Dataset dataset;
  dataset.name = "set";
  dataset.shape = {.height = 2, .width = 2, .channels = 1};
  dataset.count = count;
  dataset.bytes.resize(4 * count);
  if (!labelled) return dataset;
  for (std::size_t row = 0; row < count; ++row)
    dataset.labels.push_back(static_cast<std::uint8_t>(row % 10));
  dataset.class_count = 10;
  return dataset;
}

RunSpec spec_of(const std::string& tables) {
  return parse_run_spec("[run]\nname = \"x\"\n" + tables, "run.toml").value();
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_tournament_fits_its_neighbourhood) {
  BOOST_TEST(errors_of("[algorithm]\ntournament_size = 4\n") ==
             "run.toml:4: algorithm.tournament_size is 4; a neighbourhood on this 2 x 2 grid has "
             "3 members.");
  BOOST_TEST(errors_of("[algorithm]\ntournament_size = 3\n") == "none");
  BOOST_TEST(errors_of("[grid]\nrows = 1\ncolumns = 1\n[algorithm]\ntournament_size = 2\n") ==
             "none");
  BOOST_TEST(errors_of("[algorithm]\ntournament_size = 9\nselection = false\n") == "none");
}

BOOST_AUTO_TEST_CASE(a_ring_is_longer_than_its_radius) {
  const std::string ring = "[grid]\nneighbourhood = \"ring\"\nradius = ";
  BOOST_TEST(errors_of(ring + "2\n") == "none");
  BOOST_TEST(errors_of(ring + "3\n") ==
             "run.toml:5: grid.radius is 3; a ring of 4 cells has a radius of 1 to 2.");
  BOOST_TEST(errors_of(ring + "1\nrows = 1\ncolumns = 1\n") == "none");
}

BOOST_AUTO_TEST_CASE(only_a_square_grid_is_transposed) {
  const std::string transposed = "[grid]\nneighbourhood = \"transposed-cross\"\nrows = 3\n";
  BOOST_TEST(errors_of(transposed + "columns = 3\n") == "none");
  BOOST_TEST(errors_of(transposed) ==
             "run.toml:4: grid.neighbourhood is \"transposed-cross\"; only a square grid can be "
             "mirrored, and this is 3 x 2.");
}

BOOST_AUTO_TEST_CASE(a_grid_has_a_largest_size) {
  BOOST_TEST(errors_of("[grid]\nrows = 64\ncolumns = 1024\n") == "none");
  BOOST_TEST(errors_of("[grid]\nrows = 65\ncolumns = 1024\n") ==
             "run.toml:4: a grid of 65 x 1024 has 66560 cells; it may have 65536.");
}

BOOST_AUTO_TEST_CASE(keys_that_mean_nothing_in_this_run_are_refused_unless_they_are_the_default) {
  BOOST_TEST(errors_of("[grid]\nradius = 2\n") ==
             "run.toml:4: grid.radius is 2, but only a ring has a radius; set "
             "grid.neighbourhood = \"ring\".");
  BOOST_TEST(errors_of("[grid]\nradius = 1\n") == "none");
  BOOST_TEST(errors_of("[algorithm]\nweight_clip = 0.1\n") != "none");
  BOOST_TEST(errors_of("[algorithm]\noptimizer = \"sgd\"\nbeta1 = 0.9\n") != "none");
  BOOST_TEST(errors_of("[algorithm]\noptimizer = \"rmsprop\"\nbeta2 = 0.9\n") == "none");
  BOOST_TEST(errors_of("[data]\nsigma = 1\n") != "none");
  BOOST_TEST(errors_of("[data]\nname = \"ring8\"\nsigma = 1\n") == "none");
  BOOST_TEST(errors_of("[data]\nname = \"ring8\"\nspacing = 1\n") != "none");
  BOOST_TEST(errors_of("[data]\nname = \"grid25\"\nradius = 1\n") != "none");
}

BOOST_AUTO_TEST_CASE(combinations_that_cannot_work_are_refused) {
  BOOST_TEST(errors_of("[algorithm]\nselection = false\nopponents = \"selected\"\n") ==
             "run.toml:5: algorithm.opponents is \"selected\", but algorithm.selection is false; "
             "set it, or opponents = \"random\".");
  BOOST_TEST(errors_of("[algorithm]\nloss = \"wasserstein\"\n") ==
             "run.toml:4: algorithm.loss is \"wasserstein\", which needs a bounded critic; set "
             "algorithm.weight_clip, e.g. 0.01.");
  BOOST_TEST(errors_of("[algorithm]\nloss = \"wasserstein\"\nweight_clip = 0.01\n") == "none");
  BOOST_TEST(errors_of("[algorithm]\nscore = \"modes\"\n") != "none");
  BOOST_TEST(errors_of("[data]\nname = \"ring8\"\n[algorithm]\nscore = \"tvd\"\n") != "none");
  BOOST_TEST(errors_of("[algorithm]\nscore_sample_size = 127\n") ==
             "run.toml:4: algorithm.score_sample_size is 127; a Frechet distance needs 128 or "
             "more.");
  BOOST_TEST(errors_of("[model]\nname = \"mlp\"\n[data]\nname = \"ring8\"\n") != "none");
  BOOST_TEST(errors_of("[model]\nname = \"mlp\"\n[data]\nname = \"ring8\"\nscale = 0.25\n") ==
             "none");
}

BOOST_AUTO_TEST_CASE(what_is_automatic_is_decided_by_the_data) {
  const RunSpec spec = spec_of("");
  const auto labelled = fit_to_data(spec, images(1000, true));
  BOOST_TEST((labelled.value().score == train::ScoreKind::Frechet));
  const auto unlabelled = fit_to_data(spec, images(1000, false));
  BOOST_TEST((unlabelled.value().score == train::ScoreKind::None));
  BOOST_TEST(unlabelled.value().model == "mlp");
  const RunSpec ring = spec_of("[data]\nname = \"ring8\"\ncount = 1000\n");
  const auto points = data::make_synthetic("ring8", ring.data.synthetic);
  const auto options = fit_to_data(ring, points.value().dataset);
  BOOST_TEST((options.value().score == train::ScoreKind::Modes));
  BOOST_TEST(options.value().model == "toy");
}

BOOST_AUTO_TEST_CASE(data_that_are_too_few_for_the_run_are_refused) {
  const auto error_of = [](const std::string& tables, const data::Dataset& dataset) {
    const auto options = fit_to_data(spec_of(tables), dataset);
    return options ? "none" : test::text_of(options.error());
  };
  BOOST_TEST(error_of("", images(1000, true)) == "none");
  BOOST_TEST(error_of("", images(99, true)) ==
             "run.toml: algorithm.batch_size is by default 100, but set has 99 rows; use at most "
             "that.\n"
             "run.toml: algorithm.fitness_sample_size is by default 1000, but set has 99 rows; use "
             "at most that.");
  BOOST_TEST(
      error_of("[data]\nfraction = 0.05\n", images(1000, true)) ==
      "run.toml: algorithm.batch_size is by default 100, but a cell's share has 50 rows; use "
      "at most that.");
  BOOST_TEST(
      error_of("[data]\npartition = \"label\"\n[grid]\nrows = 5\n[algorithm]\n"
               "batch_size = 101\n",
               images(1000, true)) ==
      "run.toml:8: algorithm.batch_size is 101, but a cell's share has 100 rows; use at most "
      "that.");
}

BOOST_AUTO_TEST_CASE(what_needs_labels_says_so_where_there_are_none) {
  const RunSpec spec = spec_of("[data]\npartition = \"label\"\n[algorithm]\nscore = \"frechet\"\n");
  const auto options = fit_to_data(spec, images(1000, false));
  BOOST_TEST(
      test::text_of(options.error()) ==
      "run.toml:4: data.partition is \"label\", but set has no labels; use \"all\".\n"
      "run.toml:6: algorithm.score is \"frechet\", but set has no labels to train a classifier "
      "on; use \"none\".");
}

// Whatever is generated would be of the right class.
BOOST_AUTO_TEST_CASE(what_needs_classes_says_so_where_there_is_one) {
  data::Dataset ones = images(1000, true);
  std::ranges::fill(ones.labels, std::uint8_t{5});
  ones.class_count = 6;
  const auto refused = fit_to_data(spec_of("[algorithm]\nscore = \"tvd\"\n"), ones);
  BOOST_TEST(test::text_of(refused.error()) ==
             "run.toml:4: algorithm.score is \"tvd\", but set has one class only (every label is "
             "5), and a classifier tells two or more apart; use \"none\".");
  const RunSpec open = spec_of("");
  const auto fitted = fit_to_data(open, ones);
  BOOST_TEST((fitted.value().score == train::ScoreKind::None));
  BOOST_TEST(no_score_note(open, ones) ==
             "scores: none, for set has one class only (every label is 5), and a classifier tells "
             "two or more apart");
  BOOST_TEST(no_score_note(open, images(1000, true)) == "");
  BOOST_TEST(no_score_note(spec_of("[algorithm]\nscore = \"none\"\n"), ones) == "");
}

BOOST_AUTO_TEST_CASE(what_needs_a_classifier_says_so_where_the_rows_are_too_few) {
  const std::string small = "[algorithm]\nbatch_size = 1\nfitness_sample_size = 1\nscore = ";
  const auto refused = fit_to_data(spec_of(small + "\"frechet\"\n"), images(99, true));
  BOOST_TEST(test::text_of(refused.error()) ==
             "run.toml:6: algorithm.score is \"frechet\", but set has 99 rows, and a classifier is "
             "trained on 100 or more; use \"none\".");
  BOOST_TEST(
      test::text_of(fit_to_data(spec_of(small + "\"frechet\"\n"), images(127, true)).error()) ==
      "run.toml:6: algorithm.score is \"frechet\", but set has 127 rows, and a Frechet "
      "distance takes 128 or more; use \"none\".");
  BOOST_TEST(fit_to_data(spec_of(small + "\"tvd\"\n"), images(127, true)).has_value());
  for (const std::size_t rows : {99, 127}) {
    const auto fitted = fit_to_data(spec_of(small + "\"auto\"\n"), images(rows, true));
    BOOST_TEST((fitted.value().score == train::ScoreKind::None));
  }
}

BOOST_AUTO_TEST_CASE(a_value_from_the_command_line_is_named_by_its_flag) {
  const std::vector<Override> large{{.key = "algorithm.batch_size", .value = "2000"}};
  const auto spec = parse_run_spec("[run]\nname = \"x\"\n", "run.toml", large);
  BOOST_TEST(fit_to_data(spec.value(), images(1000, true)).error().detail ==
             "--set: algorithm.batch_size is 2000, but set has 1000 rows; use at most that.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

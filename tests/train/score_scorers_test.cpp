// The scores that a run can name, and the figures of an evaluation.
#include "train/score/scorers.hpp"

#include <cmath>
#include <limits>

#include <boost/test/unit_test.hpp>

#include "compute/cpu/cpu_backend.hpp"
#include "train/score/evaluation.hpp"
#include "train/score/precision_recall.hpp"
#include "train/score_fixtures.hpp"

using namespace quadrille;
using namespace quadrille::train;

namespace {

struct Bars {
  WorkerPool pool{4};
  std::unique_ptr<compute::Backend> backend = compute::make_cpu_backend(pool);
  data::Dataset set = test::bars(600, 1);
  Classifier classifier{train_classifier(set, nullptr, *backend, test::bar_training).value(),
                        *backend};
  ScoreSources sources{.dataset = set, .classifier = &classifier};

  std::unique_ptr<Scorer> scorer(ScoreKind kind) {
    auto made = make_scorer(kind, sources, 200);
    BOOST_REQUIRE(made.has_value());
    BOOST_REQUIRE(*made != nullptr);
    return std::move(*made);
  }
};

constexpr ScoreKind classifier_kinds[] = {ScoreKind::Frechet, ScoreKind::Tvd, ScoreKind::Inception};

std::vector<float> rows_of_one_class(const data::Dataset& set, std::uint8_t label) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < set.count; ++i)
    if (set.labels[i] == label) rows.push_back(i);
  std::vector<float> samples(rows.size() * set.shape.size());
  copy_rows(set, rows, samples);
  return samples;
}

const Figure* find(const Evaluation& evaluation, const std::string& name) {
  for (const Figure& figure : evaluation.figures)
    if (figure.name == name) return &figure;
  return nullptr;
}

double value_of(const Evaluation& evaluation, const std::string& name) {
  const Figure* figure = find(evaluation, name);
  BOOST_REQUIRE_MESSAGE(figure != nullptr, "no figure " << name);
  return figure->value;
}

}  // namespace

BOOST_FIXTURE_TEST_SUITE(score_scorers, Bars)

BOOST_AUTO_TEST_CASE(other_rows_of_the_same_kind_score_better_than_one_class_and_than_noise) {
  const std::vector<float> fresh = test::rows_as_floats(test::bars(300, 2), 300);
  const std::vector<float> one_class = rows_of_one_class(set, 1);
  for (const ScoreKind kind : classifier_kinds) {
    const auto scorer = this->scorer(kind);
    BOOST_TEST(scorer->score(fresh, 300) <
               scorer->score(one_class, one_class.size() / set.shape.size()));
  }
  RandomStream random(stream_key(3, "test", 0));
  std::vector<float> noise(fresh.size());
  for (float& value : noise) value = static_cast<float>(2 * random.uniform() - 1);
  const auto frechet = scorer(ScoreKind::Frechet);
  BOOST_TEST(frechet->score(fresh, 300) < frechet->score(noise, 300));
}

BOOST_AUTO_TEST_CASE(the_real_rows_themselves_are_at_distance_zero) {
  const std::vector<float> rows = test::rows_as_floats(set, set.count);
  BOOST_TEST(scorer(ScoreKind::Tvd)->score(rows, set.count) == 0);
  BOOST_TEST(scorer(ScoreKind::Frechet)->score(rows, set.count) < 1e-9);
}

BOOST_AUTO_TEST_CASE(the_inception_style_score_is_negated_so_that_lower_is_better) {
  const std::vector<float> rows = test::rows_as_floats(set, 300);
  const double score = scorer(ScoreKind::Inception)->score(rows, 300);
  BOOST_TEST(score < -2);  // three classes that it can tell
  BOOST_TEST(score >= -3);
}

BOOST_AUTO_TEST_CASE(many_tasks_at_once_score_as_one_would) {
  for (const ScoreKind kind : classifier_kinds) {
    const auto scorer = this->scorer(kind);
    const std::vector<float> rows = test::rows_as_floats(test::bars(8 * 200, 4), 8 * 200);
    const std::size_t values = 200 * set.shape.size();
    std::vector<double> at_once(24);
    pool.run(24, [&](std::size_t task) {
      at_once[task] = scorer->score(std::span(rows).subspan(task % 8 * values, values), 200);
    });
    for (std::size_t task = 0; task < 24; ++task)
      BOOST_TEST(at_once[task] ==
                 scorer->score(std::span(rows).subspan(task % 8 * values, values), 200));
  }
}

BOOST_AUTO_TEST_CASE(samples_that_are_not_finite_have_no_score) {
  std::vector<float> rows = test::rows_as_floats(set, 200);
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    rows[1234] = bad;
    for (const ScoreKind kind : classifier_kinds)
      BOOST_TEST(std::isnan(scorer(kind)->score(rows, 200)));
  }
}

// Finite, and so large that the classifier overflows.
BOOST_AUTO_TEST_CASE(samples_beyond_all_scale_have_no_distance_and_no_figure) {
  const std::vector<float> rows(200 * set.shape.size(), std::numeric_limits<float>::max());
  BOOST_TEST(std::isnan(scorer(ScoreKind::Frechet)->score(rows, 200)));
  const auto evaluation = evaluate_samples(sources, rows, 200);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_TEST(evaluation->figures.empty());
  BOOST_TEST(evaluation->refusals.size() == 1u);
}

BOOST_AUTO_TEST_CASE(no_score_is_no_scorer) {
  const auto made = make_scorer(ScoreKind::None, sources, 200);
  BOOST_REQUIRE(made.has_value());
  BOOST_CHECK(*made == nullptr);
}

BOOST_AUTO_TEST_CASE(a_distance_refuses_a_sample_too_small_for_its_features) {
  const auto made = make_scorer(ScoreKind::Frechet, sources, 127);
  BOOST_REQUIRE(!made);
  BOOST_TEST(made.error().detail ==
             "127 samples are too few for a Frechet distance on 64 features: take 128 or more");
  BOOST_TEST(make_scorer(ScoreKind::Tvd, sources, 1).has_value());
  BOOST_TEST(!make_scorer(ScoreKind::Tvd, sources, 0).has_value());
}

BOOST_AUTO_TEST_CASE(a_distance_refuses_a_data_set_too_small_for_its_features) {
  const data::Dataset small = test::bars(127, 2);
  const auto made =
      make_scorer(ScoreKind::Frechet, {.dataset = small, .classifier = &classifier}, 200);
  BOOST_REQUIRE(!made);
  BOOST_CHECK(made.error().code == ErrorCode::Config);
}

BOOST_AUTO_TEST_CASE(a_score_without_what_it_needs_is_refused_with_the_next_step) {
  for (const ScoreKind kind : classifier_kinds) {
    BOOST_TEST(needs_classifier(kind));
    const auto made = make_scorer(kind, {.dataset = set}, 200);
    BOOST_REQUIRE(!made);
    BOOST_CHECK(made.error().code == ErrorCode::Config);
    BOOST_TEST(made.error().detail.find("has no labels") != std::string::npos);
  }
  BOOST_TEST(!needs_classifier(ScoreKind::Modes));
  const auto made = make_scorer(ScoreKind::Modes, sources, 200);
  BOOST_REQUIRE(!made);
  BOOST_CHECK(made.error().code == ErrorCode::Config);
  BOOST_TEST(made.error().detail ==
             "the score 'modes' is for synthetic sets whose modes are known, and data set bars is "
             "none; choose another score");
}

BOOST_AUTO_TEST_CASE(the_modes_of_a_synthetic_set_are_scored_by_its_truth) {
  const data::SyntheticSet ring = test::ring8(2000);
  auto made = make_scorer(ScoreKind::Modes, {.dataset = ring.dataset, .truth = &ring.truth}, 1000);
  BOOST_REQUIRE(made.has_value());
  Scorer& modes = **made;
  BOOST_TEST(modes.score(ring.dataset.points, 2000) < 0.01);
  BOOST_TEST(modes.score(std::vector<float>(2000, 0), 1000) > 0.9);
  BOOST_TEST(std::isnan(
      modes.score(std::vector<float>(2000, std::numeric_limits<float>::quiet_NaN()), 1000)));
}

BOOST_AUTO_TEST_CASE(an_evaluation_names_the_features_and_n_of_every_figure) {
  const std::vector<float> rows = test::rows_as_floats(test::bars(300, 2), 300);
  const auto evaluation = evaluate_samples(sources, rows, 300);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_TEST(evaluation->refusals.empty());
  for (const char* name : {"TVD", "Frechet distance", "precision", "recall",
                           "classifier score (own classifier, not Inception)"}) {
    const Figure* figure = find(*evaluation, name);
    BOOST_REQUIRE(figure != nullptr);
    BOOST_TEST(figure->n == 300u);
    BOOST_TEST(figure->features.find("classifier " + classifier.name()) != std::string::npos);
  }
  BOOST_TEST(value_of(*evaluation, "Frechet distance") ==
             scorer(ScoreKind::Frechet)->score(rows, 300));
  BOOST_TEST(value_of(*evaluation, "precision") > 0.7);
}

// A mixture makes its samples member by member, so that the first 2,000 may all be of one kind.
BOOST_AUTO_TEST_CASE(precision_and_recall_look_at_samples_of_every_member_of_a_mixture) {
  const data::Dataset fresh = test::bars(6000, 2);
  std::vector<float> samples;
  for (std::uint8_t label = 0; label < fresh.class_count; ++label) {
    const std::vector<float> of_class = rows_of_one_class(fresh, label);
    samples.insert(samples.end(), of_class.begin(), of_class.end());
  }
  const auto evaluation = evaluate_samples(sources, samples, 6000);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_TEST(value_of(*evaluation, "recall") > 0.9);
  BOOST_TEST(find(*evaluation, "recall")->n == precision_recall_count_max);
  BOOST_TEST(find(*evaluation, "TVD")->n == 6000u);
}

BOOST_AUTO_TEST_CASE(an_evaluation_of_too_few_samples_says_which_figures_it_leaves_out) {
  const std::vector<float> rows = test::rows_as_floats(set, 90);
  const auto evaluation = evaluate_samples(sources, rows, 90);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_CHECK(find(*evaluation, "TVD") != nullptr);
  BOOST_CHECK(find(*evaluation, "Frechet distance") == nullptr);
  const std::vector<std::string> expected{
      "Frechet distance: 90 samples are too few for a Frechet distance on 64 features: take 128 or "
      "more",
      "precision and recall: precision and recall take 100 to 2000 generated samples, not 90"};
  BOOST_TEST(evaluation->refusals == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(an_evaluation_of_nothing_or_of_a_diverged_generator_is_refused) {
  std::vector<float> rows = test::rows_as_floats(set, 200);
  rows[5] = std::numeric_limits<float>::quiet_NaN();
  const auto diverged = evaluate_samples(sources, rows, 200);
  BOOST_REQUIRE(!diverged);
  BOOST_CHECK(diverged.error().code == ErrorCode::NotFinite);
  BOOST_TEST(!evaluate_samples(sources, {}, 0).has_value());
}

BOOST_AUTO_TEST_CASE(an_evaluation_of_a_synthetic_set_counts_its_modes) {
  const data::SyntheticSet ring = test::ring8(2000);
  const auto evaluation =
      evaluate_samples({.dataset = ring.dataset, .truth = &ring.truth}, ring.dataset.points, 2000);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_TEST(evaluation->refusals.empty());
  BOOST_TEST(value_of(*evaluation, "modes covered") == 8);
  BOOST_TEST(value_of(*evaluation, "share within 3 sigma") > 0.98);
  BOOST_TEST(value_of(*evaluation, "TVD over modes") < 0.01);
}

BOOST_AUTO_TEST_CASE(data_with_neither_labels_nor_modes_have_no_figure) {
  const std::vector<float> rows = test::rows_as_floats(set, 100);
  const auto evaluation = evaluate_samples({.dataset = set}, rows, 100);
  BOOST_REQUIRE(evaluation.has_value());
  BOOST_TEST(evaluation->figures.empty());
  BOOST_TEST(evaluation->refusals.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()

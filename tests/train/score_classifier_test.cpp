// The classifier: it learns, it is deterministic, it refuses data that it cannot learn from, and
// many threads may use it at once.
#include "train/score/classifier.hpp"

#include <atomic>
#include <cmath>

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include "compute/cpu/cpu_backend.hpp"
#include "support/every_backend.hpp"
#include "train/score_fixtures.hpp"

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(score_classifier)

namespace {

// Counts the arenas and queues that are made.
class CountingBackend : public compute::Backend {
 public:
  explicit CountingBackend(compute::Backend& inner) : inner_(inner) {}
  std::string_view name() const override { return inner_.name(); }
  std::string_view description() const override { return inner_.description(); }
  std::unique_ptr<compute::Arena> make_arena() override {
    ++made;
    return inner_.make_arena();
  }
  std::unique_ptr<compute::Queue> make_queue() override {
    ++made;
    return inner_.make_queue();
  }

  std::atomic<std::size_t> made{0};

 private:
  compute::Backend& inner_;
};

ClassifierModel trained_on_bars(compute::Backend& backend) {
  const data::Dataset set = test::bars(600, 1);
  auto model = train_classifier(set, nullptr, backend, test::bar_training);
  BOOST_REQUIRE_MESSAGE(model.has_value(), (model ? "" : model.error().detail));
  return *model;
}

void check_refused(const data::Dataset& set, const data::Dataset* test_set, ErrorCode code,
                   const std::string& detail) {
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const auto model = train_classifier(set, test_set, *backend, test::bar_training);
  BOOST_REQUIRE(!model);
  BOOST_CHECK(model.error().code == code);
  BOOST_TEST(model.error().detail == detail);
}

struct Judged {
  std::vector<float> probabilities, features;
};

Judged judge(const Classifier& classifier, std::span<const float> rows) {
  const std::size_t count = rows.size() / classifier.sample_size();
  Judged out{.probabilities = std::vector<float>(count * classifier.class_count()),
             .features = std::vector<float>(count * classifier_feature_count)};
  classifier.evaluate(rows, count, {.probabilities = out.probabilities, .features = out.features});
  return out;
}

}  // namespace

BOOST_DATA_TEST_CASE(it_learns_and_tells_its_accuracy_on_rows_it_never_saw, test::every_backend(),
                     choice) {
  WorkerPool pool(2);
  const auto backend = choice.make(pool);
  const data::Dataset set = test::bars(600, 1);
  const data::Dataset unseen = test::bars(200, 2);
  std::size_t epochs_told = 0;
  const auto model = train_classifier(
      set, &unseen, *backend, test::bar_training,
      [&epochs_told](const ClassifierProgress& progress) { epochs_told = progress.epoch; });
  BOOST_REQUIRE(model.has_value());
  BOOST_TEST(epochs_told == test::bar_training.epochs);
  BOOST_TEST(model->accuracy > 0.95);
  BOOST_TEST(model->tested_count == 200u);
  BOOST_TEST(!model->held_out);
  BOOST_TEST(model->fingerprint == set.fingerprint);
  BOOST_TEST(classifier_accuracy(Classifier(*model, *backend), unseen) == model->accuracy);
}

BOOST_AUTO_TEST_CASE(without_a_test_split_a_tenth_of_the_rows_is_held_out) {
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const ClassifierModel model = trained_on_bars(*backend);
  BOOST_TEST(model.held_out);
  BOOST_TEST(model.tested_count == 60u);
  BOOST_TEST(model.accuracy > 0.9);
  BOOST_TEST(Classifier(model, *backend).description().find("held-out rows") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(training_gives_the_same_bits_every_time_and_with_any_number_of_threads) {
  WorkerPool one(1), three(3);
  const auto first = trained_on_bars(*compute::make_cpu_backend(one));
  const auto second = trained_on_bars(*compute::make_cpu_backend(three));
  BOOST_CHECK(first == second);
}

BOOST_AUTO_TEST_CASE(probabilities_sum_to_one_and_either_output_can_be_left_out) {
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const Classifier classifier(trained_on_bars(*backend), *backend);
  const std::vector<float> rows = test::rows_as_floats(test::bars(300, 3), 300);  // two passes
  const Judged both = judge(classifier, rows);
  for (std::size_t i = 0; i < 300; ++i) {
    float sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += both.probabilities[3 * i + c];
    BOOST_TEST(std::abs(sum - 1) < 1e-5F);
  }
  std::vector<float> probabilities(300 * 3), features(300 * classifier_feature_count);
  classifier.evaluate(rows, 300, {.probabilities = probabilities, .features = {}});
  classifier.evaluate(rows, 300, {.probabilities = {}, .features = features});
  BOOST_CHECK(probabilities == both.probabilities);
  BOOST_CHECK(features == both.features);
}

BOOST_AUTO_TEST_CASE(many_tasks_at_once_get_the_bits_that_one_would) {
  WorkerPool pool(4);
  const auto backend = compute::make_cpu_backend(pool);
  const Classifier classifier(trained_on_bars(*backend), *backend);
  const data::Dataset set = test::bars(3200, 4);
  const std::vector<float> rows = test::rows_as_floats(set, 3200);
  constexpr std::size_t task_count = 32, rows_per_task = 100;
  const std::size_t values = rows_per_task * classifier.sample_size();
  std::vector<Judged> at_once(task_count);
  pool.run(task_count, [&](std::size_t task) {
    at_once[task] = judge(classifier, std::span(rows).subspan(task * values, values));
  });
  for (std::size_t task = 0; task < task_count; ++task) {
    const Judged alone = judge(classifier, std::span(rows).subspan(task * values, values));
    BOOST_CHECK(alone.probabilities == at_once[task].probabilities);
    BOOST_CHECK(alone.features == at_once[task].features);
  }
}

BOOST_AUTO_TEST_CASE(a_second_call_takes_no_more_device_memory) {
  WorkerPool pool(1);
  const auto cpu = compute::make_cpu_backend(pool);
  const ClassifierModel model = trained_on_bars(*cpu);
  CountingBackend backend(*cpu);
  const Classifier classifier(model, backend);
  const std::vector<float> rows = test::rows_as_floats(test::bars(100, 5), 100);
  judge(classifier, rows);
  const std::size_t after_one = backend.made;
  for (int i = 0; i < 5; ++i) judge(classifier, rows);
  BOOST_TEST(backend.made == after_one);
}

BOOST_AUTO_TEST_CASE(data_without_labels_are_refused) {
  data::Dataset set = test::bars(200, 1);
  set.labels.clear();
  set.class_count = 0;
  check_refused(set, nullptr, ErrorCode::Config,
                "data set bars has no labels of two classes or more, which a classifier is trained "
                "on; choose the score 'none', or add the labels");
}

BOOST_AUTO_TEST_CASE(too_few_rows_are_refused) {
  check_refused(test::bars(99, 1), nullptr, ErrorCode::Config,
                "data set bars has 99 rows; training a classifier takes 100 or more");
}

BOOST_AUTO_TEST_CASE(a_test_split_of_another_shape_or_with_more_classes_is_refused) {
  const data::Dataset set = test::bars(200, 1);
  data::Dataset other = test::bars(20, 2);
  other.shape = {.height = 4, .width = 16};
  check_refused(set, &other, ErrorCode::Mismatch,
                "the test split of data set bars is empty, unlabelled or of another shape");
  other.shape = set.shape;
  other.class_count = 5;
  check_refused(set, &other, ErrorCode::Mismatch,
                "the test split of data set bars has 5 classes, its training split 3");
}

// In the last step too, which no loss tells of.
BOOST_AUTO_TEST_CASE(a_training_that_diverges_is_no_classifier) {
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const data::Dataset set = test::bars(200, 1);
  for (const std::size_t epochs : {1, 2}) {
    const auto model = train_classifier(
        set, nullptr, *backend, {.epochs = epochs, .batch_size = 200, .learning_rate = HUGE_VAL});
    BOOST_REQUIRE(!model);
    BOOST_CHECK(model.error().code == ErrorCode::NotFinite);
    BOOST_TEST(model.error().detail ==
               "the classifier of data set bars diverged in training: look at the data with 'peer "
               "data check'");
  }
}

BOOST_AUTO_TEST_SUITE_END()

#include "train/score/classifier_training.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "base/all_finite.hpp"
#include "base/check.hpp"
#include "base/random.hpp"
#include "nn/optimizer.hpp"
#include "train/score/dataset_rows.hpp"

namespace quadrille::train {
namespace {

constexpr std::size_t held_out_divisor = 10;
constexpr std::size_t rows_per_test = 1000;
// Adam's usual first decay: a classifier does not oscillate as a pair of adversaries does.
constexpr float beta1 = 0.9F;

struct Split {
  std::vector<std::uint32_t> trained;
  std::vector<std::uint32_t> held_out;
};

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

Split split_rows(const data::Dataset& dataset, bool hold_out, std::uint64_t seed) {
  Split split{.trained = all_rows(dataset.count), .held_out = {}};
  if (!hold_out) return split;
  RandomStream random(stream_key(seed, "classifier.held_out", 0));
  random.shuffle(split.trained);
  const auto kept = static_cast<std::ptrdiff_t>(dataset.count - dataset.count / held_out_divisor);
  split.held_out.assign(split.trained.begin() + kept, split.trained.end());
  split.trained.resize(static_cast<std::size_t>(kept));
  return split;
}

Result<void> check_datasets(const data::Dataset& train, const data::Dataset* test) {
  const std::string name = "data set " + train.name;
  if (train.labels.empty() || train.class_count < 2)
    return failure(ErrorCode::Config,
                   name +
                       " has no labels of two classes or more, which a "
                       "classifier is trained on; choose the score 'none', or add "
                       "the labels");
  if (train.count < classifier_row_count_min)
    return failure(ErrorCode::Config, name + " has " + std::to_string(train.count) +
                                          " rows; training a classifier takes " +
                                          std::to_string(classifier_row_count_min) + " or more");
  if (!test) return {};
  if (test->shape != train.shape || test->labels.size() != test->count || test->count == 0)
    return failure(ErrorCode::Mismatch,
                   "the test split of " + name + " is empty, unlabelled or of another shape");
  if (test->class_count > train.class_count)
    return failure(ErrorCode::Mismatch,
                   "the test split of " + name + " has " + std::to_string(test->class_count) +
                       " classes, its training split " + std::to_string(train.class_count));
  return {};
}

Failure diverged(const data::Dataset& train) {
  return failure(ErrorCode::NotFinite,
                 "the classifier of data set " + train.name +
                     " diverged in training: look at the data with 'peer data check'");
}

// Moves an image (height, width, channels) by dy rows and
// dx columns; what comes in from outside is `background`.
void shift_image(std::span<const float> from, const data::SampleShape& shape, int dy, int dx,
                 std::span<float> to) {
  constexpr float background = data::byte_shift;  // a byte of 0
  const auto height = static_cast<int>(shape.height);
  const auto width = static_cast<int>(shape.width);
  std::ranges::fill(to, background);
  const int first = std::max(0, dx);
  const int last = std::min(width, width + dx);
  for (int y = std::max(0, dy); y < std::min(height, height + dy); ++y) {
    const auto row = static_cast<std::size_t>((y - dy) * width) * shape.channels;
    const auto start = row + static_cast<std::size_t>(first - dx) * shape.channels;
    const auto count = static_cast<std::size_t>(last - first) * shape.channels;
    std::ranges::copy(
        from.subspan(start, count),
        to.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(y * width + first) *
                                                 shape.channels));
  }
}

// The classifier in training: one object, one queue.
class Trainer {
 public:
  Trainer(const data::Dataset& dataset, compute::Backend& backend,
          const ClassifierTraining& training)
      : dataset_(dataset),
        training_(training),
        network_(classifier_spec({.sample = dataset.shape.size(), .classes = dataset.class_count})),
        arena_(backend.make_arena()),
        queue_(backend.make_queue()),
        trained_(*arena_, network_.parameter_count(), {.beta1 = beta1}),
        workspace_(*arena_, network_, training.batch_size, /*with_gradients=*/true),
        input_(arena_->floats(training.batch_size * dataset.shape.size())),
        labels_(arena_->floats(training.batch_size)),
        loss_(arena_->floats(1)),
        random_(stream_key(training.seed, "classifier.training", 0)),
        host_input_(input_.count()),
        image_(dataset.shape.size()) {
    std::vector<float> parameters(network_.parameter_count());
    network_.initialise(parameters, random_);
    queue_->upload(trained_.parameters(), std::span<const float>(parameters));
    trained_.reset_optimizer(*queue_, static_cast<float>(training.learning_rate));
  }

  // One pass over `rows`, which it shuffles. Returns the mean loss. The last rows that fill no
  // batch wait for the next epoch's order.
  double epoch(std::size_t epoch_index, std::span<std::uint32_t> rows) {
    random_.shuffle(rows);
    const std::size_t batches = rows.size() / training_.batch_size;
    double loss = 0;
    for (std::size_t b = 0; b < batches; ++b) {
      const std::size_t step = epoch_index * batches + b;
      const double done =
          static_cast<double>(step) / static_cast<double>(training_.epochs * batches);
      const double rate = training_.learning_rate * 0.5 * (1 + std::cos(std::numbers::pi * done));
      trained_.set_learning_rate(*queue_, {.learning_rate = static_cast<float>(rate),
                                           .steps_done = static_cast<float>(step)});
      loss += train_batch(rows.subspan(b * training_.batch_size, training_.batch_size));
    }
    return loss / static_cast<double>(batches);
  }

  std::vector<float> parameters() {
    std::vector<float> out(network_.parameter_count());
    queue_->download(std::span<float>(out), trained_.parameters());
    queue_->synchronise();
    return out;
  }

 private:
  double train_batch(std::span<const std::uint32_t> rows) {
    upload_rows(rows);
    const compute::ConstFloats logits = network_.forward(
        *queue_, {.parameters = trained_.parameters()}, input_, rows.size(), workspace_);
    queue_->submit(compute::SoftmaxLoss{.rows = rows.size(),
                                        .classes = dataset_.class_count,
                                        .logits = logits,
                                        .labels = labels_,
                                        .gradient = workspace_.output_gradient(rows.size()),
                                        .loss = loss_});
    network_.backward(*queue_, trained_.parameters(), input_, rows.size(), workspace_,
                      {.parameters = trained_.gradient(), .input = {}});
    trained_.step(*queue_);
    float loss = 0;
    queue_->download(std::span<float>(&loss, 1), loss_);
    queue_->synchronise();
    return loss;
  }

  void upload_rows(std::span<const std::uint32_t> rows) {
    const std::size_t size = dataset_.shape.size();
    copy_rows(dataset_, rows, host_input_);
    if (dataset_.is_image())
      for (std::size_t i = 0; i < rows.size(); ++i)
        shift_at_random(std::span(host_input_).subspan(i * size, size));
    host_labels_.clear();
    for (const std::uint32_t row : rows) host_labels_.push_back(dataset_.labels[row]);
    queue_->upload(input_, std::span<const float>(host_input_));
    queue_->upload(labels_, std::span<const float>(host_labels_));
  }

  // One image in three: more teaches a network this small less in as many epochs.
  void shift_at_random(std::span<float> sample) {
    if (random_.below(3) != 0) return;
    const int dy = static_cast<int>(random_.below(3)) - 1;
    const int dx = static_cast<int>(random_.below(3)) - 1;
    std::ranges::copy(sample, image_.begin());
    shift_image(image_, dataset_.shape, dy, dx, sample);
  }

  const data::Dataset& dataset_;
  const ClassifierTraining& training_;
  nn::Network network_;
  std::unique_ptr<compute::Arena> arena_;
  std::unique_ptr<compute::Queue> queue_;
  nn::TrainedNetwork trained_;
  nn::Workspace workspace_;
  compute::Floats input_;
  compute::Floats labels_;
  compute::Floats loss_;
  RandomStream random_;
  std::vector<float> host_input_;
  std::vector<float> host_labels_;
  std::vector<float> image_;
};

double accuracy_on(const Classifier& classifier, const data::Dataset& dataset,
                   std::span<const std::uint32_t> rows) {
  const std::size_t classes = classifier.class_count();
  std::vector<float> samples, probabilities;
  std::size_t right = 0;
  for (std::size_t first = 0; first < rows.size(); first += rows_per_test) {
    const auto part = rows.subspan(first, std::min(rows_per_test, rows.size() - first));
    samples.resize(part.size() * classifier.sample_size());
    probabilities.resize(part.size() * classes);
    copy_rows(dataset, part, samples);
    classifier.evaluate(samples, part.size(), {.probabilities = probabilities, .features = {}});
    for (std::size_t i = 0; i < part.size(); ++i) {
      const auto row = std::span(probabilities).subspan(i * classes, classes);
      right += std::ranges::max_element(row) - row.begin() == dataset.labels[part[i]] ? 1 : 0;
    }
  }
  return static_cast<double>(right) / static_cast<double>(rows.size());
}

}  // namespace

double classifier_accuracy(const Classifier& classifier, const data::Dataset& dataset) {
  return accuracy_on(classifier, dataset, all_rows(dataset.count));
}

Result<ClassifierModel> train_classifier(const data::Dataset& train, const data::Dataset* test,
                                         compute::Backend& backend,
                                         const ClassifierTraining& training,
                                         const ClassifierProgressFn& progress) {
  CHECK(training.epochs > 0);
  CHECK(training.batch_size > 0);
  TRY_VOID(check_datasets(train, test));
  Split split = split_rows(train, test == nullptr, training.seed);
  ClassifierTraining fitted = training;
  fitted.batch_size = std::min(training.batch_size, split.trained.size());
  Trainer trainer(train, backend, fitted);
  for (std::size_t epoch = 0; epoch < fitted.epochs; ++epoch) {
    const double loss = trainer.epoch(epoch, split.trained);
    if (!std::isfinite(loss)) return diverged(train);
    if (progress) progress({.epoch = epoch + 1, .epochs = fitted.epochs, .loss = loss});
  }
  ClassifierModel model{.fingerprint = train.fingerprint,
                        .sample_size = train.shape.size(),
                        .class_count = train.class_count,
                        .epochs = fitted.epochs,
                        .held_out = test == nullptr,
                        .parameters = trainer.parameters()};
  // No loss tells of the last step.
  if (!all_finite(model.parameters)) return diverged(train);
  const Classifier classifier(model, backend);
  model.tested_count = test ? test->count : split.held_out.size();
  model.accuracy = test ? classifier_accuracy(classifier, *test)
                        : accuracy_on(classifier, train, split.held_out);
  return model;
}

}  // namespace quadrille::train

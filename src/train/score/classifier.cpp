#include "train/score/classifier.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/check.hpp"
#include "train/score/classifier_file.hpp"

namespace quadrille::train {
namespace {

constexpr std::size_t hidden_count = 256;
constexpr std::size_t feature_layer = 1;
// A pass of this many rows keeps its activations in the cache.
constexpr std::size_t rows_per_forward_pass = 256;

// Softmax of each row, in place.
void softmax_rows(std::span<float> logits, std::size_t class_count) {
  for (std::size_t start = 0; start < logits.size(); start += class_count) {
    const std::span<float> row = logits.subspan(start, class_count);
    const float largest = *std::ranges::max_element(row);
    float sum = 0;
    for (float& value : row) sum += value = std::exp(value - largest);
    for (float& value : row) value /= sum;
  }
}

}  // namespace

nn::NetworkSpec classifier_spec(ClassifierSizes sizes) {
  using compute::Activation;
  return {{{sizes.sample, hidden_count, Activation::LeakyRelu},
           {hidden_count, classifier_feature_count, Activation::LeakyRelu},
           {classifier_feature_count, sizes.classes, Activation::Identity}}};
}

// What one caller needs for a pass.
class Classifier::Lane {
 public:
  Lane(compute::Backend& backend, const nn::Network& network)
      : arena_(backend.make_arena()),
        queue_(backend.make_queue()),
        input_(arena_->floats(rows_per_forward_pass * network.input_size())),
        workspace_(*arena_, network, rows_per_forward_pass, /*with_gradients=*/false) {}

  void pass(const nn::Network& network, compute::ConstFloats parameters,
            std::span<const float> samples, std::size_t rows, const Outputs& to) {
    const compute::Floats input = input_.first(rows * network.input_size());
    queue_->upload(input, samples);
    const compute::ConstFloats logits =
        network.forward(*queue_, {.parameters = parameters}, input, rows, workspace_);
    if (!to.probabilities.empty()) queue_->download(to.probabilities, logits);
    if (!to.features.empty())
      queue_->download(to.features, network.layer_output(workspace_, feature_layer, rows));
    queue_->synchronise();
  }

 private:
  std::unique_ptr<compute::Arena> arena_;
  std::unique_ptr<compute::Queue> queue_;
  compute::Floats input_;
  nn::Workspace workspace_;
};

Classifier::Classifier(ClassifierModel model, compute::Backend& backend)
    : model_(std::move(model)),
      backend_(backend),
      network_(classifier_spec({.sample = model_.sample_size, .classes = model_.class_count})),
      arena_(backend.make_arena()),
      parameters_(arena_->resident(std::span<const float>(model_.parameters))) {
  CHECK(model_.parameters.size() == network_.parameter_count(), model_.parameters.size(),
        network_.parameter_count());
}

Classifier::~Classifier() = default;

std::string Classifier::name() const {
  char text[12];
  std::snprintf(text, sizeof text, "%08x", static_cast<unsigned>(classifier_id(model_)));
  return text;
}

std::string Classifier::description() const {
  char text[80];
  std::snprintf(text, sizeof text, " (%.1f %% right on %zu %s rows)", 100 * model_.accuracy,
                model_.tested_count, model_.held_out ? "held-out" : "test");
  return "classifier " + name() + text;
}

std::unique_ptr<Classifier::Lane> Classifier::borrow() const {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return std::make_unique<Lane>(backend_, network_);
  std::unique_ptr<Lane> lane = std::move(idle_.back());
  idle_.pop_back();
  return lane;
}

void Classifier::evaluate(std::span<const float> samples, std::size_t count,
                          const Outputs& to) const {
  CHECK(samples.size() == count * sample_size(), samples.size(), count, sample_size());
  CHECK(to.probabilities.empty() || to.probabilities.size() == count * class_count(),
        to.probabilities.size(), count);
  CHECK(to.features.empty() || to.features.size() == count * classifier_feature_count,
        to.features.size(), count);
  std::unique_ptr<Lane> lane = borrow();
  const auto rows_of = [](auto values, std::size_t first, std::size_t rows, std::size_t width) {
    return values.empty() ? values : values.subspan(first * width, rows * width);
  };
  for (std::size_t first = 0; first < count; first += rows_per_forward_pass) {
    const std::size_t rows = std::min(rows_per_forward_pass, count - first);
    lane->pass(network_, parameters_, rows_of(samples, first, rows, sample_size()), rows,
               {.probabilities = rows_of(to.probabilities, first, rows, class_count()),
                .features = rows_of(to.features, first, rows, classifier_feature_count)});
  }
  softmax_rows(to.probabilities, class_count());
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(lane));
}

}  // namespace quadrille::train

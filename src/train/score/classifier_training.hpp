// Trains the classifier of a labelled data set: softmax cross entropy, Adam with a cosine-shaped
// learning rate, images shifted by up to a pixel either way. A fixed number of epochs from a fixed
// seed, so that the same data and the same matrix kernels give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "base/result.hpp"
#include "compute/backend.hpp"
#include "data/dataset.hpp"
#include "train/score/classifier.hpp"

namespace quadrille::train {

struct ClassifierTraining {
  std::size_t epochs = 8;        // 1 or more
  std::size_t batch_size = 128;  // 1 or more; where there are fewer rows, all of them
  double learning_rate = 2e-3;   // the first; it falls to 0 along half a cosine
  std::uint64_t seed = 1;
};

struct ClassifierProgress {
  std::size_t epoch;  // done so far
  std::size_t epochs;
  double loss;  // mean of the epoch's batches
};
using ClassifierProgressFn = std::function<void(const ClassifierProgress&)>;

inline constexpr std::size_t classifier_row_count_min = 100;

// Without a test set (nullptr), a tenth of the training rows, drawn from the seed, is held out to
// tell the accuracy. Config when the set has no labels, one class only, or too few rows; Mismatch
// when the test set is of another shape, or has a class that the training set lacks; NotFinite when
// training diverged.
Result<ClassifierModel> train_classifier(const data::Dataset& train, const data::Dataset* test,
                                         compute::Backend& backend,
                                         const ClassifierTraining& training = {},
                                         const ClassifierProgressFn& progress = {});

// The share of the data set's rows that the classifier gets right.
double classifier_accuracy(const Classifier& classifier, const data::Dataset& dataset);

}  // namespace quadrille::train

// The classifier of a data set, trained once on a machine and then read from a cache directory,
// where it lies under the fingerprints of the data set's splits: where there is no test split, a
// part of the training rows is held out, and the classifier is another one. The cache saves seconds
// and is never needed: whatever is wrong with it costs a notice and a new training, not the run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "base/result.hpp"
#include "train/score/classifier_training.hpp"

namespace quadrille::node {

// One line for a person, about a cache that could not be used.
using CacheNoticeFn = std::function<void(const std::string& notice)>;

struct ClassifierRequest {
  const data::Dataset& train;
  const data::Dataset* test = nullptr;
  train::ClassifierTraining training = {};
  train::ClassifierProgressFn progress = {};
  CacheNoticeFn notice = {};
};

// DIRECTORY/TRAIN-TEST.classifier, the splits' fingerprints; TRAIN.classifier without a test split.
std::filesystem::path classifier_path(const std::filesystem::path& directory,
                                      const ClassifierRequest& request);

// Reads the classifier, or trains it and writes it atomically. An empty directory is no cache.
// Errors are train_classifier's.
Result<train::ClassifierModel> load_or_train_classifier(const std::filesystem::path& directory,
                                                        const ClassifierRequest& request,
                                                        compute::Backend& backend);

}  // namespace quadrille::node

// The project's own classifier of a labelled data set: a small network (sample - 256 - 64 -
// classes, LeakyReLU) whose class probabilities and 64 features every score of images is measured
// on. The features are those of its penultimate layer, after the activation.
//
// The subtlety: it is used by several pool threads at once. Each call borrows a lane (a queue with
// a workspace) and gives it back; there are as many lanes as there were ever callers at one time.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "compute/backend.hpp"
#include "nn/network.hpp"

namespace quadrille::train {

inline constexpr std::size_t classifier_feature_count = 64;

// A trained classifier as plain values: what is cached.
struct ClassifierModel {
  std::string fingerprint;  // of the data set that it was trained on
  std::size_t sample_size = 0;
  std::size_t class_count = 0;
  std::size_t epochs = 0;        // of the training
  double accuracy = 0;           // share of the rows below that it classified right
  std::size_t tested_count = 0;  // rows it was tested on, none of which it was trained on
  bool held_out = false;  // those rows were part of the training set, which had no test split
  std::vector<float> parameters;

  bool operator==(const ClassifierModel&) const = default;
};

struct ClassifierSizes {
  std::size_t sample;   // numbers that a sample has
  std::size_t classes;  // that it tells apart
};
// sample - 256 - classifier_feature_count - classes, LeakyReLU; the output is logits.
nn::NetworkSpec classifier_spec(ClassifierSizes sizes);

class Classifier {
 public:
  // CHECKs that the model has as many parameters as its
  // sizes say. The backend outlives the classifier.
  Classifier(ClassifierModel model, compute::Backend& backend);
  ~Classifier();

  const ClassifierModel& model() const { return model_; }
  std::size_t class_count() const { return model_.class_count; }
  std::size_t sample_size() const { return model_.sample_size; }
  // "5f0c1a2b", of its parameters.
  std::string name() const;
  // For people: "classifier 5f0c1a2b (98.2 % right on 10000 test rows)". The number is told by the
  // parameters: figures of two classifiers with different numbers do not compare.
  std::string description() const;

  // samples: (count, sample_size) on the host, scaled as in training. Either output may be empty:
  // then it is not wanted. From any number of threads at once.
  struct Outputs {
    std::span<float> probabilities;  // (count, class_count)
    std::span<float> features;       // (count, classifier_feature_count)
  };
  void evaluate(std::span<const float> samples, std::size_t count, const Outputs& to) const;

 private:
  class Lane;
  std::unique_ptr<Lane> borrow() const;

  ClassifierModel model_;
  compute::Backend& backend_;
  nn::Network network_;
  std::unique_ptr<compute::Arena> arena_;
  compute::ConstFloats parameters_;
  mutable std::mutex mutex_;  // of the lanes and of their making
  mutable std::vector<std::unique_ptr<Lane>> idle_;
};

}  // namespace quadrille::train

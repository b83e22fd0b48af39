// Total variation distance between the class frequencies of two sets of samples: half the L1
// distance, from 0 (the same) to 1 (no class in common). One classifier assigns the classes on both
// sides, so that its systematic errors cancel. It sees which classes are missing, not how good a
// sample of a class is.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace quadrille::train {

// How often each class is the most probable one; the
// first of equals wins. probabilities: (count, classes).
class ClassCounts {
 public:
  explicit ClassCounts(std::size_t class_count);

  void add(std::span<const float> probabilities);
  std::size_t sample_count() const { return sample_count_; }
  std::vector<double> frequencies() const;  // sums to 1; CHECKs that there is a sample

 private:
  std::vector<std::size_t> counts_;
  std::size_t sample_count_ = 0;
};

// Both of one length, each summing to 1.
double total_variation(std::span<const double> p, std::span<const double> q);

}  // namespace quadrille::train

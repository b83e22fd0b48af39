// A small labelled set that a classifier learns in a moment, and what the tests of scores share.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "data/dataset.hpp"
#include "data/fingerprint.hpp"
#include "data/synthetic.hpp"
#include "train/score/classifier_training.hpp"
#include "train/score/dataset_rows.hpp"

namespace quadrille::test {

// 8 x 8 images of three classes: a bar that lies, a bar that stands, a diagonal; with noise.
inline data::Dataset bars(std::size_t count, std::uint64_t seed) {
  constexpr std::size_t side = 8, class_count = 3;
  RandomStream random(stream_key(seed, "test.bars", 0));
  data::Dataset set;
  set.name = "bars";
  set.shape = {.height = side, .width = side};
  set.count = count;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t label = random.below(class_count);
    const std::size_t place = 2 + random.below(4);
    for (std::size_t y = 0; y < side; ++y)
      for (std::size_t x = 0; x < side; ++x) {
        const bool lit = label == 0 ? y == place : label == 1 ? x == place : x == y;
        set.bytes.push_back(static_cast<std::uint8_t>((lit ? 200 : 0) + random.below(50)));
      }
    set.labels.push_back(static_cast<std::uint8_t>(label));
  }
  set.class_count = class_count;
  set.fingerprint = data::fingerprint_of(set);
  return set;
}

inline std::vector<float> rows_as_floats(const data::Dataset& set, std::size_t count) {
  std::vector<float> rows(count * set.shape.size());
  train::copy_rows_from(set, 0, rows);
  return rows;
}

inline data::SyntheticSet ring8(std::size_t count) {
  data::SyntheticOptions options;
  options.count = count;
  return data::make_synthetic("ring8", options).value();
}

// Enough to tell bars apart.
inline constexpr train::ClassifierTraining bar_training{
    .epochs = 10, .batch_size = 20, .learning_rate = 3e-3};

// Tests that take many seconds run where QUADRILLE_LONG is set (tools/check --long sets it).
inline bool long_tests_wanted() {
  return std::getenv("QUADRILLE_LONG") != nullptr;
}

}  // namespace quadrille::test

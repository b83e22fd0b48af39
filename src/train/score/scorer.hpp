// Tells how good generated samples are with one number: what a mixture is evolved towards, and what
// a run compares its cells by. One scorer serves all cells of the process.
#pragma once

#include <cstddef>
#include <span>

namespace quadrille::train {

class Scorer {
 public:
  virtual ~Scorer() = default;
  Scorer(const Scorer&) = delete;
  Scorer& operator=(const Scorer&) = delete;

  // Lower is better (a score whose larger values are better is negated).
  // samples: (count, sample_size) on the host, in the data set's scale (images in [-1, 1]).
  // A pure function of its argument: the same samples give the same bits, in whatever order and
  // from however many threads of the pool it is called at once. NaN where they are not finite.
  virtual double score(std::span<const float> samples, std::size_t count) = 0;

 protected:
  Scorer() = default;
};

}  // namespace quadrille::train

// Local health (Lifeguard, LHA-Probe): how much this peer should doubt itself. 0 is well. Probes of
// a peer that doubts itself are rarer and wait longer by score + 1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.hpp"

namespace quadrille::peer {

class Awareness {
 public:
  explicit Awareness(std::uint32_t levels) : score_max_(levels == 0 ? 0 : levels - 1) {}

  void worsen(std::uint32_t by) { score_ += std::min(by, score_max_ - score_); }
  void improve() { score_ -= score_ > 0 ? 1 : 0; }

  std::uint32_t score() const { return score_; }
  Duration scaled(Duration time) const { return time * (score_ + 1); }

 private:
  std::uint32_t score_max_;
  std::uint32_t score_ = 0;
};

}  // namespace quadrille::peer

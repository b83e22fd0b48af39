// The smaller part of a split fleet holds back: while fewer than half of the most that were ever
// seen together in the last minutes live, it claims nothing for a while. It would give it all back
// when the split heals. An option: a fleet that did lose its larger half waits for nothing.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>

#include "base/time.hpp"

namespace quadrille::peer {

class MinorityBrake {
 public:
  struct Options {
    bool enabled = false;
    Duration memory{};  // how far back the most is sought
    Duration time{};    // how long it holds
  };
  // So many peaks are remembered; what is closer together counts as one.
  static constexpr std::size_t peaks_max = 64;

  explicit MinorityBrake(Options options) : options_(options) {}

  void note(std::size_t live, TimePoint now);
  bool holds(TimePoint now) const { return released_at_ && now < *released_at_; }
  std::optional<TimePoint> released_at() const { return released_at_; }

  std::size_t peak_count() const { return peaks_.size(); }

 private:
  struct Peak {
    std::size_t live = 0;
    TimePoint until;
  };
  void remember(std::size_t live, TimePoint until);

  Options options_;
  std::size_t live_ = 0;
  std::deque<Peak> peaks_;  // falling, the oldest and largest first
  std::optional<TimePoint> released_at_;
};

}  // namespace quadrille::peer

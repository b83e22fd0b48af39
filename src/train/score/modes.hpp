// How generated points lie on a synthetic mixture whose modes are
// known. A point belongs to its nearest centre, and is good when it
// lies within three sigma of it (Srivastava et al. 2017, VEEGAN).
//
// A mode is covered when at least a tenth of its fair share of the points, N / modes, are good
// points of it, and at least one. The usual rule asks for one good point in 2,500, which a
// generator that passes between two modes meets by chance.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "data/mixture_truth.hpp"

namespace quadrille::train {

inline constexpr double mode_radius_sigmas = 3;
inline constexpr std::size_t mode_share_divisor = 10;

struct ModeCounts {
  std::vector<std::size_t> good;  // of each mode: points within three sigma of its centre
  std::size_t sample_count = 0;

  std::size_t covered_count_min() const;  // good points that a mode needs to be covered
  std::size_t covered() const;            // modes
  double good_share() const;              // of all points
};

// points: (count, 2) with count > 0. A point that is not finite is not good.
ModeCounts count_modes(std::span<const float> points, const data::MixtureTruth& truth);

// One number for all of it, lower is better: the total variation distance between where the points
// are and where the true mixture's are, over the modes and "nowhere near one". From 0 to 1; a lost
// mode of K costs 1/K, a share of points far from all modes costs that share, and so does a share
// that one mode has too much.
double mode_score(const ModeCounts& counts);

}  // namespace quadrille::train

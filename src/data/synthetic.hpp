// Synthetic sets of 2-D points with a known answer: equal mixtures of round Gaussians.
//
// ring8   8 Gaussians, sigma 0.02, on a circle of radius 2, the first on the x axis, then
//         counter-clockwise (Metz et al., "Unrolled GANs", 2017).
// grid25  5 x 5 Gaussians, sigma 0.05, 2 apart (Dumoulin et al., "ALI", 2017; Srivastava et al.,
//         "VEEGAN", 2017), then all divided by 2 sqrt(2), the standard deviation of a coordinate,
//         as WGAN-GP's published code does: the centres reach from -1.41 to 1.41, sigma is
//         0.0177, and a generator that starts near 0 gets there by small steps.
//
// Both lie outside of what a tanh reaches: they are for a generator with a linear output (model
// "toy"). `scale` shrinks a set for a tanh: with 0.2, ring8 reaches 0.4 and grid25 0.8.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/result.hpp"
#include "data/dataset.hpp"
#include "data/mixture_truth.hpp"

namespace quadrille::data {

inline constexpr std::size_t synthetic_count_max = 10'000'000;

// Absent values are those of the set's publication, above. Radius, spacing and sigma are given in
// its units, before `scale`.
struct SyntheticOptions {
  std::size_t count = 50'000;     // of all modes; mode i has the rows i, i + modes, i + 2 modes...
  std::optional<double> radius;   // ring8
  std::optional<double> spacing;  // grid25
  std::optional<double> sigma;    // of each coordinate
  std::optional<double> scale;    // 1 for ring8, 1 / (2 sqrt(2)) for grid25
  std::uint64_t seed = 0;         // not the run's: all runs share one set

  bool operator==(const SyntheticOptions&) const = default;
};

struct SyntheticSet {
  Dataset dataset;  // points, labelled with their mode
  MixtureTruth truth;
};

bool is_synthetic(std::string_view name);

// Config error for a name that is not synthetic, an
// option of the other set, or a value out of range.
Result<SyntheticSet> make_synthetic(std::string_view name, const SyntheticOptions& options);

}  // namespace quadrille::data

// What is known of a synthetic set: an equal mixture of round Gaussians. A sample counts as good
// within three sigma of its nearest centre.
#pragma once

#include <array>
#include <vector>

namespace quadrille::data {

struct MixtureTruth {
  std::vector<std::array<float, 2>> centres;  // centre i is that of the points labelled i
  float sigma = 0;                            // of each coordinate, in the units of the points
};

}  // namespace quadrille::data

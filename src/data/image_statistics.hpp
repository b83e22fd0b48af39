// What is measured of stored images before anybody trains on them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "data/idx.hpp"

namespace quadrille::data {

struct ImageStatistics {
  std::uint8_t minimum = 0;
  std::uint8_t maximum = 0;
  double mean = 0;
  std::size_t duplicates = 0;  // images that repeat an earlier one, pixel by pixel
  std::size_t blank = 0;       // images of one grey
  std::size_t in_train = 0;    // of a test split: images that the training split has too
};

// "every pixel is 0; ...": why nobody learns from images
// whose pixels span this range, and the next step. None where one can.
std::optional<std::string> unlearnable(std::uint8_t minimum, std::uint8_t maximum);

// 128 bits of an image: they do not collide by chance.
using ImageHash = std::pair<std::uint64_t, std::uint64_t>;

// One hash per image, ascending.
std::vector<ImageHash> sorted_hashes(const IdxFile& images);

// `hashes` are those of `images`, which holds at least one image; `train_hashes` those of the
// training split when this is the test split, else empty.
ImageStatistics statistics_of(const IdxFile& images, const std::vector<ImageHash>& hashes,
                              const std::vector<ImageHash>& train_hashes);

}  // namespace quadrille::data

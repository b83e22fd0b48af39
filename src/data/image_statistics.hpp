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

struct PixelRange {
  std::uint8_t minimum;
  std::uint8_t maximum;
};

// "every pixel is 0; ...": why nobody learns from images
// whose pixels span this range, and the next step. None where one can.
std::optional<std::string> unlearnable(PixelRange pixels);

// 128 bits of an image: they do not collide by chance.
using ImageHash = std::pair<std::uint64_t, std::uint64_t>;

// One hash per image, ascending.
std::vector<ImageHash> sorted_hashes(const IdxFile& images);

struct SortedHashes {
  const std::vector<ImageHash>& own;    // of the images themselves
  const std::vector<ImageHash>& train;  // of the training split when they are the test's, else none
};

// Of one image or more.
ImageStatistics statistics_of(const IdxFile& images, const SortedHashes& hashes);

}  // namespace quadrille::data

#include "data/image_statistics.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <span>

#include "base/check.hpp"

namespace quadrille::data {
namespace {

void measure_pixels(const IdxFile& images, ImageStatistics& statistics) {
  const std::size_t size = images.shape.size();
  std::array<std::uint64_t, 256> pixels{};
  for (std::size_t first = 0; first < images.values.size(); first += size) {
    const std::span image = std::span(images.values).subspan(first, size);
    for (const std::uint8_t pixel : image) ++pixels[pixel];
    if (std::ranges::all_of(image, [&](std::uint8_t pixel) { return pixel == image.front(); }))
      ++statistics.blank;
  }
  double sum = 0;
  for (std::size_t value = 0; value < pixels.size(); ++value)
    sum += static_cast<double>(value) * static_cast<double>(pixels[value]);
  statistics.mean = sum / static_cast<double>(images.values.size());
  const auto [low, high] = std::ranges::minmax(images.values);
  statistics.minimum = low;
  statistics.maximum = high;
}

}  // namespace

std::optional<std::string> unlearnable(PixelRange pixels) {
  const auto [minimum, maximum] = pixels;
  if (minimum == maximum)
    return "every pixel is " + std::to_string(maximum) +
           "; there is nothing to learn: fetch it again";
  if (maximum <= 1)
    return "pixels are 0 and 1 only, and 0 to 255 is expected (every image would look black); "
           "multiply them by 255";
  return std::nullopt;
}

std::vector<ImageHash> sorted_hashes(const IdxFile& images) {
  const std::size_t size = images.shape.size();
  std::vector<ImageHash> hashes;
  hashes.reserve(images.readable_count());
  for (std::size_t first = 0; first < images.values.size(); first += size) {
    const XXH128_hash_t hash = XXH3_128bits(images.values.data() + first, size);
    hashes.emplace_back(hash.high64, hash.low64);
  }
  std::ranges::sort(hashes);
  return hashes;
}

ImageStatistics statistics_of(const IdxFile& images, const SortedHashes& hashes) {
  CHECK(!images.values.empty());
  ImageStatistics statistics;
  measure_pixels(images, statistics);
  for (std::size_t i = 1; i < hashes.own.size(); ++i)
    statistics.duplicates += hashes.own[i] == hashes.own[i - 1] ? 1 : 0;
  for (const ImageHash& hash : hashes.own)
    statistics.in_train += std::ranges::binary_search(hashes.train, hash) ? 1 : 0;
  return statistics;
}

}  // namespace quadrille::data

// Pictures of samples for people: a sheet of image tiles, or a scatter plot of points. Plain
// pixels, written as PNG, whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace quadrille::node {

// Samples as a generator makes them: (count, height, width, channels),
// from -1 (black) to 1; 1 or 3 channels.
struct ImageBatch {
  std::span<const float> values;
  std::size_t count = 0;
  std::size_t height = 0;
  std::size_t width = 0;
  std::size_t channels = 1;
};

struct SheetOptions {
  std::size_t columns = 0;  // 0: as square as it gets
  std::size_t zoom = 2;     // a pixel becomes zoom x zoom: 28 x 28 is small to look at
  std::size_t border = 1;   // pixels between the tiles and around them
};

// Points in the plane: (count, 2), x then y. Those that are not finite are left out.
struct PointClouds {
  // Drawn grey.
  std::span<const float> real;
  // Drawn over them in colour; what lies outside is put on the rim.
  std::span<const float> generated;
};

struct Picture {
  std::size_t width = 0;
  std::size_t height = 0;
  std::size_t channels = 1;          // 1: grey, 3: red, green, blue
  std::vector<std::uint8_t> pixels;  // (height, width, channels)
};

inline constexpr std::size_t picture_side_max = 16384;

// Limit when a side would pass picture_side_max.
Result<Picture> draw_sheet(const ImageBatch& images, const SheetOptions& options = {});
// The frame fits the real points and a margin; without real points, the generated ones.
Picture draw_scatter(const PointClouds& clouds, std::size_t side = 512);

Result<void> write_png(const std::filesystem::path& path, const Picture& picture);

}  // namespace quadrille::node

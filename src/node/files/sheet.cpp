#include "node/files/sheet.hpp"

#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "base/bytes.hpp"
#include "base/check.hpp"
#include "node/files/atomic_file.hpp"

namespace quadrille::node {
namespace {

using Colour = std::array<std::uint8_t, 3>;

constexpr std::uint8_t border_grey = 96;
constexpr Colour paper{255, 255, 255};
constexpr Colour real_colour{190, 190, 190};
constexpr Colour generated_colour{200, 40, 60};
constexpr double scatter_margin = 0.15;  // of the frame's extent, on each side

// -1 to 1 becomes 0 to 255, what is outside is clipped, and NaN is black.
std::uint8_t to_pixel(float value) {
  if (std::isnan(value)) return 0;
  return static_cast<std::uint8_t>(std::lround((std::clamp(value, -1.0F, 1.0F) + 1) * 127.5F));
}

std::size_t square_columns(std::size_t count) {
  std::size_t columns = 1;
  while (columns * columns < count) ++columns;
  return columns;
}

void draw_tile(Picture& picture, std::span<const float> tile, const ImageBatch& images,
               std::size_t top, std::size_t left, std::size_t zoom) {
  for (std::size_t y = 0; y < images.height * zoom; ++y) {
    for (std::size_t x = 0; x < images.width * zoom; ++x) {
      const std::size_t from = (y / zoom * images.width + x / zoom) * images.channels;
      const std::size_t to = ((top + y) * picture.width + left + x) * images.channels;
      for (std::size_t c = 0; c < images.channels; ++c) {
        picture.pixels[to + c] = to_pixel(tile[from + c]);
      }
    }
  }
}

// The square part of the plane that a scatter plot shows.
struct Frame {
  double left, bottom, extent;
};

// In double, where the extent of finite floats is finite.
Frame frame_of(std::span<const float> points) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double low[2] = {infinity, infinity};
  double high[2] = {-infinity, -infinity};
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    if (!std::isfinite(points[i]) || !std::isfinite(points[i + 1])) continue;
    for (std::size_t axis = 0; axis < 2; ++axis) {
      low[axis] = std::min(low[axis], double{points[i + axis]});
      high[axis] = std::max(high[axis], double{points[i + axis]});
    }
  }
  if (low[0] > high[0]) return {-1, -1, 2};  // no point at all
  const double extent =
      std::max({high[0] - low[0], high[1] - low[1], 1e-6}) * (1 + 2 * scatter_margin);
  return {(low[0] + high[0] - extent) / 2, (low[1] + high[1] - extent) / 2, extent};
}

void draw_points(Picture& picture, std::span<const float> points, const Frame& frame,
                 Colour colour) {
  const std::size_t dot = std::max<std::size_t>(2, picture.width / 170);
  const std::size_t last = picture.width - dot;
  const auto place = [&](double value, double origin) {
    const double share = (value - origin) / frame.extent;
    return static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * static_cast<double>(last));
  };
  for (std::size_t i = 0; i + 1 < points.size(); i += 2) {
    if (!std::isfinite(points[i]) || !std::isfinite(points[i + 1])) continue;
    const std::size_t x = place(points[i], frame.left);
    const std::size_t y = last - place(points[i + 1], frame.bottom);  // the y axis points up
    for (std::size_t row = y; row < y + dot; ++row) {
      for (std::size_t column = x; column < x + dot; ++column) {
        std::ranges::copy(colour, picture.pixels.begin() + static_cast<std::ptrdiff_t>(
                                                               (row * picture.width + column) * 3));
      }
    }
  }
}

}  // namespace

Result<Picture> draw_sheet(const ImageBatch& images, const SheetOptions& options) {
  CHECK(images.channels == 1 || images.channels == 3, images.channels);
  CHECK(images.count > 0 && options.zoom > 0, images.count, options.zoom);
  const std::size_t tile_size = images.height * images.width * images.channels;
  CHECK(images.values.size() == images.count * tile_size, images.values.size(), images.count);

  const std::size_t columns =
      std::min(options.columns == 0 ? square_columns(images.count) : options.columns, images.count);
  const std::size_t rows = (images.count + columns - 1) / columns;
  const std::size_t step_x = images.width * options.zoom + options.border;
  const std::size_t step_y = images.height * options.zoom + options.border;
  const std::size_t side_limit = picture_side_max - options.border;
  if (columns > side_limit / step_x || rows > side_limit / step_y) {
    return failure(ErrorCode::Limit, "a sheet of " + std::to_string(columns) + " x " +
                                         std::to_string(rows) + " samples would pass " +
                                         std::to_string(picture_side_max) +
                                         " pixels; ask for fewer samples");
  }
  Picture picture{
      options.border + columns * step_x, options.border + rows * step_y, images.channels, {}};
  picture.pixels.assign(picture.width * picture.height * picture.channels, border_grey);
  for (std::size_t i = 0; i < images.count; ++i) {
    draw_tile(picture, images.values.subspan(i * tile_size, tile_size), images,
              options.border + i / columns * step_y, options.border + i % columns * step_x,
              options.zoom);
  }
  return picture;
}

Picture draw_scatter(const PointClouds& clouds, std::size_t side) {
  CHECK(side >= 16 && side <= picture_side_max, side);
  Picture picture{side, side, 3, {}};
  picture.pixels.assign(side * side * 3, paper[0]);
  const Frame frame = frame_of(clouds.real.empty() ? clouds.generated : clouds.real);
  draw_points(picture, clouds.real, frame, real_colour);
  draw_points(picture, clouds.generated, frame, generated_colour);
  return picture;
}

Result<void> write_png(const std::filesystem::path& path, const Picture& picture) {
  CHECK(picture.pixels.size() == picture.width * picture.height * picture.channels,
        picture.pixels.size());
  // libpng's simplified interface: it returns its errors,
  // where the classic one jumps over destructors.
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.width);
  image.height = static_cast<png_uint_32>(picture.height);
  image.format = picture.channels == 1 ? PNG_FORMAT_GRAY : PNG_FORMAT_RGB;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  ByteBuffer file(size);
  if (png_image_write_to_memory(&image, file.data(), &size, 0, picture.pixels.data(), 0, nullptr) ==
      0) {
    return failure(ErrorCode::Io,
                   path.string() + " cannot be written: libpng says: " + image.message);
  }
  file.resize(size);
  return write_file_atomically(path, Bytes(file));
}

}  // namespace quadrille::node

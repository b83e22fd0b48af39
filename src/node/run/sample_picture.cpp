#include "node/run/sample_picture.hpp"

#include <algorithm>

#include "node/files/sheet.hpp"

namespace quadrille::node {
namespace {

constexpr std::size_t zoomed_side = 64;  // smaller images are drawn larger

}  // namespace

Result<void> write_samples(const std::filesystem::path& path, std::span<const float> samples,
                           std::size_t count, const data::Dataset& dataset) {
  const data::SampleShape& shape = dataset.shape;
  if (!dataset.is_image()) {
    const std::size_t real = std::min(scatter_points_min, dataset.count) * shape.size();
    return write_png(
        path, draw_scatter({.real = std::span(dataset.points).first(real), .generated = samples}));
  }
  TRY(sheet, draw_sheet({.values = samples,
                         .count = count,
                         .height = shape.height,
                         .width = shape.width,
                         .channels = shape.channels},
                        {.zoom = shape.width < zoomed_side ? 2U : 1U}));
  return write_png(path, sheet);
}

}  // namespace quadrille::node

#include "codec/byte_shuffle.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace quadrille::codec {
namespace {

// Elements are taken in runs that stay in the first-level cache while every plane is written.
constexpr std::size_t run_elements = 2048;

template <std::size_t width>
void shuffle(const std::byte* elements, std::size_t count, std::byte* planes) {
  for (std::size_t start = 0; start < count; start += run_elements) {
    const std::size_t run = std::min(run_elements, count - start);
    const std::byte* from = elements + start * width;
    for (std::size_t plane = 0; plane < width; ++plane) {
      std::byte* to = planes + plane * count + start;
      for (std::size_t i = 0; i < run; ++i) to[i] = from[i * width + plane];
    }
  }
}

template <std::size_t width>
void unshuffle(const std::byte* planes, std::size_t count, std::byte* elements) {
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t plane = 0; plane < width; ++plane)
      elements[i * width + plane] = planes[plane * count + i];
}

}  // namespace

void shuffle_bytes(std::size_t width, std::span<const std::byte> elements,
                   std::span<std::byte> planes) {
  CHECK(width == 2 || width == 4, width);
  CHECK(elements.size() == planes.size() && elements.size() % width == 0, elements.size());
  if (width == 2) return shuffle<2>(elements.data(), elements.size() / 2, planes.data());
  shuffle<4>(elements.data(), elements.size() / 4, planes.data());
}

void unshuffle_bytes(std::size_t width, std::span<const std::byte> planes,
                     std::span<std::byte> elements) {
  CHECK(width == 2 || width == 4, width);
  CHECK(elements.size() == planes.size() && planes.size() % width == 0, planes.size());
  if (width == 2) return unshuffle<2>(planes.data(), planes.size() / 2, elements.data());
  unshuffle<4>(planes.data(), planes.size() / 4, elements.data());
}

}  // namespace quadrille::codec

// A data set in host memory: images kept as bytes, or points kept as floats, with labels where
// there are any. It is loaded once and shared, read-only, by all cells of the process; a
// mini-batch is gathered and scaled by the backend in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace quadrille::data {

// The shape of one image, or of a point (1 x 1 x 2).
struct SampleShape {
  std::size_t height = 1;
  std::size_t width = 1;
  std::size_t channels = 1;

  std::size_t size() const { return height * width * channels; }
  bool operator==(const SampleShape&) const = default;
};

struct Dataset {
  std::string name;         // as the run file says it
  std::string fingerprint;  // hex of a hash over content, shape and labels: the same everywhere
  SampleShape shape;
  std::size_t count = 0;  // at most 2^32 - 1: rows are numbered in 32 bits
  // Exactly one of the two holds count * shape.size() values. Bytes are scaled to [-1, 1] when they
  // are gathered: byte * byte_scale + byte_shift. Points are used as they are.
  std::vector<std::uint8_t> bytes;
  std::vector<float> points;
  std::vector<std::uint8_t> labels;  // count of them, or none
  std::size_t class_count = 0;       // largest label + 1, or 0

  bool is_image() const { return !bytes.empty(); }
};

inline constexpr float byte_scale = 2.0F / 255.0F;
inline constexpr float byte_shift = -1.0F;

}  // namespace quadrille::data

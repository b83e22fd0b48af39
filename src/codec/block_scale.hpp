// The scale of one block of 256 values, chosen from its largest magnitude. Every table of kernels
// includes this, so all is static and calls nothing (see kernels.hpp).
//
// scale = bf16(largest / 127), to nearest even, and at least 2^-126, the smallest normal number.
// - largest / scale is at most 127 * (1 + 2^-8) < 127.5, so that no code passes 127;
// - a value is off by at most half a scale, and one part in 2^15 of it for the rounding of
//   value / scale: (largest / 254) * (1 + 2^-7) is a safe bound, or 2^-126 at the floor;
// - 127 * scale is finite for every finite largest: bf16(FLT_MAX / 127) * 127 < FLT_MAX;
// - 1 / scale is finite and normal, and code * scale is exact and never denormal.
#pragma once

#include <cstdint>

#include "codec/kernels.hpp"

namespace quadrille::codec {

struct BlockScale {
  std::uint16_t bits;
  float scale;
  float inverse;
};

// bf16 of a float's bits, to nearest even; right for every finite float.
static inline std::uint32_t bf16_of_bits(std::uint32_t bits) {
  return (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
}

static inline BlockScale block_scale(Magnitude largest) {
  constexpr std::uint32_t smallest_normal = 0x0080;
  const float step = __builtin_bit_cast(float, largest) / 127.0f;
  std::uint32_t bits = bf16_of_bits(__builtin_bit_cast(std::uint32_t, step));
  if (bits < smallest_normal) bits = smallest_normal;
  const float scale = __builtin_bit_cast(float, bits << 16);
  return {static_cast<std::uint16_t>(bits), scale, 1.0f / scale};
}

}  // namespace quadrille::codec

// Floats to feed a codec with, and how they are compared: by their bits, as the format is defined.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"

namespace quadrille::codec::test {

using Floats = std::vector<float>;

inline std::uint32_t bits_of(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

inline bool same_bits(std::span<const float> a, std::span<const float> b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (bits_of(a[i]) != bits_of(b[i])) return false;
  return true;
}

inline Floats weights(std::size_t count, std::uint64_t seed, float scale = 0.06f) {
  RandomStream random(stream_key(seed, "weights", 0));
  Floats values(count);
  for (float& value : values) value = scale * static_cast<float>(random.uniform() * 4 - 2);
  return values;
}

// Any finite bit pattern: all exponents, denormals, both signs.
inline Floats any_finite(std::size_t count, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "any_finite", 0));
  Floats values(count);
  for (float& value : values) do {
      value = std::bit_cast<float>(random.next_u32());
    } while (!std::isfinite(value));
  return values;
}

inline Floats denormals(std::size_t count, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "denormals", 0));
  Floats values(count);
  for (float& value : values) value = std::bit_cast<float>(random.next_u32() & 0x807fffff);
  return values;
}

inline Floats scaled(Floats values, float factor) {
  for (float& value : values) value *= factor;
  return values;
}

struct NamedFloats {
  std::string name;
  Floats values;
};

// What kernels get wrong: odd lengths, zeros, denormals, the largest numbers, one outlier.
inline std::vector<NamedFloats> hard_inputs() {
  constexpr float max = std::numeric_limits<float>::max();
  std::vector<NamedFloats> inputs;
  for (const std::size_t count : {0u, 1u, 7u, 31u, 255u, 256u, 257u, 511u, 512u, 1000u, 5000u})
    inputs.push_back({std::to_string(count) + " weights", weights(count, count)});
  inputs.push_back({"any finite", any_finite(3000, 1)});
  inputs.push_back({"denormals", denormals(700, 2)});
  inputs.push_back({"zeros", Floats(300, 0.0f)});
  inputs.push_back({"negative zeros", Floats(300, -0.0f)});
  inputs.push_back({"largest", Floats(300, max)});
  inputs.push_back({"most negative", Floats(300, -max)});
  inputs.push_back({"huge", scaled(weights(600, 3, 1.0f), max / 2)});
  inputs.push_back({"near the smallest scale", scaled(weights(600, 4, 1.0f), 0x1p-120f)});
  Floats outlier = weights(600, 5);
  outlier[300] = 1000.0f;
  inputs.push_back({"an outlier", outlier});
  return inputs;
}

}  // namespace quadrille::codec::test

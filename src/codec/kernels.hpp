// The inner loops of every codec: one table of functions for each instruction set, chosen by cpuid.
//
// All tables give the same bits, encoding and decoding: each step is one correctly rounded
// operation, and the loops never fuse or reorder floating-point sums. A table's functions are
// compiled with its own flags, so those files use no inline function of the standard library: the
// linker could keep the copy that needs AVX-512 for everybody.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace quadrille::codec {

// Every loop works whole blocks; the caller pads the last one (body.cpp).
inline constexpr std::size_t block_floats = 256;

// A float's bits without its sign. Magnitudes order as absolute values do, then infinity, then NaN:
// the largest one of many values says whether all of them are finite.
using Magnitude = std::uint32_t;
inline constexpr Magnitude infinite_magnitude = 0x7f800000;

// Kinds that write every value alone. encode returns the largest magnitude that it read, decode the
// largest that it wrote. Encoded bytes need no alignment.
struct FlatKernels {
  Magnitude (*encode)(const float* values, std::size_t blocks, std::byte* codes);
  Magnitude (*decode)(const std::byte* codes, std::size_t blocks, float* values);
};

struct Kernels {
  const char* name;

  FlatKernels fp32;
  FlatKernels fp16;
  FlatKernels bf16;

  // value = code * scale, with a bf16 scale for each block of 256 and codes from -127 to 127.
  Magnitude (*encode_int8)(const float* values, std::size_t blocks, std::byte* scales,
                           std::byte* codes);
  Magnitude (*decode_int8)(const std::byte* scales, const std::byte* codes, std::size_t blocks,
                           float* values);

  // next = base + code * scale, which comes as near to `values` as the codes allow. Returns the
  // largest magnitude among the differences and `next`: infinite when a difference overflowed, too.
  Magnitude (*encode_difference)(const float* values, const float* base, std::size_t blocks,
                                 std::byte* scales, std::byte* codes, float* next);
  Magnitude (*decode_difference)(const std::byte* scales, const std::byte* codes, const float* base,
                                 std::size_t blocks, float* next);

  // XXH3-64, the same number from every table.
  std::uint64_t (*hash)(const void* bytes, std::size_t byte_count, std::uint64_t seed);
};

// The tables that this build has and this CPU runs, best first; the generic one is always there.
std::span<const Kernels* const> available_kernels();
inline const Kernels& best_kernels() {
  return *available_kernels().front();
}

extern const Kernels generic_kernels;
extern const Kernels avx2_kernels;    // x86-64 builds only
extern const Kernels avx512_kernels;  // x86-64 builds only

}  // namespace quadrille::codec

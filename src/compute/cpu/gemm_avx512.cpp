// The built-in matrix multiplication with AVX-512: tiles of 12 x 32, 24 of the 32 registers.
#include <immintrin.h>

#include "compute/cpu/gemm.hpp"

namespace quadrille::compute {
namespace {

struct Lanes {
  static constexpr std::size_t count = 16;
  __m512 values;

  static Lanes zero() { return {_mm512_setzero_ps()}; }
  static Lanes load(const float* from) { return {_mm512_loadu_ps(from)}; }
  static Lanes broadcast(float value) { return {_mm512_set1_ps(value)}; }
  void store(float* to) const { _mm512_storeu_ps(to, values); }
  void add(Lanes other) { values = _mm512_add_ps(values, other.values); }
  void add_product(Lanes a, Lanes b) { values = _mm512_fmadd_ps(a.values, b.values, values); }
};

constexpr std::size_t tile_rows_max = 12;
// Beyond it, rows of b fall on the same few places of the first-level cache, and packing pays.
constexpr std::size_t unpacked_leading_max = 1000;

}  // namespace
}  // namespace quadrille::compute

#define QUADRILLE_GEMM gemm_avx512
#define QUADRILLE_FMA_BURST fma_burst_avx512
#include "compute/cpu/gemm_packed.inl"

// The built-in matrix multiplication with AVX2 and FMA: tiles of 6 x 16, 12 of the 16 registers.
#include <immintrin.h>

#include "compute/cpu/gemm.hpp"

namespace quadrille::compute {
namespace {

struct Lanes {
  static constexpr std::size_t count = 8;
  __m256 values;

  static Lanes zero() { return {_mm256_setzero_ps()}; }
  static Lanes load(const float* from) { return {_mm256_loadu_ps(from)}; }
  static Lanes broadcast(float value) { return {_mm256_set1_ps(value)}; }
  void store(float* to) const { _mm256_storeu_ps(to, values); }
  void add(Lanes other) { values = _mm256_add_ps(values, other.values); }
  void add_product(Lanes a, Lanes b) { values = _mm256_fmadd_ps(a.values, b.values, values); }
};

constexpr std::size_t tile_rows_max = 6;
// Always packed: its panels fit the first-level cache.
constexpr std::size_t unpacked_leading_max = 0;

}  // namespace
}  // namespace quadrille::compute

#define QUADRILLE_GEMM gemm_avx2
#define QUADRILLE_FMA_BURST fma_burst_avx2
#include "compute/cpu/gemm_packed.inl"

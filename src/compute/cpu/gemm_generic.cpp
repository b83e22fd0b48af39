// Matrix multiplication for any CPU, in plain loops.
#include "compute/cpu/gemm.hpp"

namespace quadrille::compute {
namespace {

// One row of c, with rows of b contiguous.
void row_by_rows(const GemmTask& t, std::size_t i) {
  float* const __restrict c = t.c + i * t.c_leading;
  if (!t.accumulate)
    for (std::size_t j = 0; j < t.n; ++j) c[j] = 0;
  for (std::size_t p = 0; p < t.k; ++p) {
    const float a = t.a_transposed ? t.a[p * t.a_leading + i] : t.a[i * t.a_leading + p];
    const float* const __restrict b = t.b + p * t.b_leading;
    for (std::size_t j = 0; j < t.n; ++j) c[j] += a * b[j];
  }
}

// One row of c, with columns of b contiguous.
void row_by_columns(const GemmTask& t, std::size_t i) {
  float* const c = t.c + i * t.c_leading;
  for (std::size_t j = 0; j < t.n; ++j) {
    float sum = 0;
    for (std::size_t p = 0; p < t.k; ++p) {
      const float a = t.a_transposed ? t.a[p * t.a_leading + i] : t.a[i * t.a_leading + p];
      sum += a * t.b[j * t.b_leading + p];
    }
    c[j] = t.accumulate ? c[j] + sum : sum;
  }
}

}  // namespace

void gemm_generic(const GemmTask& t) {
  for (std::size_t i = 0; i < t.m; ++i) t.b_transposed ? row_by_columns(t, i) : row_by_rows(t, i);
}

}  // namespace quadrille::compute

// Matrix multiplication on one thread; cpu_queue.cpp spreads large ones in fixed tiles.
#pragma once

#include <cstddef>

#include "compute/cpu/cpu_backend.hpp"

namespace quadrille::compute {

// c = a b (+ c where `accumulate`); a: (m, k), b: (k, n) after transposition. One member of an
// Operation's Gemm, or one tile of it.
struct GemmTask {
  std::size_t m, n, k;
  const float* a;
  std::size_t a_leading;
  bool a_transposed;
  const float* b;
  std::size_t b_leading;
  bool b_transposed;
  bool accumulate;
  float* c;
  std::size_t c_leading;
};

using GemmFunction = void (*)(const GemmTask& task);

GemmFunction gemm_function(CpuGemm gemm);

void gemm_generic(const GemmTask& task);

}  // namespace quadrille::compute

// Matrix multiplication on one thread; cpu_queue.cpp spreads large ones in fixed tiles.
#pragma once

#include <cstddef>
#include <string>

#include "compute/cpu/cpu_backend.hpp"

namespace quadrille::compute {

// c = a b (+ c where `accumulate`); a: (m, k), b: (k, n)
// after transposition: one tile of a Gemm. k >= 1.
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

// `gemm` is an available one, not Auto.
GemmFunction gemm_function(CpuGemm gemm);
// For people, with the version of an outside library.
std::string gemm_description(CpuGemm gemm);

// Multiply-adds in registers alone, for some 50 microseconds;
// returns the count of floating-point operations.
using FmaBurst = double (*)();

// One each per compiled copy of gemm_packed.inl; call only where the CPU runs it.
void gemm_generic(const GemmTask& task);
void gemm_avx2(const GemmTask& task);
void gemm_avx512(const GemmTask& task);
double fma_burst_generic();
double fma_burst_avx2();
double fma_burst_avx512();

// oneDNN's sgemm, on the calling thread alone. Only in builds with QUADRILLE_ONEDNN.
void gemm_onednn(const GemmTask& task);
std::string onednn_version();

}  // namespace quadrille::compute

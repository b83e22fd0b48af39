// The CPU backend: every operation runs inside submit(), on the caller's thread and, where the work
// is large enough, on the pool's, in fixed tiles: the bits do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/worker_pool.hpp"
#include "compute/backend.hpp"

namespace quadrille::compute {

// Which matrix kernel to use. Auto: oneDNN where it was built in, else the best built-in one for
// this CPU.
enum class CpuGemm : std::uint8_t { Auto, OneDnn, Avx512, Avx2, Generic };

struct CpuOptions {
  CpuGemm gemm = CpuGemm::Auto;
};

// The kernels that this build has and this CPU runs; never empty (Generic is always there).
std::span<const CpuGemm> available_cpu_gemms();
std::string_view cpu_gemm_name(CpuGemm gemm);

// The pool outlives the backend. CHECKs that the kernel asked for is available.
std::unique_ptr<Backend> make_cpu_backend(WorkerPool& pool, CpuOptions options = {});

// Floating-point operations per second of one core's fused multiply-adds, measured for about
// `milliseconds` of the calling thread by counting iterations of a register-only loop. The caller
// supplies the clock.
using ClockSeconds = double (*)();
double measure_fma_peak(ClockSeconds clock, int milliseconds);

}  // namespace quadrille::compute

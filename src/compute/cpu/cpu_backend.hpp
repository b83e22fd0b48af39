// The CPU backend: every operation runs inside submit(), on the caller's thread and, where the work
// is large enough, on the pool's, in fixed tiles: the bits do not depend on the number of threads.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "base/worker_pool.hpp"
#include "compute/backend.hpp"

namespace quadrille::compute {

// Which matrix kernel to use. Auto: the first of available_cpu_gemms(). The built-in AVX kernels
// give the same bits as each other, and the same for each row whatever the batch; oneDNN promises
// neither (docs/decisions/onednn.md).
enum class CpuGemm : std::uint8_t { Auto, OneDnn, Avx512, Avx2, Generic };

struct CpuOptions {
  CpuGemm gemm = CpuGemm::Auto;
};

// The kernels that this build has and this CPU runs, the preferred one first; never empty (Generic
// is always there).
std::span<const CpuGemm> available_cpu_gemms();
std::string_view cpu_gemm_name(CpuGemm gemm);

// The pool outlives the backend. CHECKs that the kernel asked for is available.
std::unique_ptr<Backend> make_cpu_backend(WorkerPool& pool, CpuOptions options = {});

// Floating-point operations per second of one core's fused multiply-adds: the best millisecond of
// about `milliseconds` of the calling thread in a register-only loop with the widest registers. The
// caller supplies the clock; one of the thread's CPU time is not disturbed by other programs.
using ClockSeconds = double (*)();
double measure_fma_peak(ClockSeconds clock, int milliseconds);

}  // namespace quadrille::compute

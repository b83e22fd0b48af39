// The ceiling of one core, which shares are of: its fused multiply-adds a second, measured once.
#pragma once

#include <ctime>

#include "compute/cpu/cpu_backend.hpp"

namespace quadrille::bench {

// CPU time of the calling thread: other programs do not disturb it.
inline double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

inline double core_peak_flops() {
  static const double peak = compute::measure_fma_peak(cpu_seconds, 200);
  return peak;
}

}  // namespace quadrille::bench

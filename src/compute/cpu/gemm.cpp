#include "compute/cpu/gemm.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"
#include "compute/cpu/instruction_set.hpp"

namespace quadrille::compute {
namespace {

// Best first: see docs/decisions/onednn.md for the measurements behind the order.
std::vector<CpuGemm> find_gemms() {
  std::vector<CpuGemm> found;
#ifdef QUADRILLE_X86_KERNELS
  const InstructionSet best = best_instruction_set();
  if (best >= InstructionSet::Avx512) found.push_back(CpuGemm::Avx512);
  if (best >= InstructionSet::Avx2) found.push_back(CpuGemm::Avx2);
#endif
#ifdef QUADRILLE_ONEDNN
  found.push_back(CpuGemm::OneDnn);
#endif
  found.push_back(CpuGemm::Generic);
  return found;
}

}  // namespace

std::span<const CpuGemm> available_cpu_gemms() {
  static const std::vector<CpuGemm> available = find_gemms();
  return available;
}

std::string_view cpu_gemm_name(CpuGemm gemm) {
  switch (gemm) {
    case CpuGemm::Auto:
      return "auto";
    case CpuGemm::OneDnn:
      return "onednn";
    case CpuGemm::Avx512:
      return "avx512";
    case CpuGemm::Avx2:
      return "avx2";
    case CpuGemm::Generic:
      return "generic";
  }
  CHECK(false, static_cast<int>(gemm));
}

std::string gemm_description(CpuGemm gemm) {
#ifdef QUADRILLE_ONEDNN
  if (gemm == CpuGemm::OneDnn) return "oneDNN sgemm " + onednn_version();
#endif
  switch (gemm) {
    case CpuGemm::Avx512:
      return "built-in AVX-512 matrix kernel";
    case CpuGemm::Avx2:
      return "built-in AVX2 matrix kernel";
    default:
      return "built-in generic matrix kernel";
  }
}

GemmFunction gemm_function(CpuGemm gemm) {
  switch (gemm) {
#ifdef QUADRILLE_ONEDNN
    case CpuGemm::OneDnn:
      return gemm_onednn;
#endif
#ifdef QUADRILLE_X86_KERNELS
    case CpuGemm::Avx512:
      return gemm_avx512;
    case CpuGemm::Avx2:
      return gemm_avx2;
#endif
    case CpuGemm::Generic:
      return gemm_generic;
    default:
      break;
  }
  CHECK(false, cpu_gemm_name(gemm));
}

double measure_fma_peak(ClockSeconds clock, int milliseconds) {
  FmaBurst burst = fma_burst_generic;
#ifdef QUADRILLE_X86_KERNELS
  if (best_instruction_set() == InstructionSet::Avx512) burst = fma_burst_avx512;
  if (best_instruction_set() == InstructionSet::Avx2) burst = fma_burst_avx2;
#endif
  burst();  // a core needs a moment to reach its speed with wide registers
  double best = 0;
  const double end = clock() + milliseconds * 1e-3;
  double now = clock();
  do {
    const double begin = now;
    double operations = 0;
    // Bursts until the clock moves by enough to be trusted.
    do {
      operations += burst();
      now = clock();
    } while (now - begin < 1e-3 && now < end);
    if (now > begin) best = std::max(best, operations / (now - begin));
  } while (now < end);
  return best;
}

}  // namespace quadrille::compute

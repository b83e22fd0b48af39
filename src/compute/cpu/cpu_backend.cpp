#include "compute/cpu/cpu_backend.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "base/check.hpp"
#include "compute/cpu/cpu_arena.hpp"
#include "compute/cpu/cpu_queue.hpp"

namespace quadrille::compute {
namespace {

class CpuBackend : public Backend {
 public:
  CpuBackend(WorkerPool& pool, CpuGemm gemm)
      : pool_(pool), gemm_(gemm_function(gemm)), kernels_(best_kernels()) {
    description_ = "cpu: ";
    description_ += cpu_gemm_name(gemm);
    description_ += ", element-wise ";
    description_ += kernels_.name;
  }

  std::string_view name() const override { return "cpu"; }
  std::string_view description() const override { return description_; }
  std::unique_ptr<Arena> make_arena() override { return std::make_unique<CpuArena>(); }
  std::unique_ptr<Queue> make_queue() override {
    return std::make_unique<CpuQueue>(pool_, gemm_, kernels_);
  }

 private:
  WorkerPool& pool_;
  GemmFunction gemm_;
  const Kernels& kernels_;
  std::string description_;
};

}  // namespace

const Kernels& best_kernels() {
  return generic_kernels();
}

GemmFunction gemm_function(CpuGemm) {
  return gemm_generic;
}

std::span<const CpuGemm> available_cpu_gemms() {
  static constexpr std::array kinds{CpuGemm::Generic};
  return kinds;
}

std::string_view cpu_gemm_name(CpuGemm gemm) {
  switch (gemm) {
    case CpuGemm::Auto:
      return "auto";
    case CpuGemm::OneDnn:
      return "oneDNN sgemm";
    case CpuGemm::Avx512:
      return "built-in AVX-512 gemm";
    case CpuGemm::Avx2:
      return "built-in AVX2 gemm";
    case CpuGemm::Generic:
      return "built-in generic gemm";
  }
  CHECK(false, static_cast<int>(gemm));
}

std::unique_ptr<Backend> make_cpu_backend(WorkerPool& pool, CpuOptions options) {
  const CpuGemm gemm = options.gemm == CpuGemm::Auto ? available_cpu_gemms().front() : options.gemm;
  CHECK(std::ranges::find(available_cpu_gemms(), gemm) != available_cpu_gemms().end(),
        cpu_gemm_name(gemm));
  return std::make_unique<CpuBackend>(pool, gemm);
}

double measure_fma_peak(ClockSeconds clock, int milliseconds) {
  constexpr int chains = 32;
  float sums[chains] = {};
  double operations = 0;
  const double begin = clock();
  double end = begin;
  while (end - begin < milliseconds * 1e-3) {
    for (int i = 0; i < 1000; ++i)
      for (float& sum : sums) sum = sum * 0.5F + 1.0F;
    operations += 2.0 * chains * 1000;
    end = clock();
  }
  volatile float keep = sums[0];
  (void)keep;
  return operations / (end - begin);
}

}  // namespace quadrille::compute

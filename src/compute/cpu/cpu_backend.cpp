#include "compute/cpu/cpu_backend.hpp"

#include <algorithm>
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
    description_ += gemm_description(gemm);
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

std::unique_ptr<Backend> make_cpu_backend(WorkerPool& pool, CpuOptions options) {
  const CpuGemm gemm = options.gemm == CpuGemm::Auto ? available_cpu_gemms().front() : options.gemm;
  CHECK(std::ranges::find(available_cpu_gemms(), gemm) != available_cpu_gemms().end(),
        cpu_gemm_name(gemm));
  return std::make_unique<CpuBackend>(pool, gemm);
}

}  // namespace quadrille::compute

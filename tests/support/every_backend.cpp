#include "support/every_backend.hpp"

#include "support/deferred_backend.hpp"

namespace quadrille::test {

std::unique_ptr<compute::Backend> BackendChoice::make(WorkerPool& pool) const {
  const compute::CpuOptions options{.gemm = gemm};
  if (deferred) return std::make_unique<DeferredBackend>(pool, options);
  return compute::make_cpu_backend(pool, options);
}

std::ostream& operator<<(std::ostream& out, const BackendChoice& choice) {
  return out << (choice.deferred ? "deferred " : "cpu ") << compute::cpu_gemm_name(choice.gemm);
}

std::vector<BackendChoice> every_backend() {
  std::vector<BackendChoice> choices;
  for (const compute::CpuGemm gemm : compute::available_cpu_gemms())
    choices.push_back({.deferred = false, .gemm = gemm});
  choices.push_back({.deferred = true, .gemm = compute::CpuGemm::Auto});
  return choices;
}

}  // namespace quadrille::test

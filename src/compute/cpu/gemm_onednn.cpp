// oneDNN's single-precision matrix multiplication (docs/decisions/onednn.md). It is the only thing
// of that library that we use: no primitives, no memory objects, no layouts of its own.
#include "compute/cpu/gemm.hpp"

#include "base/check.hpp"

#include <dnnl.h>
#include <omp.h>

namespace quadrille::compute {
namespace {

dnnl_dim_t dim(std::size_t size) {
  return static_cast<dnnl_dim_t>(size);
}

// oneDNN spreads a call over OpenMP's threads. Our pool does that, so each thread that calls allows
// it one, for itself alone: OpenMP keeps the number per thread.
void stay_on_this_thread() {
  thread_local bool told = false;
  if (told) return;
  omp_set_num_threads(1);
  told = true;
}

}  // namespace

void gemm_onednn(const GemmTask& t) {
  stay_on_this_thread();
  const dnnl_status_t status =
      dnnl_sgemm(t.a_transposed ? 'T' : 'N', t.b_transposed ? 'T' : 'N', dim(t.m), dim(t.n),
                 dim(t.k), 1.0F, t.a, dim(t.a_leading), t.b, dim(t.b_leading),
                 t.accumulate ? 1.0F : 0.0F, t.c, dim(t.c_leading));
  CHECK(status == dnnl_success, status, t.m, t.n, t.k);
}

std::string onednn_version() {
  const dnnl_version_t& version = *dnnl_version();
  return std::to_string(version.major) + '.' + std::to_string(version.minor) + '.' +
         std::to_string(version.patch);
}

}  // namespace quadrille::compute

// The backends that every training test runs on: the CPU with each matrix kernel that this machine
// runs, and the deferred one. Use: BOOST_DATA_TEST_CASE(name, quadrille::test::every_backend(),
// choice).
#pragma once

#include "compute/cpu/cpu_backend.hpp"

#include <memory>
#include <ostream>
#include <vector>

namespace quadrille::test {

struct BackendChoice {
  bool deferred;
  compute::CpuGemm gemm;

  std::unique_ptr<compute::Backend> make(WorkerPool& pool) const;
};

std::ostream& operator<<(std::ostream& out, const BackendChoice& choice);

std::vector<BackendChoice> every_backend();

}  // namespace quadrille::test

// The op table on the CPU backend: right on every kernel, and the same bits where they are promised.
#include "support/op_table.hpp"

#include "compute/cpu/cpu_arena.hpp"
#include "compute/cpu/cpu_queue.hpp"
#include "support/every_backend.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>

namespace quadrille::compute {
namespace {

using test::OpTableReport;
using test::run_op_table;

OpTableReport run_cpu(CpuGemm gemm, std::size_t thread_count) {
  WorkerPool pool(thread_count);
  return run_op_table(*make_cpu_backend(pool, {.gemm = gemm}));
}

// A CPU backend with one chosen copy of the element-wise loops.
class KernelBackend final : public Backend {
 public:
  KernelBackend(WorkerPool& pool, const Kernels& kernels) : pool_(pool), kernels_(kernels) {}

  std::string_view name() const override { return "cpu"; }
  std::string_view description() const override { return kernels_.name; }
  std::unique_ptr<Arena> make_arena() override { return std::make_unique<CpuArena>(); }
  std::unique_ptr<Queue> make_queue() override {
    return std::make_unique<CpuQueue>(pool_, gemm_function(CpuGemm::Generic), kernels_);
  }

 private:
  WorkerPool& pool_;
  const Kernels& kernels_;
};

bool runs(CpuGemm gemm) {
  return std::ranges::find(available_cpu_gemms(), gemm) != available_cpu_gemms().end();
}

}  // namespace

BOOST_AUTO_TEST_SUITE(op_table)

BOOST_DATA_TEST_CASE(every_operation_agrees_with_double_precision, test::every_backend(), choice) {
  WorkerPool pool(2);
  const OpTableReport report = run_op_table(*choice.make(pool));
  for (const std::string& failure : report.failures) BOOST_ERROR(failure);
}

BOOST_DATA_TEST_CASE(bits_do_not_depend_on_the_number_of_threads, test::every_backend(), choice) {
  if (choice.deferred) return;
  BOOST_TEST((run_cpu(choice.gemm, 1).output_bits == run_cpu(choice.gemm, 3).output_bits));
}

BOOST_AUTO_TEST_CASE(the_avx_matrix_kernels_give_the_same_bits) {
  if (!runs(CpuGemm::Avx512)) return;
  BOOST_TEST((run_cpu(CpuGemm::Avx512, 1).output_bits == run_cpu(CpuGemm::Avx2, 1).output_bits));
}

BOOST_AUTO_TEST_CASE(element_wise_bits_do_not_depend_on_the_instruction_set) {
  WorkerPool pool(1);
  KernelBackend generic(pool, generic_kernels());
  const OpTableReport expected = run_op_table(generic);
  for (const Kernels* kernels : available_kernels()) {
    KernelBackend backend(pool, *kernels);
    BOOST_TEST((run_op_table(backend).output_bits == expected.output_bits), kernels->name);
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::compute

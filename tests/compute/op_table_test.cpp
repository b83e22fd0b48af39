// The op table on the CPU backend: right on every kernel, and the same bits where they are
// promised.
#include "support/op_table.hpp"

#include "compute/cpu/cpu_arena.hpp"
#include "compute/cpu/cpu_queue.hpp"
#include "support/deferred_backend.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace quadrille::compute {

BOOST_AUTO_TEST_SUITE(op_table)

namespace {

using test::OpTableReport;
using test::run_op_table;

// The report of one backend; several tests look at each.
const OpTableReport& cpu_report(CpuGemm gemm, std::size_t thread_count) {
  static std::map<std::pair<CpuGemm, std::size_t>, OpTableReport> reports;
  const auto [place, is_new] = reports.try_emplace({gemm, thread_count});
  if (is_new) {
    WorkerPool pool(thread_count);
    place->second = run_op_table(*make_cpu_backend(pool, {.gemm = gemm}));
  }
  return place->second;
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

BOOST_AUTO_TEST_CASE(every_operation_agrees_with_double_precision) {
  for (const CpuGemm gemm : available_cpu_gemms())
    for (const std::string& failure : cpu_report(gemm, 2).failures)
      BOOST_ERROR(cpu_gemm_name(gemm) << ": " << failure);
}

BOOST_AUTO_TEST_CASE(every_operation_can_wait_until_synchronise) {
  WorkerPool pool(1);
  test::DeferredBackend backend(pool);
  for (const std::string& failure : run_op_table(backend).failures) BOOST_ERROR(failure);
}

BOOST_AUTO_TEST_CASE(bits_do_not_depend_on_the_number_of_threads) {
  for (const CpuGemm gemm : available_cpu_gemms())
    BOOST_TEST((cpu_report(gemm, 1).output_bits == cpu_report(gemm, 2).output_bits),
               cpu_gemm_name(gemm));
}

BOOST_AUTO_TEST_CASE(the_avx_matrix_kernels_give_the_same_bits) {
  if (!runs(CpuGemm::Avx512)) return;
  const OpTableReport& wide = cpu_report(CpuGemm::Avx512, 2);
  BOOST_TEST((wide.output_bits == cpu_report(CpuGemm::Avx2, 2).output_bits));
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

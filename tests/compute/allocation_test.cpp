// Once warm, the CPU backend's submit() allocates nothing. The matrix kernels are the built-in
// ones, since oneDNN allocates inside.
#include "compute/cpu/cpu_backend.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <vector>

#include "support/allocation_count.hpp"

namespace quadrille::compute {
namespace {

constexpr std::size_t rows = 300, inner = 513, columns = 300;  // several tiles, several cuts of k

// c = a b in every layout, and one column of it.
std::vector<Operation> matrix_products(Floats a, Floats b, Floats c, Floats column) {
  const auto matrices = [&](bool a_transposed, bool b_transposed) {
    return Gemm{.m = rows,
                .n = columns,
                .k = inner,
                .a = {a, a_transposed ? rows : inner, a_transposed},
                .b = {b, b_transposed ? inner : columns, b_transposed},
                .c = {c, columns}};
  };
  return {matrices(false, false), matrices(false, true), matrices(true, false),
          Gemm{.m = rows, .n = 1, .k = inner, .a = {a, inner}, .b = {b, 1}, .c = {column, 1}}};
}

std::vector<Operation> optimizer_steps(const OptimizerStep& adam) {
  OptimizerStep sgd = adam;
  sgd.kind = OptimizerKind::Sgd;
  sgd.first = sgd.second = {};
  OptimizerStep rms_prop = adam;
  rms_prop.kind = OptimizerKind::RmsProp;
  rms_prop.first = {};
  return {sgd, rms_prop, adam};
}

void append(std::vector<Operation>& operations, const std::vector<Operation>& more) {
  operations.insert(operations.end(), more.begin(), more.end());
}

// One of every operation, of sizes that are cut into blocks.
std::vector<Operation> every_operation(Arena& arena, std::span<const std::uint8_t> bytes,
                                       std::span<const float> floats) {
  const Floats a = arena.floats(rows * inner), b = arena.floats(inner * columns);
  const Floats c = arena.floats(rows * columns), bias = arena.floats(columns);
  const Floats logits = arena.floats(rows), gradient = arena.floats(rows), one = arena.floats(1);
  const Floats p = arena.floats(a.count()), m = arena.floats(a.count()),
               v = arena.floats(a.count());
  const Floats hyper = arena.floats(hyper::count);
  const Words picks = arena.words(rows);
  std::fill_n(picks.address(), rows, 0U);
  std::vector<Operation> operations{RandomNormal{.to = a, .key = 1, .first_block = 0},
                                    RandomUniform{.to = b, .key = 1, .first_block = 0},
                                    Fill{.to = hyper, .value = 0.5F},
                                    Fill{.to = bias, .value = 0},
                                    Copy{.to = p, .from = a},
                                    Fill{.to = m, .value = 0},
                                    Fill{.to = v, .value = 0}};
  append(operations, matrix_products(a, b, c, logits));
  append(operations,
         {BiasActivation{.rows = rows,
                         .columns = columns,
                         .values = c,
                         .bias = bias,
                         .activation = Activation::Tanh},
          ActivationGradient{.activation = Activation::LeakyRelu, .output = a, .gradient = p},
          ColumnSum{.rows = rows, .columns = columns, .from = c, .to = bias},
          AdversarialLoss{.kind = LossKind::Bce,
                          .side = LossSide::Generator,
                          .logits = logits,
                          .gradient = gradient,
                          .loss = one},
          Fill{.to = gradient, .value = 0},
          SoftmaxLoss{.rows = rows / 2,
                      .classes = 2,
                      .logits = logits,
                      .labels = gradient,
                      .gradient = c,
                      .loss = one}});
  append(operations, optimizer_steps({.kind = OptimizerKind::Adam,
                                      .parameters = p,
                                      .gradient = a,
                                      .first = m,
                                      .second = v,
                                      .hyper = hyper}));
  append(operations, {GatherBytes{.row_count = rows,
                                  .columns = columns,
                                  .source = arena.resident(bytes),
                                  .rows = picks,
                                  .scale = 1,
                                  .shift = 0,
                                  .to = c},
                      GatherFloats{.row_count = rows,
                                   .columns = columns,
                                   .source = arena.resident(floats),
                                   .rows = picks,
                                   .to = c},
                      Axpby{.a = 1, .x = a, .b = 1, .to = p}, Clip{.values = p, .limit = 1},
                      SumSquares{.from = p, .to = one}});
  return operations;
}

}  // namespace

BOOST_AUTO_TEST_CASE(submit_allocates_nothing_once_warm) {
  WorkerPool pool(2);
  const std::vector<std::uint8_t> bytes(columns);
  const std::vector<float> floats(columns);
  for (const CpuGemm gemm : available_cpu_gemms()) {
    if (gemm == CpuGemm::OneDnn) continue;
    const auto backend = make_cpu_backend(pool, {.gemm = gemm});
    const auto arena = backend->make_arena();
    const auto queue = backend->make_queue();
    const std::vector<Operation> operations = every_operation(*arena, bytes, floats);
    const auto submit_all = [&] {
      for (const Operation& operation : operations) queue->submit(operation);
      queue->synchronise();
    };
    submit_all();
    const std::size_t before = test::allocation_count();
    submit_all();
    BOOST_TEST(test::allocation_count() == before, cpu_gemm_name(gemm));
  }
}

}  // namespace quadrille::compute

// How fast the CPU backend's operations are, beside the ceiling: matrix products as a share of the
// core's peak of fused multiply-adds, flat passes in bytes a second. One thread; CPU time, so that
// a busy machine disturbs little.
#include "compute/cpu/cpu_backend.hpp"

#include "bench/bench_main.hpp"
#include "bench/core_peak.hpp"

#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

namespace quadrille::compute {
namespace {

using bench::core_peak_flops;

struct Bench {
  WorkerPool pool{1};
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Arena> arena;
  std::unique_ptr<Queue> queue;

  explicit Bench(CpuGemm gemm = CpuGemm::Auto)
      : backend(make_cpu_backend(pool, {.gemm = gemm})),
        arena(backend->make_arena()),
        queue(backend->make_queue()) {}

  Floats normals(std::size_t count) {
    const Floats to = arena->floats(count);
    queue->submit(RandomNormal{.to = to, .key = 1, .first_block = 0});
    return to;
  }

  // Repeats the operation; `bytes` is what one run of it has to read and write.
  void repeat(benchmark::State& state, const Operation& operation, std::size_t bytes) {
    for (auto iteration : state) {
      (void)iteration;
      queue->submit(operation);
      queue->synchronise();
    }
    state.SetBytesProcessed(static_cast<std::int64_t>(bytes) * state.iterations());
  }
};

// The products of one step of the MLP pair at batch 100; the discriminator sees real and fake rows.
struct GemmShape {
  const char* name;
  std::size_t m, n, k;
  bool a_transposed, b_transposed;
};

constexpr GemmShape gemm_shapes[] = {
    {"G1 forward", 100, 256, 64, false, false},  {"G1 weights", 64, 256, 100, true, false},
    {"G2 forward", 100, 256, 256, false, false}, {"G2 input", 100, 256, 256, false, true},
    {"G2 weights", 256, 256, 100, true, false},  {"G3 forward", 100, 784, 256, false, false},
    {"G3 input", 100, 256, 784, false, true},    {"G3 weights", 256, 784, 100, true, false},
    {"D1 forward", 200, 256, 784, false, false}, {"D1 input", 100, 784, 256, false, true},
    {"D1 weights", 784, 256, 200, true, false},  {"D2 forward", 200, 256, 256, false, false},
    {"D2 input", 200, 256, 256, false, true},    {"D2 weights", 256, 256, 200, true, false},
    {"D3 forward", 200, 1, 256, false, false},   {"D3 input", 200, 256, 1, false, true},
    {"D3 weights", 256, 1, 200, true, false},    {"odd tails", 99, 255, 63, false, false},
    {"evaluation", 500, 256, 784, false, false}, {"1024 cubed", 1024, 1024, 1024, false, false},
};

void run_gemm(benchmark::State& state, CpuGemm gemm, const GemmShape& shape) {
  Bench bench(gemm);
  const auto [name, m, n, k, a_transposed, b_transposed] = shape;
  const Operation operation = Gemm{.m = m,
                                   .n = n,
                                   .k = k,
                                   .a = {bench.normals(m * k), a_transposed ? m : k, a_transposed},
                                   .b = {bench.normals(k * n), b_transposed ? k : n, b_transposed},
                                   .c = {bench.arena->floats(m * n), n}};
  for (auto iteration : state) {
    (void)iteration;
    bench.queue->submit(operation);
    bench.queue->synchronise();
  }
  const double flops =
      2.0 * static_cast<double>(m * n * k) * static_cast<double>(state.iterations());
  state.counters["flop/s"] = benchmark::Counter(flops, benchmark::Counter::kIsRate);
  state.counters["of_peak"] =
      benchmark::Counter(flops / core_peak_flops(), benchmark::Counter::kIsRate);
}

constexpr std::size_t generator_count = 283920;  // parameters of the MLP generator

void adam(benchmark::State& state) {
  Bench bench;
  const Floats hyper = bench.arena->floats(hyper::count);
  bench.queue->submit(Fill{.to = hyper, .value = 0.5F});
  const Floats second = bench.arena->floats(generator_count);
  bench.queue->submit(Fill{.to = second, .value = 1});
  bench.repeat(state,
               OptimizerStep{.kind = OptimizerKind::Adam,
                             .parameters = bench.normals(generator_count),
                             .gradient = bench.normals(generator_count),
                             .first = bench.normals(generator_count),
                             .second = second,
                             .hyper = hyper},
               generator_count * sizeof(float) * 7);
}

// Of the Philox streams: what `to` holds is written once.
template <class Fill>
void random_fill(benchmark::State& state, std::size_t count) {
  Bench bench;
  bench.repeat(state, Fill{.to = bench.arena->floats(count), .key = 1, .first_block = 0},
               count * sizeof(float));
  state.SetItemsProcessed(static_cast<std::int64_t>(count) * state.iterations());
}

// Not from and to the same place in a page: there the C library's copy is ten times slower on some
// processors, and no yardstick.
void copy(benchmark::State& state, std::size_t count) {
  constexpr std::size_t apart = 512;
  const std::vector<float> from(count, 1);
  std::vector<float> to(count + apart);
  for (auto iteration : state) {
    (void)iteration;
    std::memcpy(to.data() + apart, from.data(), count * sizeof(float));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(count * sizeof(float)) * state.iterations());
}

void gather(benchmark::State& state) {
  Bench bench;
  constexpr std::size_t columns = 784, source_rows = 60000, batch = 100;
  const std::vector<std::uint8_t> source(columns * source_rows, 100);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < batch; ++i) rows.push_back(i * 599);
  const Words picks = bench.arena->words(batch);
  bench.queue->upload(picks, std::span<const std::uint32_t>(rows));
  bench.repeat(state,
               GatherBytes{.row_count = batch,
                           .columns = columns,
                           .source = bench.arena->resident(std::span(source)),
                           .rows = picks,
                           .scale = 2.0F / 255,
                           .shift = -1,
                           .to = bench.arena->floats(batch * columns)},
               batch * columns * 5);
}

void activation(benchmark::State& state, Activation activation, std::size_t rows,
                std::size_t columns) {
  Bench bench;
  const Floats values = bench.normals(rows * columns);
  bench.repeat(state,
               BiasActivation{.rows = rows,
                              .columns = columns,
                              .values = values,
                              .bias = bench.normals(columns),
                              .activation = activation},
               values.count() * sizeof(float) * 2);
}

void activation_gradient(benchmark::State& state, Activation activation, std::size_t count) {
  Bench bench;
  bench.repeat(state,
               ActivationGradient{.activation = activation,
                                  .output = bench.normals(count),
                                  .gradient = bench.normals(count)},
               count * sizeof(float) * 3);
}

void column_sum(benchmark::State& state) {
  Bench bench;
  bench.repeat(state,
               ColumnSum{.rows = 200,
                         .columns = 256,
                         .from = bench.normals(200 * 256),
                         .to = bench.arena->floats(256)},
               200 * 256 * sizeof(float));
}

void loss(benchmark::State& state) {
  Bench bench;
  bench.repeat(state,
               AdversarialLoss{.kind = LossKind::Bce,
                               .side = LossSide::Generator,
                               .logits = bench.normals(100),
                               .gradient = bench.arena->floats(100),
                               .loss = bench.arena->floats(1)},
               100 * sizeof(float) * 2);
}

void sum_squares(benchmark::State& state) {
  Bench bench;
  bench.repeat(state,
               SumSquares{.from = bench.normals(generator_count), .to = bench.arena->floats(1)},
               generator_count * sizeof(float));
}

}  // namespace
}  // namespace quadrille::compute

void register_benchmarks() {
  using namespace quadrille::compute;
  benchmark::AddCustomContext("fma peak of one core, Gflop/s",
                              std::to_string(core_peak_flops() * 1e-9));
  for (const CpuGemm gemm : available_cpu_gemms())
    for (const GemmShape& shape : gemm_shapes) {
      const std::string name =
          "gemm/" + std::string(cpu_gemm_name(gemm)) + "/" + std::string(shape.name);
      benchmark::RegisterBenchmark(name.c_str(), run_gemm, gemm, shape);
    }
  benchmark::RegisterBenchmark("adam", adam);
  benchmark::RegisterBenchmark("normals/100x64", random_fill<RandomNormal>, 100 * 64);
  benchmark::RegisterBenchmark("memcpy/256kB", copy, 65'536);
  benchmark::RegisterBenchmark("normals/256kB", random_fill<RandomNormal>, 65'536);
  benchmark::RegisterBenchmark("uniforms/256kB", random_fill<RandomUniform>, 65'536);
  benchmark::RegisterBenchmark("gather/100x784", gather);
  benchmark::RegisterBenchmark("leaky_relu/100x256", activation, Activation::LeakyRelu, 100, 256);
  benchmark::RegisterBenchmark("tanh/100x784", activation, Activation::Tanh, 100, 784);
  benchmark::RegisterBenchmark("leaky_relu_gradient/100x256", activation_gradient,
                               Activation::LeakyRelu, 100 * 256);
  benchmark::RegisterBenchmark("tanh_gradient/100x784", activation_gradient, Activation::Tanh,
                               100 * 784);
  benchmark::RegisterBenchmark("column_sum/200x256", column_sum);
  benchmark::RegisterBenchmark("bce/100", loss);
  benchmark::RegisterBenchmark("sum_squares", sum_squares);
}

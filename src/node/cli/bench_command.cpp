// peer bench gemm|peak: the matrix products of a training step, and what bounds them.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "compute/cpu/cpu_backend.hpp"
#include "node/cli/bench.hpp"
#include "node/cli/commands.hpp"
#include "node/run/clock.hpp"
#include "node/run/worker_threads.hpp"

namespace quadrille::node {
namespace {

struct Shape {
  const char* name;
  std::size_t m, n, k;
  bool transpose_a, transpose_b;
};

// The matrix products of the MLP pair at the published settings, and a large square.
constexpr Shape shapes[] = {
    {"G1 forward", 100, 256, 64, false, false},  {"G3 forward", 100, 784, 256, false, false},
    {"G3 dX", 100, 256, 784, false, true},       {"G3 dW", 256, 784, 100, true, false},
    {"D1 forward", 200, 256, 784, false, false}, {"D1 dW", 784, 256, 200, true, false},
    {"D2 forward", 200, 256, 256, false, false}, {"D3 forward", 200, 1, 256, false, false},
    {"square", 1024, 1024, 1024, false, false},
};

double gemm_flops_per_second(compute::Queue& queue, compute::Arena& arena, const Shape& shape,
                             double seconds) {
  const compute::Floats a = arena.floats(shape.m * shape.k);
  const compute::Floats b = arena.floats(shape.k * shape.n);
  const compute::Floats c = arena.floats(shape.m * shape.n);
  queue.submit(compute::RandomNormal{.to = a, .key = 1, .first_block = 0});
  queue.submit(compute::RandomNormal{.to = b, .key = 2, .first_block = 0});
  const compute::Gemm gemm{.m = shape.m,
                           .n = shape.n,
                           .k = shape.k,
                           .a = {.values = a,
                                 .leading = shape.transpose_a ? shape.m : shape.k,
                                 .transposed = shape.transpose_a},
                           .b = {.values = b,
                                 .leading = shape.transpose_b ? shape.k : shape.n,
                                 .transposed = shape.transpose_b},
                           .c = {.values = c, .leading = shape.n}};
  queue.submit(gemm);
  queue.synchronise();
  std::size_t calls = 0;
  const double start = process_cpu_seconds();
  double used = 0;
  while (used < seconds) {
    queue.submit(gemm);
    queue.synchronise();
    ++calls;
    used = process_cpu_seconds() - start;
  }
  return 2.0 * static_cast<double>(shape.m * shape.n * shape.k * calls) / used;
}

Result<ExitCode> bench_gemm(const BenchCommand& command) {
  TRY(pool, start_threads(command.threads));
  const double peak = compute::measure_fma_peak(process_cpu_seconds, peak_milliseconds);
  nlohmann::ordered_json json{{"peak_gflops", 1e-9 * peak},
                              {"shapes", nlohmann::ordered_json::array()}};
  for (const compute::CpuGemm kernel : compute::available_cpu_gemms()) {
    const auto backend = compute::make_cpu_backend(*pool, {.gemm = kernel});
    const auto queue = backend->make_queue();
    for (const Shape& shape : shapes) {
      const auto arena = backend->make_arena();
      const double rate = gemm_flops_per_second(
          *queue, *arena, shape, command.seconds / static_cast<double>(std::size(shapes)));
      if (!command.json)
        std::printf("%-10s %-12s %4zu x %4zu x %4zu  %7.1f GFLOP/s  %3.0f %% of peak\n",
                    std::string(compute::cpu_gemm_name(kernel)).c_str(), shape.name, shape.m,
                    shape.n, shape.k, 1e-9 * rate, 100 * rate / peak);
      json["shapes"].push_back({{"kernel", compute::cpu_gemm_name(kernel)},
                                {"shape", shape.name},
                                {"gflops", 1e-9 * rate},
                                {"share_of_peak", rate / peak}});
    }
  }
  if (command.json) std::printf("%s\n", json.dump().c_str());
  return ExitCode::Done;
}

Result<ExitCode> bench_peak(const BenchCommand& command) {
  const int milliseconds = std::max(1, static_cast<int>(1000 * command.seconds));
  const double peak = compute::measure_fma_peak(process_cpu_seconds, milliseconds);
  if (command.json)
    std::printf("{\"peak_gflops\":%.1f}\n", 1e-9 * peak);
  else
    std::printf("%.1f GFLOP/s of float32 multiply-adds on one core\n", 1e-9 * peak);
  return ExitCode::Done;
}

}  // namespace

Result<ExitCode> run_command(const BenchCommand& command) {
  switch (command.kind) {
    case BenchCommand::Kind::Step:
      return bench_step(command);
    case BenchCommand::Kind::Gemm:
      return bench_gemm(command);
    case BenchCommand::Kind::Peak:
      break;
  }
  return bench_peak(command);
}

}  // namespace quadrille::node

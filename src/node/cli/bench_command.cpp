// peer bench step|gemm|peak: what this machine makes of the inner loops, beside its physical limit.
//
// Rates are taken of this process's CPU seconds: on a shared machine wall time measures the others.
// Only step_ms, what a person waits for, is wall time.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/worker_pool.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "nn/gan_step.hpp"
#include "nn/models.hpp"
#include "node/cli/commands.hpp"
#include "node/run/clock.hpp"

namespace quadrille::node {
namespace {

constexpr int peak_milliseconds = 200;
constexpr std::size_t latent_size = 64;
constexpr std::size_t image_size = 784;
constexpr std::size_t warm_up_steps = 5;

// Multiply-adds of one pass of a row through a network; the first layer's share stands apart, since
// a trained network needs no gradient of its input.
struct PassFlops {
  double all = 0;
  double first = 0;
};

PassFlops pass_flops(const nn::NetworkSpec& network) {
  PassFlops flops;
  for (const nn::DenseSpec& layer : network.layers)
    flops.all += 2.0 * static_cast<double>(layer.inputs) * static_cast<double>(layer.outputs);
  flops.first = 2.0 * static_cast<double>(network.layers.front().inputs) *
                static_cast<double>(network.layers.front().outputs);
  return flops;
}

// A discriminator step on real and generated rows and a generator step with fresh latent vectors,
// the opponents frozen.
double step_flops(const nn::GanModel& model, std::size_t batch) {
  const PassFlops g = pass_flops(model.generator);
  const PassFlops d = pass_flops(model.discriminator);
  const double discriminator_step = g.all + 2 * (3 * d.all - d.first);
  const double generator_step = (3 * g.all - g.first) + 2 * d.all;
  return static_cast<double>(batch) * (discriminator_step + generator_step);
}

struct Spread {
  double min, median, max;
};

Spread spread(std::vector<double> values) {
  std::ranges::sort(values);
  return {values.front(), values[values.size() / 2], values.back()};
}

// The pair in training, as `peer RUN.toml` trains it, on random images.
class StepBench {
 public:
  StepBench(const nn::GanModel& model, std::size_t batch, WorkerPool& pool)
      : generator_(model.generator),
        discriminator_(model.discriminator),
        backend_(compute::make_cpu_backend(pool)),
        arena_(backend_->make_arena()),
        queue_(backend_->make_queue()),
        step_(*arena_, generator_, discriminator_, batch),
        trained_generator_(*arena_, generator_.parameter_count(), {}),
        trained_discriminator_(*arena_, discriminator_.parameter_count(), {}),
        loss_(arena_->floats(3)) {
    prepare(generator_, trained_generator_, "generator");
    prepare(discriminator_, trained_discriminator_, "discriminator");
    queue_->submit(compute::RandomUniform{
        .to = step_.real(), .key = stream_key(1, "bench images", 0), .first_block = 0});
  }

  void run() {
    const PhiloxKey key = stream_key(1, "bench latents", 0);
    const auto draw = [&] { return nn::LatentDraw{key, step_.latent_blocks() * draws_++}; };
    step_.train_discriminator(*queue_, trained_discriminator_, trained_generator_.parameters(),
                              draw(), compute::LossKind::Bce, loss_.first(2));
    step_.train_generator(*queue_, trained_generator_, trained_discriminator_.parameters(), draw(),
                          compute::LossKind::Bce, loss_.part(2, 1));
    queue_->synchronise();
  }

  std::string_view description() const { return backend_->description(); }

 private:
  void prepare(const nn::Network& network, const nn::TrainedNetwork& trained,
               std::string_view purpose) {
    std::vector<float> weights(network.parameter_count());
    RandomStream random(stream_key(1, purpose, 0));
    network.initialise(weights, random);
    queue_->upload(trained.parameters(), std::span<const float>(weights));
    trained.reset_optimizer(*queue_, 2e-4F);
  }

  nn::Network generator_, discriminator_;
  std::unique_ptr<compute::Backend> backend_;
  std::unique_ptr<compute::Arena> arena_;
  std::unique_ptr<compute::Queue> queue_;
  nn::GanStep step_;
  nn::TrainedNetwork trained_generator_, trained_discriminator_;
  compute::Floats loss_;
  std::uint64_t draws_ = 0;
};

// One discriminator and one generator step, for as long as asked.
Result<ExitCode> bench_step(const BenchCommand& command) {
  const bool toy = command.model == "toy";
  TRY(model, nn::make_model(command.model, latent_size, toy ? 2 : image_size));
  WorkerPool pool(command.threads);
  StepBench bench(model, command.batch, pool);
  for (std::size_t i = 0; i < warm_up_steps; ++i) bench.run();
  const double peak = compute::measure_fma_peak(process_cpu_seconds, peak_milliseconds);

  SystemClock clock;
  std::vector<double> wall_ms, cpu_ms;
  const TimePoint end = clock.now() + std::chrono::duration_cast<Duration>(
                                          std::chrono::duration<double>(command.seconds));
  while (clock.now() < end || wall_ms.size() < warm_up_steps) {
    const TimePoint wall = clock.now();
    const double cpu = process_cpu_seconds();
    bench.run();
    cpu_ms.push_back(1e3 * (process_cpu_seconds() - cpu));
    wall_ms.push_back(std::chrono::duration<double, std::milli>(clock.now() - wall).count());
  }
  const Spread wall = spread(wall_ms);
  const double cpu = spread(cpu_ms).median;
  const double gflops = 1e-6 * step_flops(model, command.batch) / cpu;
  if (command.json) {
    const nlohmann::ordered_json json{
        {"model", command.model},
        {"batch", command.batch},
        {"threads", command.threads},
        {"step_ms", {{"min", wall.min}, {"median", wall.median}, {"max", wall.max}}},
        {"cpu_ms", cpu},
        {"gflops", gflops},
        {"peak_gflops", 1e-9 * peak},
        {"share_of_peak", 1e9 * gflops / peak},
        {"device", bench.description()}};
    std::printf("%s\n", json.dump().c_str());
  } else {
    std::printf(
        "%s, batch %zu, %u threads: %.3f ms a step (min %.3f, max %.3f), %.3f ms of CPU, "
        "%.1f GFLOP/s, %.0f %% of the FMA peak of a core (%.1f)\n",
        command.model.c_str(), command.batch, command.threads, wall.median, wall.min, wall.max, cpu,
        gflops, 1e11 * gflops / peak, 1e-9 * peak);
  }
  return ExitCode::Done;
}

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
  WorkerPool pool(command.threads);
  const double peak = compute::measure_fma_peak(process_cpu_seconds, peak_milliseconds);
  nlohmann::ordered_json json{{"peak_gflops", 1e-9 * peak},
                              {"shapes", nlohmann::ordered_json::array()}};
  for (const compute::CpuGemm kernel : compute::available_cpu_gemms()) {
    const auto backend = compute::make_cpu_backend(pool, {.gemm = kernel});
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

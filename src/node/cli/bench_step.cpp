// peer bench step: one training step of a pair of networks, beside the machine's peak.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/count_text.hpp"
#include "base/random.hpp"
#include "base/worker_pool.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "nn/gan_step.hpp"
#include "nn/models.hpp"
#include "node/cli/bench.hpp"
#include "node/run/clock.hpp"
#include "node/run/worker_threads.hpp"

namespace quadrille::node {
namespace {

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
        step_(*arena_, {.generator = generator_, .discriminator = discriminator_}, batch),
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

// What was measured, of this process's steps.
struct StepTimes {
  std::size_t steps;
  Spread wall_ms;
  double cpu_ms;
};

// Runs steps for as long as asked, and one at least. The first ones warm up and do not count, as
// far as others are left.
StepTimes measure(StepBench& bench, double seconds) {
  SystemClock clock;
  std::vector<double> wall_ms, cpu_ms;
  const TimePoint end =
      clock.now() + std::chrono::duration_cast<Duration>(std::chrono::duration<double>(seconds));
  do {
    const TimePoint wall = clock.now();
    const double cpu = process_cpu_seconds();
    bench.run();
    cpu_ms.push_back(1e3 * (process_cpu_seconds() - cpu));
    wall_ms.push_back(std::chrono::duration<double, std::milli>(clock.now() - wall).count());
  } while (clock.now() < end);
  const auto dropped = static_cast<std::ptrdiff_t>(std::min(warm_up_steps, wall_ms.size() / 2));
  wall_ms.erase(wall_ms.begin(), wall_ms.begin() + dropped);
  cpu_ms.erase(cpu_ms.begin(), cpu_ms.begin() + dropped);
  return {wall_ms.size(), spread(wall_ms), spread(cpu_ms).median};
}

struct StepFigures {
  StepTimes times;
  double gflops;
  double peak_gflops;
};

void print_json(const BenchCommand& command, const StepFigures& step, std::string_view device) {
  const Spread& wall = step.times.wall_ms;
  const nlohmann::ordered_json json{
      {"model", command.model},
      {"batch", command.batch},
      {"threads", command.threads},
      {"steps", step.times.steps},
      {"step_ms", {{"min", wall.min}, {"median", wall.median}, {"max", wall.max}}},
      {"cpu_ms", step.times.cpu_ms},
      {"gflops", step.gflops},
      {"peak_gflops", step.peak_gflops},
      {"share_of_peak", step.gflops / step.peak_gflops},
      {"device", device}};
  std::printf("%s\n", json.dump().c_str());
}

void print_text(const BenchCommand& command, const StepFigures& step) {
  const Spread& wall = step.times.wall_ms;
  std::printf(
      "%s, batch %zu, %s: %.3f ms a step (min %.3f, max %.3f), %.3f ms of CPU, "
      "%.1f GFLOP/s, %.0f %% of the FMA peak of a core (%.1f)\n",
      command.model.c_str(), command.batch, count_text(command.threads, "thread").c_str(),
      wall.median, wall.min, wall.max, step.times.cpu_ms, step.gflops,
      100 * step.gflops / step.peak_gflops, step.peak_gflops);
}

}  // namespace

Result<ExitCode> bench_step(const BenchCommand& command) {
  const bool toy = command.model == "toy";
  TRY(model,
      nn::make_model(command.model, {.latent = latent_size, .sample = toy ? 2 : image_size}));
  TRY(pool, start_threads(command.threads));
  StepBench bench(model, command.batch, *pool);
  const StepTimes times = measure(bench, command.seconds);
  const double peak = compute::measure_fma_peak(process_cpu_seconds, peak_milliseconds);
  const StepFigures step{.times = times,
                         .gflops = 1e-6 * step_flops(model, command.batch) / times.cpu_ms,
                         .peak_gflops = 1e-9 * peak};
  if (command.json)
    print_json(command, step, bench.description());
  else
    print_text(command, step);
  return ExitCode::Done;
}

}  // namespace quadrille::node

// One training step of the published MNIST pair at batch 100: the discriminator on real and
// generated rows, then the generator on fresh latent vectors. Rates and shares are of CPU time;
// `share_of_peak` compares with a loop of fused multiply-adds measured here on the same core.
#include "nn/gan_step.hpp"
#include "nn/models.hpp"

#include "bench/bench_main.hpp"
#include "bench/core_peak.hpp"
#include "compute/cpu/cpu_backend.hpp"

#include <benchmark/benchmark.h>

#include <array>
#include <string>

namespace {

using namespace quadrille;
using bench::core_peak_flops;
using bench::cpu_seconds;
using benchmark::Counter;

constexpr std::size_t latent_size = 64, sample_size = 784, batch = 100;

// Passes operations on and adds up the time of each kind: the CPU backend works inside submit().
class TimedQueue final : public compute::Queue {
 public:
  explicit TimedQueue(compute::Backend& backend) : queue_(backend.make_queue()) {}

  void submit(const compute::Operation& operation) override {
    const double start = cpu_seconds();
    queue_->submit(operation);
    seconds_.at(operation.index()) += cpu_seconds() - start;
  }
  void synchronise() override { queue_->synchronise(); }

  template <class Kind>
  double seconds() const {
    return seconds_.at(compute::Operation(Kind{}).index());
  }
  double all_seconds() const {
    double sum = 0;
    for (const double seconds : seconds_) sum += seconds;
    return sum;
  }

 protected:
  void upload_bytes(void* to, const void* from, std::size_t bytes) override {
    queue_->upload(compute::DeviceSpan(static_cast<std::byte*>(to), bytes),
                   std::span(static_cast<const std::byte*>(from), bytes));
  }
  void download_bytes(void* to, const void* from, std::size_t bytes) override {
    queue_->download(std::span(static_cast<std::byte*>(to), bytes),
                     compute::DeviceSpan(static_cast<const std::byte*>(from), bytes));
  }

 private:
  std::unique_ptr<compute::Queue> queue_;
  std::array<double, std::variant_size_v<compute::Operation>> seconds_{};
};

double multiply_adds(const nn::Network& network) {
  double sum = 0;
  for (const nn::DenseSpec& layer : network.spec().layers)
    sum += static_cast<double>(layer.inputs * layer.outputs);
  return sum;
}

double first_layer(const nn::Network& network) {
  const nn::DenseSpec& layer = network.spec().layers.front();
  return static_cast<double>(layer.inputs * layer.outputs);
}

class Pair {
 public:
  explicit Pair(compute::Backend& backend, compute::Queue& queue)
      : queue_(queue), arena_(backend.make_arena()) {
    start(trained_generator_, generator_, 1);
    start(trained_discriminator_, discriminator_, 2);
    queue.submit(compute::RandomUniform{.to = step_.real(), .key = 3, .first_block = 0});
  }

  void train_discriminator() {
    step_.train_discriminator(queue_, trained_discriminator_, trained_generator_.parameters(),
                              draw(), compute::LossKind::Bce, loss_.first(2));
  }
  void train_generator() {
    step_.train_generator(queue_, trained_generator_, trained_discriminator_.parameters(), draw(),
                          compute::LossKind::Bce, loss_.from(2));
  }

  // Arithmetic of the matrix products alone, two operations for a multiply-add: 569 million
  // together.
  double discriminator_flops() const {
    const double d = multiply_adds(discriminator_);
    return 2 * batch * (multiply_adds(generator_) + 2 * (3 * d - first_layer(discriminator_)));
  }
  double generator_flops() const {
    const double g = multiply_adds(generator_);
    return 2 * batch * (3 * g - first_layer(generator_) + 2 * multiply_adds(discriminator_));
  }

 private:
  void start(const nn::TrainedNetwork& trained, const nn::Network& network, PhiloxKey key) {
    std::vector<float> parameters(network.parameter_count());
    RandomStream random(key);
    network.initialise(parameters, random);
    queue_.upload(trained.parameters(), std::span<const float>(parameters));
    trained.reset_optimizer(queue_, 2e-4F);
  }

  nn::LatentDraw draw() {
    next_block_ += step_.latent_blocks();
    return {.key = 4, .first_block = next_block_};
  }

  compute::Queue& queue_;
  std::unique_ptr<compute::Arena> arena_;
  nn::GanModel model_ =
      nn::make_model("mlp", {.latent = latent_size, .sample = sample_size}).value();
  nn::Network generator_{model_.generator};
  nn::Network discriminator_{model_.discriminator};
  nn::TrainedNetwork trained_generator_{*arena_, generator_.parameter_count(), {}};
  nn::TrainedNetwork trained_discriminator_{*arena_, discriminator_.parameter_count(), {}};
  nn::GanStep step_{*arena_, {.generator = generator_, .discriminator = discriminator_}, batch};
  compute::Floats loss_ = arena_->floats(3);
  std::uint64_t next_block_ = 0;
};

void count_flops(benchmark::State& state, double flops) {
  state.counters["flops"] = Counter(flops, Counter::kIsIterationInvariantRate);
  state.counters["share_of_peak"] =
      Counter(flops / core_peak_flops(), Counter::kIsIterationInvariantRate);
}

struct OneThread {
  explicit OneThread(compute::CpuGemm gemm)
      : backend(compute::make_cpu_backend(pool, {.gemm = gemm})) {}
  WorkerPool pool{1};
  std::unique_ptr<compute::Backend> backend;
};

void mlp_step(benchmark::State& state, compute::CpuGemm gemm) {
  OneThread device(gemm);
  const std::unique_ptr<compute::Queue> queue = device.backend->make_queue();
  Pair pair(*device.backend, *queue);
  for (auto _ : state) {
    pair.train_discriminator();
    pair.train_generator();
    queue->synchronise();
  }
  count_flops(state, pair.discriminator_flops() + pair.generator_flops());
}

// Where the time goes: shares of the time inside submit().
void mlp_step_shares(benchmark::State& state, compute::CpuGemm gemm) {
  OneThread device(gemm);
  TimedQueue queue(*device.backend);
  Pair pair(*device.backend, queue);
  for (auto _ : state) {
    pair.train_discriminator();
    pair.train_generator();
  }
  const double flops = pair.discriminator_flops() + pair.generator_flops();
  const auto add = [&](const char* name, double seconds) {
    state.counters[name] = seconds / queue.all_seconds();
  };
  add("gemm", queue.seconds<compute::Gemm>());
  add("optimizer", queue.seconds<compute::OptimizerStep>());
  add("bias_act", queue.seconds<compute::BiasActivation>());
  add("act_grad", queue.seconds<compute::ActivationGradient>());
  add("column_sum", queue.seconds<compute::ColumnSum>());
  add("random", queue.seconds<compute::RandomNormal>());
  add("copy", queue.seconds<compute::Copy>());
  add("loss", queue.seconds<compute::AdversarialLoss>());
  state.counters["gemm_of_peak"] = flops * static_cast<double>(state.iterations()) /
                                   queue.seconds<compute::Gemm>() / core_peak_flops();
}

void discriminator_step(benchmark::State& state, compute::CpuGemm gemm) {
  OneThread device(gemm);
  const std::unique_ptr<compute::Queue> queue = device.backend->make_queue();
  Pair pair(*device.backend, *queue);
  for (auto _ : state) pair.train_discriminator();
  count_flops(state, pair.discriminator_flops());
}

void generator_step(benchmark::State& state, compute::CpuGemm gemm) {
  OneThread device(gemm);
  const std::unique_ptr<compute::Queue> queue = device.backend->make_queue();
  Pair pair(*device.backend, *queue);
  for (auto _ : state) pair.train_generator();
  count_flops(state, pair.generator_flops());
}

// Fitness: five discriminators judge the same thousand rows.
void evaluate_members(benchmark::State& state, compute::CpuGemm gemm) {
  constexpr std::size_t members = 5, rows = 1000;
  OneThread device(gemm);
  const std::unique_ptr<compute::Queue> queue = device.backend->make_queue();
  const std::unique_ptr<compute::Arena> arena = device.backend->make_arena();
  const nn::Network network(
      nn::make_model("mlp", {.latent = latent_size, .sample = sample_size}).value().discriminator);
  const std::size_t stride = network.parameter_count();
  const compute::Floats parameters = arena->floats(members * stride);
  const compute::Floats input = arena->floats(rows * sample_size);
  for (const compute::Floats values : {parameters, input})
    queue->submit(compute::RandomUniform{.to = values, .key = 1, .first_block = 0});
  nn::Workspace workspace(*arena, network, rows, false, members);
  for (auto _ : state)
    network.forward(*queue, {.parameters = parameters, .count = members, .stride = stride}, input,
                    rows, workspace);
  count_flops(state, 2 * members * rows * multiply_adds(network));
}

using Benchmark = void (*)(benchmark::State&, compute::CpuGemm);

void add(const char* name, Benchmark function) {
  for (const compute::CpuGemm gemm : compute::available_cpu_gemms())
    benchmark::RegisterBenchmark(
        (std::string(name) + "/" + std::string(compute::cpu_gemm_name(gemm))).c_str(), function,
        gemm)
        ->Unit(benchmark::kMicrosecond);
}

}  // namespace

void register_benchmarks() {
  benchmark::AddCustomContext("fma_peak_gflops", std::to_string(core_peak_flops() / 1e9));
  add("mlp_step", mlp_step);
  add("mlp_step_shares", mlp_step_shares);
  add("discriminator_step", discriminator_step);
  add("generator_step", generator_step);
  add("evaluate_members", evaluate_members);
}

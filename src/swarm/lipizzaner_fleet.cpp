#include "swarm/lipizzaner_fleet.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "data/synthetic.hpp"
#include "swarm/learner_in_world.hpp"
#include "train/lipizzaner/learner.hpp"

namespace quadrille::swarm {
namespace {

constexpr std::size_t data_rows = 2000;

train::LipizzanerOptions small_options(bool synchronous) {
  train::LipizzanerOptions options;
  options.sync = synchronous;
  options.batch_size = 32;
  options.batches_per_generation = 2;
  options.fitness_sample_size = 64;
  options.score = train::ScoreKind::None;
  options.model = "toy";
  options.latent_size = 8;
  return options;
}

}  // namespace

Result<std::unique_ptr<LipizzanerFleet>> LipizzanerFleet::make(const sim::WorldOptions& world) {
  if (world.growth != peer::Growth::Fixed)
    return failure(ErrorCode::Usage,
                   "--worker lipizzaner trains on a fixed grid; this scenario lets it grow");
  data::SyntheticOptions ring;
  ring.count = data_rows;
  TRY(set, data::make_synthetic("ring8", ring));
  return std::unique_ptr<LipizzanerFleet>(new LipizzanerFleet(world, std::move(set.dataset)));
}

// The built-in kernels only: what a library promises differs from machine to machine.
LipizzanerFleet::LipizzanerFleet(const sim::WorldOptions& world, data::Dataset dataset)
    : run_{.seed = world.seed, .grid = world.grid, .generations = ~std::uint64_t{0}},
      options_(small_options(world.toy.synchronous)),
      dataset_(std::move(dataset)),
      backend_(compute::make_cpu_backend(pool_, {.gemm = compute::CpuGemm::Generic})) {}

std::unique_ptr<peer::Learner> LipizzanerFleet::make_learner() {
  auto learner =
      train::make_lipizzaner(run_, options_, *backend_, pool_, dataset_, /*scorer=*/nullptr);
  CHECK(learner.has_value(), learner.error().detail);
  return std::move(*learner);
}

sim::WorkerFactory LipizzanerFleet::factory() {
  return [this](const sim::WorkerSeat& seat) -> std::unique_ptr<sim::SimWorker> {
    return std::make_unique<LearnerInWorld>(
        seat, make_learner(), worker::WorkerOptions{.codec = {}, .synchronous = options_.sync},
        handovers_);
  };
}

void LipizzanerFleet::add_figures(const sim::World& world, sim::Report& report) {
  const std::unique_ptr<peer::Learner> learner = make_learner();  // its sections are views
  std::size_t float_bytes = 0;
  for (const peer::Section& section : learner->sections())
    float_bytes += sizeof(float) * section.float_count;
  std::uint64_t payloads = 0;
  std::uint64_t bytes = 0;
  std::uint64_t rounds = 0;
  for (const sim::NodeIndex node : world.up_hosts())
    for (const auto& [edge, statistics] : world.host(node).peer().exchange().statistics()) {
      payloads += statistics.payloads;
      bytes += statistics.bytes;
      rounds = std::max(rounds, statistics.newest.index);
    }
  report.add({.name = "generations", .value = static_cast<double>(rounds)});
  if (payloads == 0) return;
  const double mean = static_cast<double>(bytes) / static_cast<double>(payloads);
  report.add({.name = "payload_bytes_mean", .value = mean});
  report.add({.name = "payload_share_of_fp32", .value = mean / static_cast<double>(float_bytes)});
}

}  // namespace quadrille::swarm

// What the training column does once a generation: the scores that a mixture is evolved on, and a
// whole generation of a small grid at the published MNIST settings, on noise in MNIST's shape. CPU
// time of the process, all threads.
#include <memory>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "base/random.hpp"
#include "base/worker_pool.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "train/lipizzaner/learner.hpp"
#include "train/score/classifier_training.hpp"
#include "train/score/dataset_rows.hpp"
#include "train/score/frechet.hpp"
#include "train/score/precision_recall.hpp"
#include "train/score/scorers.hpp"

namespace {

using namespace quadrille;
using namespace quadrille::train;

constexpr std::size_t sample_count = 1000;

// Noise in ten classes: its classifier learns nothing, and costs what any other does.
data::Dataset noise(std::size_t count) {
  data::Dataset set;
  set.name = "noise";
  set.fingerprint = "noise";
  set.shape = {.height = 28, .width = 28};
  set.count = count;
  set.class_count = 10;
  RandomStream random(stream_key(1, "bench", 0));
  set.bytes.resize(count * set.shape.size());
  for (std::uint8_t& value : set.bytes) value = static_cast<std::uint8_t>(random.next_u32());
  for (std::size_t i = 0; i < count; ++i) set.labels.push_back(static_cast<std::uint8_t>(i % 10));
  return set;
}

struct Machine {
  WorkerPool pool{1};
  std::unique_ptr<compute::Backend> backend = compute::make_cpu_backend(pool);
};

void classifier_epoch(benchmark::State& state) {
  Machine machine;
  const data::Dataset set = noise(6000);
  for (auto _ : state)
    benchmark::DoNotOptimize(train_classifier(set, nullptr, *machine.backend, {.epochs = 1}));
  state.counters["rows/s"] = benchmark::Counter(static_cast<double>(state.iterations()) * 6000,
                                                benchmark::Counter::kIsRate);
}

void score(benchmark::State& state, ScoreKind kind) {
  Machine machine;
  const data::Dataset set = noise(2000);
  const Classifier classifier(
      train_classifier(set, nullptr, *machine.backend, {.epochs = 1}).value(), *machine.backend);
  const auto scorer = *make_scorer(kind, {.dataset = set, .classifier = &classifier}, sample_count);
  std::vector<float> samples(sample_count * set.shape.size());
  copy_rows_from(set, 0, samples);
  for (auto _ : state) benchmark::DoNotOptimize(scorer->score(samples, sample_count));
}

std::vector<float> normal_features(std::uint64_t seed) {
  RandomStream random(stream_key(seed, "bench", 1));
  std::vector<float> features(sample_count * classifier_feature_count);
  for (float& value : features) value = static_cast<float>(random.normal());
  return features;
}

void frechet_of_features(benchmark::State& state) {
  Moments real(classifier_feature_count);
  real.add(normal_features(1));
  const FrechetReference reference(*real.gaussian());
  const std::vector<float> features = normal_features(2);
  for (auto _ : state) {
    Moments moments(classifier_feature_count);
    moments.add(features);
    benchmark::DoNotOptimize(reference.distance(*moments.gaussian()));
  }
}

void precision_recall_of_features(benchmark::State& state) {
  const std::vector<float> real = normal_features(1), generated = normal_features(2);
  for (auto _ : state)
    benchmark::DoNotOptimize(
        precision_recall({.real = real, .generated = generated}, classifier_feature_count));
}

// Hands each cell's newest snapshot to all that ask for it, and nothing else: a generation with no
// codec.
class Grid {
 public:
  Grid(peer::Learner& learner, std::size_t cell_count) : learner_(learner), newest_(cell_count) {
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
      if (!learner.start({cell}, peer::Fresh{})) std::abort();
      inputs_.push_back({.cell = {cell}, .snapshots = {}, .chunks = {}});
    }
    while (generations_ended_ < cell_count) advance();
  }

  void generation() {
    const std::size_t end = generations_ended_ + inputs_.size();
    while (generations_ended_ < end) advance();
  }

 private:
  struct Snapshot {
    Round round;
    std::vector<float> values;
    std::vector<std::byte> exact;
  };

  void advance() {
    std::vector<std::vector<peer::SnapshotView>> views(inputs_.size());
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      for (const CellIndex neighbour : learner_.neighbours(inputs_[i].cell))
        if (const Snapshot& newest = newest_[neighbour.value]; !newest.values.empty())
          views[i].push_back({neighbour, newest.round, newest.values, newest.exact, {}});
      inputs_[i].snapshots = views[i];
    }
    actions_.clear();
    learner_.advance(inputs_, {.steps = 1'000'000}, actions_);
    for (const peer::Action& action : actions_)
      if (const auto* publish = std::get_if<peer::Publish>(&action)) keep(*publish);
  }

  void keep(const peer::Publish& publish) {
    Snapshot& snapshot = newest_[publish.cell.value];
    snapshot.round = publish.round;
    snapshot.values.assign(publish.values.begin(), publish.values.end());
    snapshot.exact.assign(publish.exact.begin(), publish.exact.end());
    ++generations_ended_;
  }

  peer::Learner& learner_;
  std::vector<Snapshot> newest_;
  std::vector<peer::CellInput> inputs_;
  std::vector<peer::Action> actions_;
  std::size_t generations_ended_ = 0;
};

// 60 batches of 100 a cell: a tenth of MNIST's generation.
void generation(benchmark::State& state, GridShape grid) {
  Machine machine;
  const data::Dataset set = noise(6000);
  RunFacts run;
  run.grid = grid;
  run.generations = 1'000'000;
  LipizzanerOptions options;
  options.discriminator_skip = 1;
  options.selection = false;
  options.score = ScoreKind::None;
  const auto learner = *make_lipizzaner(run, options, *machine.backend, machine.pool, set, nullptr);
  Grid cells(*learner, grid.cell_count());
  for (auto _ : state) cells.generation();
  state.counters["images/s"] =
      benchmark::Counter(static_cast<double>(state.iterations() * grid.cell_count()) * 6000,
                         benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(score, frechet, ScoreKind::Frechet)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, tvd, ScoreKind::Tvd)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(score, inception, ScoreKind::Inception)->Unit(benchmark::kMillisecond);
BENCHMARK(frechet_of_features)->Unit(benchmark::kMillisecond);
BENCHMARK(precision_recall_of_features)->Unit(benchmark::kMillisecond);
BENCHMARK(classifier_epoch)->Unit(benchmark::kMillisecond)->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(generation, one_cell, GridShape{.rows = 1, .columns = 1})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();
BENCHMARK_CAPTURE(generation, four_cells, GridShape{.rows = 2, .columns = 2})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

}  // namespace

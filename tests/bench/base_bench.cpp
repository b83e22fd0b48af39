// What random numbers and threads cost: the host's Philox streams beside memcpy of as many bytes,
// and how long the pool takes to hand out tasks that do nothing. Latencies are wall time, for their
// cost is in waking threads.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "base/random.hpp"
#include "base/worker_pool.hpp"
#include "bench/bench_main.hpp"

namespace {

using namespace quadrille;

constexpr std::size_t count = 65'536;

void count_numbers(benchmark::State& state, std::size_t bytes_each) {
  const auto numbers = static_cast<std::int64_t>(count) * state.iterations();
  state.SetBytesProcessed(numbers * static_cast<std::int64_t>(bytes_each));
  state.SetItemsProcessed(numbers);
}

// Not from and to the same place in a page: there the C library's copy is ten times slower on some
// processors, and no yardstick.
void copy(benchmark::State& state) {
  constexpr std::size_t apart = 512;
  const std::vector<std::uint32_t> from(count, 1);
  std::vector<std::uint32_t> to(count + apart);
  for (auto _ : state) {
    std::memcpy(to.data() + apart, from.data(), count * sizeof to[0]);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_numbers(state, sizeof to[0]);
}

// One number after the other, by `draw`, into a span.
template <class Number>
void fill(benchmark::State& state, Number (*draw)(RandomStream&)) {
  RandomStream random(stream_key(1, "base_bench", 0));
  std::vector<Number> to(count);
  for (auto _ : state) {
    for (Number& number : to) number = draw(random);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  count_numbers(state, sizeof to[0]);
}

void shuffle(benchmark::State& state) {
  RandomStream random(stream_key(1, "base_bench", 0));
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  for (auto _ : state) random.shuffle(rows);
  count_numbers(state, sizeof rows[0]);
}

void new_stream(benchmark::State& state) {
  std::uint64_t owner = 0;
  for (auto _ : state) {
    RandomStream random(stream_key(1, "base_bench", ++owner));
    benchmark::DoNotOptimize(random.next_u32());
  }
}

// As many tasks as threads: the least that a parallel pass costs.
void dispatch(benchmark::State& state) {
  const auto threads = static_cast<std::size_t>(state.range(0));
  WorkerPool pool(threads);
  std::vector<std::uint64_t> touched(threads * 8);  // a cache line each
  for (auto _ : state)
    pool.run(threads, [&](std::size_t task) { benchmark::DoNotOptimize(++touched[task * 8]); });
}

// A thousand tasks in one job: what one task more costs.
void many_tasks(benchmark::State& state) {
  constexpr std::size_t tasks = 1000;
  WorkerPool pool(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) pool.run(tasks, [](std::size_t task) { benchmark::DoNotOptimize(task); });
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(tasks));
}

}  // namespace

void register_benchmarks() {
  benchmark::RegisterBenchmark("memcpy/256kB", copy);
  benchmark::RegisterBenchmark("stream/u32", fill<std::uint32_t>,
                               [](RandomStream& random) { return random.next_u32(); });
  benchmark::RegisterBenchmark("stream/uniform", fill<double>,
                               [](RandomStream& random) { return random.uniform(); });
  benchmark::RegisterBenchmark("stream/normal", fill<double>,
                               [](RandomStream& random) { return random.normal(); });
  benchmark::RegisterBenchmark("stream/shuffle", shuffle);
  benchmark::RegisterBenchmark("stream/new", new_stream);
  const auto cores = static_cast<std::int64_t>(std::max(2U, std::thread::hardware_concurrency()));
  for (const std::int64_t threads : {std::int64_t{1}, cores}) {
    benchmark::RegisterBenchmark("pool/dispatch", dispatch)->Arg(threads)->UseRealTime();
    benchmark::RegisterBenchmark("pool/1000_tasks", many_tasks)->Arg(threads)->UseRealTime();
  }
}

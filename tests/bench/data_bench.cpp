// What data cost between the disk and a training step, beside memcpy: a mini-batch gathered and
// scaled, IDX files read, a set's fingerprint. Rates are of bytes moved: those read and those
// written, where memcpy of n bytes moves 2 n. One thread.
//
// The images are made: one half of each is black and the other noise, so that gzip halves them, as
// it does Fashion-MNIST.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "base/random.hpp"
#include "base/worker_pool.hpp"
#include "bench/bench_main.hpp"
#include "compute/backend.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "data/batch_cursor.hpp"
#include "data/dataset.hpp"
#include "data/fingerprint.hpp"
#include "data/idx.hpp"
#include "data/made_files.hpp"

namespace {

using namespace quadrille;
using namespace quadrille::data;

constexpr std::size_t batch_rows = 100;
constexpr std::size_t image_count = 10'000;
constexpr std::size_t pixels = 28 * 28;
constexpr std::size_t content_bytes = image_count * pixels;

std::vector<std::uint8_t> images(std::size_t count) {
  RandomStream random(stream_key(1, "data_bench", 0));
  std::vector<std::uint8_t> values(count * pixels);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (i % pixels < pixels / 2) values[i] = static_cast<std::uint8_t>(random.next_u32());
  return values;
}

void count_bytes(benchmark::State& state, std::size_t moved) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(moved));
}

// Walks through 47 MB, as the batches of an epoch do, so that the source is as cold as theirs.
void copy(benchmark::State& state, std::size_t bytes) {
  const std::vector<std::uint8_t> from = images(60'000);
  std::vector<std::uint8_t> to(bytes);
  std::size_t at = 0;
  for (auto _ : state) {
    std::memcpy(to.data(), from.data() + at, bytes);
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
    at = at + 2 * bytes <= from.size() ? at + bytes : 0;
  }
  count_bytes(state, 2 * bytes);
}

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  for (std::size_t i = 0; i < count; ++i) rows[i] = static_cast<std::uint32_t>(i);
  return rows;
}

// As a training step has it: row numbers from the cell's shuffled order, uploaded, then bytes to
// floats in [-1, 1].
void gather_batch(benchmark::State& state) {
  constexpr std::size_t set_count = 60'000;
  const std::vector<std::uint8_t> source = images(set_count);
  WorkerPool pool(1);
  const auto backend = compute::make_cpu_backend(pool);
  const auto arena = backend->make_arena();
  const auto queue = backend->make_queue();
  BatchCursor cursor =
      *BatchCursor::create(all_rows(set_count), batch_rows, stream_key(1, "data_bench", 1));
  const compute::Words rows = arena->words(batch_rows);
  const compute::GatherBytes gather{.row_count = batch_rows,
                                    .columns = pixels,
                                    .source = arena->resident(std::span(source)),
                                    .rows = rows,
                                    .scale = byte_scale,
                                    .shift = byte_shift,
                                    .to = arena->floats(batch_rows * pixels)};
  for (auto _ : state) {
    queue->upload(rows, cursor.next());
    queue->submit(gather);
    queue->synchronise();
  }
  count_bytes(state, batch_rows * pixels * (1 + sizeof(float)));
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * batch_rows, benchmark::Counter::kIsRate);
}

// Row numbers alone; the shuffle of each new epoch is among them.
void draw_rows(benchmark::State& state) {
  BatchCursor cursor =
      *BatchCursor::create(all_rows(60'000), batch_rows, stream_key(1, "data_bench", 1));
  for (auto _ : state) benchmark::DoNotOptimize(cursor.next().data());
  state.counters["rows/s"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * batch_rows, benchmark::Counter::kIsRate);
}

// From the page cache: what parsing and unpacking cost, not what the disk does.
void read_images(benchmark::State& state, bool compressed) {
  const data::test::TemporaryDirectory directory;
  const data::test::FileBytes plain =
      data::test::idx_bytes(idx_images_magic, {image_count, 28, 28}, images(image_count));
  const data::test::FileBytes stored = compressed ? data::test::gzip(plain) : plain;
  const auto path = directory.write(compressed ? "images.gz" : "images", stored);
  for (auto _ : state) {
    const auto file = read_idx(path, IdxKind::Images);
    if (!file) {
      state.SkipWithError("the file could not be read");
      break;
    }
    benchmark::DoNotOptimize(file->values.data());
  }
  count_bytes(state, stored.size() + content_bytes);
}

void fingerprint(benchmark::State& state) {
  Dataset set;
  set.name = "made";
  set.shape = {.height = 28, .width = 28};
  set.count = image_count;
  set.bytes = images(image_count);
  for (auto _ : state) benchmark::DoNotOptimize(fingerprint_of(set));
  count_bytes(state, content_bytes);
}

}  // namespace

void register_benchmarks() {
  using benchmark::RegisterBenchmark;
  RegisterBenchmark("memcpy/196kB", copy, batch_rows * pixels * 5 / 2);
  RegisterBenchmark("gather_batch/100x784", gather_batch);
  RegisterBenchmark("draw_rows/100", draw_rows);
  RegisterBenchmark("memcpy/7.8MB", copy, content_bytes)->Unit(benchmark::kMicrosecond);
  RegisterBenchmark("read_idx/plain", read_images, false)->Unit(benchmark::kMicrosecond);
  RegisterBenchmark("read_idx/gz", read_images, true)->Unit(benchmark::kMicrosecond);
  RegisterBenchmark("fingerprint", fingerprint)->Unit(benchmark::kMicrosecond);
}

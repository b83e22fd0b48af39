// Each codec's rate beside memcpy's: bytes of fp32 a second, encoding and decoding, and how much
// smaller the payload is. The floats are shaped like the weights of an MLP GAN: near-normal, rms
// 0.06, and differences of a fifth of that.
#include <benchmark/benchmark.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "bench/bench_main.hpp"
#include "codec/byte_shuffle.hpp"
#include "codec/edge.hpp"
#include "codec/kernels.hpp"

namespace {

using namespace quadrille;
using namespace quadrille::codec;

constexpr std::size_t float_count = 550'929;  // G and D of the published MNIST pair: 2.2 MB
constexpr double weight_rms = 0.063;
constexpr double difference_rms = 0.012;

std::vector<float> normal_floats(std::uint64_t seed, double rms) {
  RandomStream random(stream_key(seed, "codec_bench", 0));
  std::vector<float> values(float_count);
  for (float& value : values) value = static_cast<float>(rms * random.normal());
  return values;
}

const std::vector<float>& weights() {
  static const std::vector<float> values = normal_floats(1, weight_rms);
  return values;
}

// Two states that an edge moves between for ever.
const std::vector<float>& moved_weights() {
  static const std::vector<float> values = [] {
    std::vector<float> moved = normal_floats(2, difference_rms);
    for (std::size_t i = 0; i < float_count; ++i) moved[i] += weights()[i];
    return moved;
  }();
  return values;
}

void report(benchmark::State& state, std::size_t payload_bytes) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * float_count * 4));
  if (payload_bytes > 0)
    state.counters["ratio"] = static_cast<double>(float_count * 4) / double(payload_bytes);
}

void copy(benchmark::State& state) {
  std::vector<float> to(float_count);
  for (auto _ : state) {
    std::memcpy(to.data(), weights().data(), float_count * sizeof(float));
    benchmark::DoNotOptimize(to.data());
    benchmark::ClobberMemory();
  }
  report(state, 0);
}

void encode(benchmark::State& state, CodecOptions options) {
  Encoder encoder;
  ByteBuffer payload;
  for (auto _ : state) {
    if (!encoder.encode(weights(), options, payload)) state.SkipWithError("encode failed");
    benchmark::DoNotOptimize(payload.data());
  }
  report(state, payload.size());
}

void decode(benchmark::State& state, CodecOptions options) {
  Encoder encoder;
  Decoder decoder;
  ByteBuffer payload;
  std::vector<float> values(float_count);
  if (!encoder.encode(weights(), options, payload)) state.SkipWithError("encode failed");
  for (auto _ : state) {
    if (!decoder.decode(payload, values)) state.SkipWithError("decode failed");
    benchmark::DoNotOptimize(values.data());
  }
  report(state, payload.size());
}

void edge_encode(benchmark::State& state, CodecOptions options) {
  Encoder encoder;
  SendingEdge edge(options, float_count);
  ByteBuffer payload;
  bool there = false;
  for (auto _ : state) {
    if (!edge.encode(encoder, there ? weights() : moved_weights(), payload))
      state.SkipWithError("encode failed");
    there = !there;
  }
  report(state, payload.size());
}

void edge_advance(benchmark::State& state, CodecOptions options) {
  SendingEdge edge(options, float_count);
  bool there = false;
  for (auto _ : state) {
    if (!edge.advance(there ? weights() : moved_weights())) state.SkipWithError("advance failed");
    there = !there;
  }
  report(state, 0);
}

// The same difference again and again: each time the receiver is put back first, outside the clock.
void edge_apply(benchmark::State& state, CodecOptions options) {
  Encoder encoder;
  Decoder decoder;
  SendingEdge sender(options, float_count);
  ReceivingEdge receiver(float_count);
  ByteBuffer payload;
  bool ready = sender.advance(weights()).has_value();
  const std::vector<float> base(sender.replica().newest().begin(), sender.replica().newest().end());
  ready = ready && sender.encode(encoder, moved_weights(), payload);
  if (!ready) state.SkipWithError("encode failed");
  for (auto _ : state) {
    state.PauseTiming();
    receiver.restore(1, base);
    state.ResumeTiming();
    if (!receiver.apply(decoder, payload)) state.SkipWithError("apply failed");
  }
  report(state, payload.size());
}

void hash(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(checksum_of(weights()));
  report(state, 0);
}

void shuffle(benchmark::State& state, std::size_t width, bool back) {
  const Bytes from = std::as_bytes(std::span(weights()));
  ByteBuffer to(from.size());
  for (auto _ : state) {
    back ? unshuffle_bytes(width, from, to) : shuffle_bytes(width, from, to);
    benchmark::DoNotOptimize(to.data());
  }
  report(state, 0);
}

}  // namespace

void register_benchmarks() {
  benchmark::RegisterBenchmark("memcpy", copy);
  for (const bool zstd : {false, true})
    for (const CodecKind kind :
         {CodecKind::Fp32, CodecKind::Fp16, CodecKind::Bf16, CodecKind::Int8}) {
      const CodecOptions options{kind, zstd};
      benchmark::RegisterBenchmark((describe(options) + "/encode").c_str(), encode, options);
      benchmark::RegisterBenchmark((describe(options) + "/decode").c_str(), decode, options);
    }
  for (const bool zstd : {false, true}) {
    const CodecOptions options{CodecKind::Int8Difference, zstd};
    benchmark::RegisterBenchmark((describe(options) + "/encode").c_str(), edge_encode, options);
    benchmark::RegisterBenchmark((describe(options) + "/apply").c_str(), edge_apply, options);
  }
  benchmark::RegisterBenchmark("int8-difference/advance", edge_advance, CodecOptions{});
  benchmark::RegisterBenchmark("int8/advance", edge_advance, CodecOptions{CodecKind::Int8, false});
  benchmark::RegisterBenchmark("checksum", hash);
  for (const std::size_t width : {2u, 4u}) {
    const std::string name = "shuffle" + std::to_string(width);
    benchmark::RegisterBenchmark(name.c_str(), shuffle, width, false);
    benchmark::RegisterBenchmark(("un" + name).c_str(), shuffle, width, true);
  }
  benchmark::RegisterBenchmark("memcpy/again", copy);
}

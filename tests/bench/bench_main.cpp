#include "bench/bench_main.hpp"

#include <benchmark/benchmark.h>

int main(int argument_count, char** arguments) {
  register_benchmarks();
  benchmark::Initialize(&argument_count, arguments);
  if (benchmark::ReportUnrecognizedArguments(argument_count, arguments)) return 1;
  benchmark::RunSpecifiedBenchmarks();
}

// libFuzzer's entry to recording_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target recording_fuzz
//   build/fuzz/tests/fuzz/recording_fuzz -max_len=4096 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/recording
#include <cstddef>
#include <cstdint>

#include "fuzz/recording_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::recording_case(std::as_bytes(std::span(data, size)));
  return 0;
}

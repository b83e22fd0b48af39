// libFuzzer's entry to safetensors_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target safetensors_fuzz
//   build/fuzz/tests/fuzz/safetensors_fuzz -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/safetensors
#include <cstddef>
#include <cstdint>

#include "fuzz/safetensors_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::safetensors_case(std::as_bytes(std::span(data, size)));
  return 0;
}

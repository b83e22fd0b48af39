// libFuzzer's entry to idx_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target idx_fuzz
//   build/fuzz/tests/fuzz/idx_fuzz -max_total_time=60 NEW_CORPUS tests/fuzz/corpus/idx
#include <cstddef>
#include <cstdint>

#include "fuzz/idx_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::idx_case(std::as_bytes(std::span(data, size)));
  return 0;
}

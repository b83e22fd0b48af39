// libFuzzer's entry to frames_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target frames_fuzz
//   build/fuzz/tests/fuzz/frames_fuzz -max_len=4096 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/frames
#include <cstddef>
#include <cstdint>

#include "fuzz/frames_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::frames_case(std::as_bytes(std::span(data, size)));
  return 0;
}

// libFuzzer's entry to codec_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target codec_fuzz
//   build/fuzz/tests/fuzz/codec_fuzz -max_len=9000 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/codec
#include <cstddef>
#include <cstdint>

#include "fuzz/codec_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::codec_case(std::as_bytes(std::span(data, size)));
  return 0;
}

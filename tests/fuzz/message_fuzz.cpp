// libFuzzer's entry to message_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target message_fuzz
//   build/fuzz/tests/fuzz/message_fuzz -max_len=4096 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/message
#include <cstddef>
#include <cstdint>

#include "fuzz/message_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::message_case(std::as_bytes(std::span(data, size)));
  return 0;
}

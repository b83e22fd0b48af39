// libFuzzer's entry to object_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target object_fuzz
//   build/fuzz/tests/fuzz/object_fuzz -max_len=4096 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/object
#include <cstddef>
#include <cstdint>

#include "fuzz/object_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::object_case(std::as_bytes(std::span(data, size)));
  return 0;
}

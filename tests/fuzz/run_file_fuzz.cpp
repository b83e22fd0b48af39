// libFuzzer's entry to run_file_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target run_file_fuzz
//   build/fuzz/tests/fuzz/run_file_fuzz -max_total_time=60 NEW_CORPUS tests/fuzz/corpus/run_file
#include <cstddef>
#include <cstdint>

#include "fuzz/run_file_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::run_file_case({reinterpret_cast<const char*>(data), size});
  return 0;
}

// libFuzzer's entry to peer_case.hpp:
//   cmake --preset fuzz && cmake --build --preset fuzz --target peer_fuzz
//   build/fuzz/tests/fuzz/peer_fuzz -max_len=4096 -max_total_time=60 NEW_CORPUS
//   tests/fuzz/corpus/peer
#include <cstddef>
#include <cstdint>

#include "fuzz/peer_case.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  quadrille::fuzz::peer_case(std::as_bytes(std::span(data, size)));
  return 0;
}

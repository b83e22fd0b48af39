#include "codec/kernels.hpp"

#include <array>

namespace quadrille::codec {
namespace {

struct Available {
  std::array<const Kernels*, 3> tables{};
  std::size_t count = 0;

  Available() {
#ifdef QUADRILLE_CODEC_X86
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
      tables[count++] = &avx512_kernels;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("f16c"))
      tables[count++] = &avx2_kernels;
#endif
    tables[count++] = &generic_kernels;
  }
};

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const Available available;
  return {available.tables.data(), available.count};
}

}  // namespace quadrille::codec

#include "compute/cpu/instruction_set.hpp"

namespace quadrille::compute {

InstructionSet best_instruction_set() {
#ifdef QUADRILLE_X86_KERNELS
  // GCC's check covers the system too: registers that it does not save are not reported.
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vl");
  if (avx512) return InstructionSet::Avx512;
  if (avx2) return InstructionSet::Avx2;
#endif
  return InstructionSet::Generic;
}

}  // namespace quadrille::compute

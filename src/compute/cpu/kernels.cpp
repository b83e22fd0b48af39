#include "compute/cpu/kernels.hpp"

#include <vector>

#include "compute/cpu/instruction_set.hpp"

namespace quadrille::compute {
namespace {

std::vector<const Kernels*> find_kernels() {
  std::vector<const Kernels*> found;
#ifdef QUADRILLE_X86_KERNELS
  const InstructionSet best = best_instruction_set();
  if (best >= InstructionSet::Avx512) found.push_back(&avx512_kernels());
  if (best >= InstructionSet::Avx2) found.push_back(&avx2_kernels());
#endif
  found.push_back(&generic_kernels());
  return found;
}

}  // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> available = find_kernels();
  return available;
}

const Kernels& best_kernels() {
  return *available_kernels().front();
}

}  // namespace quadrille::compute

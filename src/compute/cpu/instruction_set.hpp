// What this CPU and this build can do beyond the baseline. Faster code is compiled per file and
// chosen here, at run time, so that one binary runs everywhere.
#pragma once

namespace quadrille::compute {

// In order: each set includes the ones before it.
enum class InstructionSet { Generic, Avx2, Avx512 };

// The largest set of which this build has kernels and that this CPU and its system run.
InstructionSet best_instruction_set();

}  // namespace quadrille::compute

// The op table: every operation on random shapes with odd tails, against references in double
// precision. Each backend passes it; an operation without a row in it does not exist.
#pragma once

#include "compute/backend.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace quadrille::test {

struct OpTableReport {
  // One line each: the operation, the case, the place, the value, what was expected.
  std::vector<std::string> failures;
  // All that the operations wrote, in order: the same seed asks two backends for the same work, and
  // where they promise the same bits these compare equal by their bits.
  std::vector<std::uint32_t> output_bits;
};

OpTableReport run_op_table(compute::Backend& backend, std::uint64_t seed = 1);

}  // namespace quadrille::test

// Which memory an operation touches: for backends that watch over it and for tests that count.
#pragma once

#include "compute/operation.hpp"

#include <cstddef>
#include <vector>

namespace quadrille::test {

struct Operand {
  const void* begin;
  std::size_t bytes;
  bool written;  // or read and written

  bool overlaps(const Operand& other) const;
};

// The spans that the operation was given, without the empty ones.
std::vector<Operand> operands(const compute::Operation& operation);

// Whether any operation of the record writes into the span.
bool any_writes(const std::vector<compute::Operation>& record, compute::ConstFloats span);

// How many operations of one kind, e.g. operation_count<compute::Gemm>(record).
template <class Kind>
std::size_t operation_count(const std::vector<compute::Operation>& record) {
  std::size_t count = 0;
  for (const compute::Operation& operation : record)
    count += std::holds_alternative<Kind>(operation);
  return count;
}

}  // namespace quadrille::test

// Counts operator new of the whole test program, on all threads.
#pragma once

#include <cstddef>

namespace quadrille::test {

// How often operator new was called since the program began.
std::size_t allocation_count();

}  // namespace quadrille::test

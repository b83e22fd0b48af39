// What a learner threw, as an error.
#pragma once

#include <exception>
#include <new>

#include "base/result.hpp"

namespace quadrille::worker {

// Memory of std::bad_alloc, Limit of all else.
inline Error thrown_error(const std::exception& thrown) {
  if (dynamic_cast<const std::bad_alloc*>(&thrown) != nullptr)
    return {.code = ErrorCode::Memory, .detail = "out of memory"};
  return {.code = ErrorCode::Limit, .detail = thrown.what()};
}

}  // namespace quadrille::worker

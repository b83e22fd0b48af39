// The threads that a command computes with, or the line that says that they cannot be had.
#pragma once

#include <cstddef>
#include <memory>

#include "base/result.hpp"
#include "base/worker_pool.hpp"

namespace quadrille::node {

// The count includes the caller's own thread. Io when the system has no more of them.
Result<std::unique_ptr<WorkerPool>> start_threads(std::size_t count);

}  // namespace quadrille::node

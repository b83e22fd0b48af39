#include "node/run/worker_threads.hpp"

#include <system_error>

#include "base/count_text.hpp"

namespace quadrille::node {

Result<std::unique_ptr<WorkerPool>> start_threads(std::size_t count) {
  try {
    return std::make_unique<WorkerPool>(count);
  } catch (const std::system_error& error) {
    return failure(ErrorCode::Io, count_text(count, "thread") + " cannot be started: " +
                                      error.code().message() + "; give fewer with --threads");
  }
}

}  // namespace quadrille::node

// SIGINT, SIGTERM and SIGHUP: the first asks the run to end at the
// next generation, the second ends the process at once.
#pragma once

#include <atomic>

namespace quadrille::node {

// Installs the handlers, and returns the count of signals
// so far. One for the whole process: signals are.
const std::atomic<int>& install_stop_signals();

}  // namespace quadrille::node

// SIGINT, SIGTERM and SIGHUP. While a run is being prepared nothing can be lost, and the first one
// ends the process at once. Once it trains, the first asks it to end at the next generation, and
// the second ends the process at once. docs/decisions/stopping.md says why.
#pragma once

#include <atomic>

namespace quadrille::node {

// Installs the handlers, and returns the count of signals
// so far. One for the whole process: signals are.
const std::atomic<int>& install_stop_signals();

// From now on somebody watches the count, and ends the run.
void answer_stop_signals_by_count();

}  // namespace quadrille::node

// peer bench: what this machine makes of the inner loops, beside its physical limit.
//
// Rates are taken of this process's CPU seconds: on a shared machine wall time measures the others.
// Only step_ms, what a person waits for, is wall time.
#pragma once

#include "base/result.hpp"
#include "node/cli/command_line.hpp"
#include "node/cli/exit_code.hpp"

namespace quadrille::node {

inline constexpr int peak_milliseconds = 200;

// A generator's and a discriminator's step.
Result<ExitCode> bench_step(const BenchCommand& command);

}  // namespace quadrille::node

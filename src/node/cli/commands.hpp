// What each verb of `peer` does. A command writes its result to standard output and its progress to
// standard error; an error is returned, for main() to say.
#pragma once

#include "base/result.hpp"
#include "node/cli/command_line.hpp"
#include "node/cli/exit_code.hpp"

namespace quadrille::node {

Result<ExitCode> run_command(const TrainCommand& command);
Result<ExitCode> run_command(const SampleCommand& command);
Result<ExitCode> run_command(const EvaluateCommand& command);
Result<ExitCode> run_command(const DataCheckCommand& command);
Result<ExitCode> run_command(const CheckCommand& command);
Result<ExitCode> run_command(const KeysCommand& command);
Result<ExitCode> run_command(const ExtendCommand& command);
Result<ExitCode> run_command(const BenchCommand& command);
Result<ExitCode> run_command(const PrintCommand& command);

}  // namespace quadrille::node

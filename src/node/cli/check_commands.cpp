// peer check, peer data check, --help and --version: answers that train nothing.
#include <cstdio>
#include <string>

#include "data/inspect.hpp"
#include "node/cli/commands.hpp"
#include "node/run/printable.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

Result<ExitCode> run_command(const CheckCommand& command) {
  TRY(spec, read_run_spec(command.run_file, command.overrides));
  std::printf("# run id %s\n%s", run_id(spec).c_str(), effective_run_file(spec).c_str());
  return ExitCode::Done;
}

Result<ExitCode> run_command(const KeysCommand&) {
  std::fputs(run_file_reference().c_str(), stdout);
  return ExitCode::Done;
}

Result<ExitCode> run_command(const DataCheckCommand& command) {
  const data::Inspection inspection = data::inspect(command.set, data::data_places({}));
  if (command.json) {
    std::printf("%s\n", data::json_of(inspection).c_str());
  } else {
    for (const std::string& line : data::text_of(inspection))
      std::printf("%s\n", printable(line).c_str());
  }
  return inspection.ok() ? ExitCode::Done : ExitCode::Configuration;
}

Result<ExitCode> run_command(const PrintCommand& command) {
  std::fputs(command.text.c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace quadrille::node

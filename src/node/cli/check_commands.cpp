// peer check, peer data check, --help and --version: answers that train nothing.
#include <cstdio>
#include <string>

#include "base/count_text.hpp"
#include "data/inspect.hpp"
#include "node/cli/commands.hpp"
#include "node/run/available_memory.hpp"
#include "node/run/printable.hpp"
#include "node/spec/run_spec.hpp"
#include "train/score/classifier_training.hpp"

namespace quadrille::node {
namespace {

// It can be trained on, and training says the same when it begins.
void remark_on_few_rows(data::Inspection& inspection) {
  for (const data::SetInspection& set : inspection.sets)
    for (const data::FileInspection& file : set.files)
      if (file.role == "train labels" && file.count < train::classifier_row_count_min)
        inspection.remarks.push_back(
            set.name + ": " + count_text(file.count, "label") +
            ": too few to judge samples by classes, which takes a classifier trained on " +
            std::to_string(train::classifier_row_count_min) + " or more");
}

}  // namespace

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
  data::Inspection inspection =
      data::inspect(command.set, data::data_places({}), {}, available_memory_bytes());
  remark_on_few_rows(inspection);
  if (command.json) {
    std::printf("%s\n", data::json_of(inspection).c_str());
  } else {
    for (const std::string& line : data::text_of(inspection))
      std::printf("%s\n", with_short_words(printable(line)).c_str());
  }
  return inspection.ok() ? ExitCode::Done : ExitCode::Configuration;
}

Result<ExitCode> run_command(const PrintCommand& command) {
  std::fputs(command.text.c_str(), stdout);
  return ExitCode::Done;
}

}  // namespace quadrille::node

// summary.json: how a run ended, for scripts.
#pragma once

#include <filesystem>

#include "base/result.hpp"
#include "node/run_spec.hpp"

namespace quadrille::node {

struct RunOutcome;

Result<void> write_summary(const std::filesystem::path& path, const RunSpec& spec,
                           const RunOutcome& outcome, double images_per_second);

}  // namespace quadrille::node

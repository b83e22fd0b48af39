// summary.json: how a run ended, for scripts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "base/result.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

struct RunOutcome;

Result<void> write_summary(const std::filesystem::path& path, const RunSpec& spec,
                           const RunOutcome& outcome, double images_per_second);
// The generation at which the run was done, by its summary; none when there is no such file, or it
// says something else.
std::optional<std::uint64_t> done_generation(const std::filesystem::path& path);

}  // namespace quadrille::node

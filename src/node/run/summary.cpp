#include "node/run/summary.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "node/files/atomic_file.hpp"
#include "node/run/training_run.hpp"

namespace quadrille::node {

Result<void> write_summary(const std::filesystem::path& path, const RunSpec& spec,
                           const RunOutcome& outcome, double images_per_second) {
  nlohmann::ordered_json json{
      {"run", spec.name},
      {"run_id", run_id(spec)},
      {"ending", outcome.ending == Ending::Done ? "done" : "stopped"},
      {"generation", outcome.generation},
      {"generations", spec.run.generations},
      {"grid", {spec.run.grid.rows, spec.run.grid.columns}},
      {"best_cell", outcome.best_cell.value},
      {"best_score", nullptr},
      {"verdict", outcome.verdict},
      {"seconds", outcome.seconds},
      {"images_per_second", images_per_second},
      {"sheet", outcome.sheet.string()},
  };
  if (outcome.best_score && std::isfinite(*outcome.best_score))
    json["best_score"] = *outcome.best_score;
  // A path need not be text.
  const std::string text =
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  return write_file_atomically(path, bytes_of(std::span<const char>(text)));
}

std::optional<std::uint64_t> done_generation(const std::filesystem::path& path) {
  constexpr std::uint64_t bytes_max = std::uint64_t{1} << 20;
  const auto file = read_file(path, bytes_max);
  if (!file) return std::nullopt;
  const std::string_view text(reinterpret_cast<const char*>(file->data()), file->size());
  const auto json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object() || json.value("ending", nlohmann::json()) != "done") return std::nullopt;
  const auto generation = json.value("generation", nlohmann::json());
  if (!generation.is_number_unsigned()) return std::nullopt;
  return generation.get<std::uint64_t>();
}

}  // namespace quadrille::node

#include "node/run/held_cells.hpp"

#include <algorithm>
#include <string>

#include "nn/models.hpp"
#include "nn/network.hpp"
#include "train/lipizzaner/fitness.hpp"
#include "train/lipizzaner/neighbourhood.hpp"

namespace quadrille::node {
namespace {

// Copies of the pair's parameters beside the sub-population's: the offspring's slot, where the
// gradient lies too, the network in training with two moments, the remembered moments, the snapshot
// on the host, the exchange's two; and while a checkpoint is written the center with its moments.
constexpr std::uint64_t pair_copies = 12;

std::uint64_t layer_outputs(const nn::NetworkSpec& network) {
  std::uint64_t floats = 0;
  for (const nn::DenseSpec& layer : network.layers) floats += layer.outputs;
  return floats;
}

// Bytes to work one cell with, as in train/lipizzaner/workbench.hpp: the passes of a training step
// or of a fitness test, whichever is larger, and the samples that are scored. There is one bench
// for each thread that works cells; each cell is charged one, since there are never more of them.
std::uint64_t bench_bytes(const train::LipizzanerOptions& options, const nn::GanModel& model,
                          std::uint64_t members) {
  const std::uint64_t outputs = layer_outputs(model.generator) + layer_outputs(model.discriminator);
  const std::uint64_t rows =
      std::max<std::uint64_t>(4 * options.batch_size, members * train::FitnessTest::rows_per_pass);
  const std::uint64_t scored =
      options.score == train::ScoreKind::None ? 0 : options.score_sample_size;
  return sizeof(float) * (rows * outputs + scored * model.generator.layers.back().outputs);
}

// Rows and losses of a fitness test, as in train/lipizzaner/fitness_trial.hpp: the losses lie on
// the device and on the host.
std::uint64_t trial_bytes(const train::LipizzanerOptions& options, std::uint64_t members) {
  const std::uint64_t losses = train::FitnessTest::passes(options.fitness_sample_size) *
                               train::FitnessTest::losses_per_pass(members);
  return sizeof(std::uint32_t) * options.fitness_sample_size + 2 * sizeof(float) * losses;
}

// What the held cells miss meanwhile: docs/decisions/waiting-cells.md.
std::string alone_text(const RunSpec& spec, std::uint32_t held_count) {
  const train::Neighbourhood kind{spec.lipizzaner.neighbourhood, spec.lipizzaner.radius};
  std::uint32_t missing = 0;
  for (std::uint32_t cell = 0; cell < held_count; ++cell) {
    const auto neighbours = train::neighbours_of({cell}, spec.run.grid, kind);
    missing += std::ranges::any_of(
        neighbours, [&](CellIndex neighbour) { return neighbour.value >= held_count; });
  }
  return std::to_string(missing) + " of these train with fewer neighbours until then";
}

}  // namespace

Result<std::uint64_t> cell_bytes(const RunSpec& spec, std::size_t sample_size) {
  const train::LipizzanerOptions& options = spec.lipizzaner;
  TRY(model, nn::make_model(options.model, {.latent = options.latent_size, .sample = sample_size}));
  const std::uint64_t pair = nn::Network(model.generator).parameter_count() +
                             nn::Network(model.discriminator).parameter_count();
  const std::uint64_t members =
      train::neighbourhood_size(spec.run.grid, {options.neighbourhood, options.radius});
  const std::uint64_t tested = members + 1;  // the offspring, too
  return sizeof(float) * pair * (members + pair_copies) + bench_bytes(options, model, tested) +
         trial_bytes(options, tested);
}

Result<HeldCells> held_cells(const RunSpec& spec, const CellsWanted& wanted,
                             std::size_t sample_size, std::uint64_t bytes_available) {
  const std::uint32_t grid_cells = spec.run.grid.cell_count();
  TRY(bytes, cell_bytes(spec, sample_size));
  const auto fitting =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes_available / bytes, grid_cells));
  // What a run held before, it can hold again; and no other number of cells goes on from there.
  const std::optional<std::uint32_t> given = wanted.asked ? wanted.asked : wanted.saved;
  if (fitting == 0 && !given)
    return failure(ErrorCode::Config,
                   "one cell takes about " + std::to_string(bytes >> 20) + " MiB and " +
                       std::to_string(bytes_available >> 20) +
                       " MiB are free: free memory, or make model, batch or sample sizes smaller");
  const std::uint32_t count = std::min(given.value_or(fitting), grid_cells);
  HeldCells held;
  for (std::uint32_t cell = 0; cell < count; ++cell) held.cells.push_back({cell});
  if (count == grid_cells) return held;
  const std::string reason = wanted.asked   ? "--cells allows "
                             : wanted.saved ? "the checkpoint holds "
                                            : "memory allows ";
  if (spec.lipizzaner.sync)
    return failure(ErrorCode::Config,
                   "algorithm.sync is true, and " + reason + std::to_string(count) + " of " +
                       std::to_string(grid_cells) +
                       " cells: a synchronous cell waits for all its neighbours. Allow all cells, "
                       "or set algorithm.sync to false");
  held.notice = reason + std::to_string(count) + " of " + std::to_string(grid_cells) +
                " cells: the others wait for other peers, and " + alone_text(spec, count);
  return held;
}

}  // namespace quadrille::node

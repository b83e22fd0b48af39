#include "node/run/standing.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "base/check.hpp"

namespace quadrille::node {
namespace {

std::optional<std::uint64_t> counter(const peer::CellState& state, std::string_view name) {
  const auto found = std::ranges::find(state.counters, name, [](const auto& c) { return c.first; });
  return found == state.counters.end() ? std::nullopt : std::optional(found->second);
}

// A counter that holds the bits of a double.
std::optional<double> number(const peer::CellState& state, std::string_view name) {
  const auto bits = counter(state, name);
  return bits ? std::optional(std::bit_cast<double>(*bits)) : std::nullopt;
}

// Lower is better. A score and a fitness are of different scales: any score goes first.
std::pair<int, double> rank(const Standing& standing) {
  if (standing.score && std::isfinite(*standing.score)) return {0, *standing.score};
  const double fitness =
      standing.generator_fitness.value_or(std::numeric_limits<double>::infinity());
  return std::isfinite(fitness) ? std::pair(1, fitness) : std::pair(2, 0.0);
}

}  // namespace

Standing standing_of(const peer::Status& status) {
  return {.generation = status.round.index,
          .images_seen = status.images_seen,
          .score = status.score,
          .generator_fitness = status.generator_fitness,
          .discriminator_fitness = status.discriminator_fitness};
}

Standing standing_of(const peer::CellState& state) {
  return {.generation = state.round.index,
          .images_seen = counter(state, "images_seen").value_or(0),
          .score = number(state, "score"),
          .generator_fitness = number(state, "generator.fitness"),
          .discriminator_fitness = number(state, "discriminator.fitness")};
}

CellIndex best_cell(const std::map<CellIndex, Standing>& standings) {
  CHECK(!standings.empty());
  return std::ranges::min_element(standings, {},
                                  [](const auto& entry) { return rank(entry.second); })
      ->first;
}

double mean_generation(const std::map<CellIndex, Standing>& standings) {
  CHECK(!standings.empty());
  double sum = 0;
  for (const auto& [cell, standing] : standings) sum += static_cast<double>(standing.generation);
  return sum / static_cast<double>(standings.size());
}

}  // namespace quadrille::node

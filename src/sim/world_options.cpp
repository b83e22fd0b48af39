#include "sim/world_options.hpp"

#include <algorithm>
#include <cmath>

#include "base/printed.hpp"

namespace quadrille::sim {
namespace {

std::string seconds_text(Duration time) {
  return printed(in_seconds(time), " s");
}

}  // namespace

GridShape square_grid(std::uint32_t cells) {
  const auto root = static_cast<std::uint32_t>(std::sqrt(static_cast<double>(cells)));
  const std::uint32_t side = std::max(root, 1U);
  std::uint32_t rows = side;
  while (cells % rows != 0) --rows;
  // Of a prime number of cells there is only a line: take fewer, and a better shape.
  if (rows == 1 || rows * 4 < side) return {.rows = side, .columns = cells / side};
  return {.rows = rows, .columns = cells / rows};
}

std::uint32_t default_capacity(const WorldOptions& options) {
  const std::uint32_t hosts = std::max(options.hosts, 1U);
  return 4 * ((options.grid.cell_count() + hosts - 1) / hosts);
}

peer::Grid genesis(const WorldOptions& options) {
  peer::Grid grid;
  grid.epoch.rows = static_cast<std::uint16_t>(options.grid.rows);
  grid.epoch.columns = static_cast<std::uint16_t>(options.grid.columns);
  grid.stride = grid.epoch.columns;
  if (options.growth == peer::Growth::Columns)
    grid.stride = std::max(grid.stride, static_cast<std::uint16_t>(options.grid_side_max));
  return grid;
}

std::string_view name_of(peer::Growth growth) {
  switch (growth) {
    case peer::Growth::Fixed:
      return "fixed";
    case peer::Growth::Rows:
      return "rows";
    case peer::Growth::Columns:
      return "columns";
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> described(const WorldOptions& options) {
  const NetworkQuality& network = options.network;
  const ToyOptions& toy = options.toy;
  return {
      {"hosts", printed(options.hosts)},
      {"other_hosts", printed(options.other_hosts)},
      {"seed_hosts", printed(options.seed_hosts)},
      {"grid", printed(options.grid.rows, "x", options.grid.columns)},
      {"growth", printed(name_of(options.growth))},
      {"grid_side_max", printed(options.grid_side_max)},
      {"capacity", printed(options.capacity)},
      {"minority_brake", options.minority_brake ? "on" : "off"},
      {"understudy_every", printed(options.understudy_every.index)},
      {"drift_ppm", printed(options.drift_ppm)},
      {"clock_error", seconds_text(options.clock_error)},
      {"loss", printed(network.loss)},
      {"duplication", printed(network.duplication)},
      {"delay", seconds_text(network.delay)},
      {"jitter", seconds_text(network.jitter)},
      {"straggling", printed(network.straggling)},
      {"straggle", seconds_text(network.straggle)},
      {"bytes_per_second", printed(network.bytes_per_second)},
      {"synchronous", toy.synchronous ? "on" : "off"},
      {"round_time", seconds_text(toy.round_time)},
      {"checkpoint_every", printed(toy.checkpoint_every)},
      {"payload_bytes", printed(toy.payload_bytes)},
      {"not_finite", printed(toy.not_finite)},
      {"failing_rounds", printed(toy.failing_rounds)},
      {"failing_places", printed(toy.failing_places)},
  };
}

}  // namespace quadrille::sim

#include "sim/world_options.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace quadrille::sim {
namespace {

std::string seconds_text(Duration time) {
  std::ostringstream out;
  out << std::chrono::duration<double>(time).count() << " s";
  return std::move(out).str();
}

std::string number_text(auto number) {
  std::ostringstream out;
  out << number;
  return std::move(out).str();
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
  return grid;
}

std::vector<std::pair<std::string, std::string>> described(const WorldOptions& options) {
  const NetworkQuality& network = options.network;
  const ToyOptions& toy = options.toy;
  return {
      {"hosts", number_text(options.hosts)},
      {"other_hosts", number_text(options.other_hosts)},
      {"seed_hosts", number_text(options.seed_hosts)},
      {"grid", number_text(options.grid.rows) + "x" + number_text(options.grid.columns)},
      {"grid_rows_max", number_text(options.grid_rows_max)},
      {"capacity", number_text(options.capacity)},
      {"minority_brake", options.minority_brake ? "on" : "off"},
      {"understudy_every", number_text(options.understudy_every.index)},
      {"drift_ppm", number_text(options.drift_ppm)},
      {"clock_error", seconds_text(options.clock_error)},
      {"loss", number_text(network.loss)},
      {"duplication", number_text(network.duplication)},
      {"delay", seconds_text(network.delay)},
      {"jitter", seconds_text(network.jitter)},
      {"straggling", number_text(network.straggling)},
      {"straggle", seconds_text(network.straggle)},
      {"bytes_per_second", number_text(network.bytes_per_second)},
      {"synchronous", toy.synchronous ? "on" : "off"},
      {"round_time", seconds_text(toy.round_time)},
      {"checkpoint_every", number_text(toy.checkpoint_every)},
      {"payload_bytes", number_text(toy.payload_bytes)},
      {"not_finite", number_text(toy.not_finite)},
  };
}

}  // namespace quadrille::sim

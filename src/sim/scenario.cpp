#include "sim/scenario.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "base/check.hpp"
#include "base/printed.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

void prepare_pause(WorldOptions& options) {
  options.network.loss = 0.05;
}

// Whose hundredth is no less than a link may have before it counts as stalled: 1.6 kB/s.
constexpr std::size_t slow_payload_bytes_min = 180'000;

void prepare_slow_edge(WorldOptions& options) {
  options.toy.payload_bytes = std::size_t{200} << 10;
}

// Spares enough for one more row, which the grid may take soon.
void prepare_growth(WorldOptions& options) {
  options.grid = square_grid(options.hosts);
  options.growth = peer::Growth::Rows;
  options.grid_side_max = options.grid.rows;
  options.grid.rows = std::max(options.grid.rows, 2U) - 1;
  options.growth_patience = seconds(30);
}

void prepare_growth_columns(WorldOptions& options) {
  options.grid = square_grid(options.hosts);
  options.growth = peer::Growth::Columns;
  options.grid_side_max = options.grid.columns;
  options.grid.columns = std::max(options.grid.columns, 2U) - 1;
  options.growth_patience = seconds(30);
}

constexpr std::array<Scenario, 16> all_scenarios = {{
    {.name = "random",
     .about = "faults drawn from the seed, then none; everything must come to rest",
     .hosts = 0,
     .prepare = prepare_random,
     .run = run_random},
    {.name = "boot",
     .about = "all peers start within seconds: time to a full grid",
     .hosts = 100,
     .run = run_boot},
    {.name = "mass-join",
     .about = "as many peers again join at once",
     .hosts = 100,
     .hosts_min = 4,
     .run = run_mass_join},
    {.name = "crash",
     .about = "machines are lost, one after the other: who learns of it when",
     .hosts = 100,
     .hosts_min = 3,
     .lost_max = lost_in_crash,
     .run = run_crash},
    {.name = "mass-crash",
     .about = "rest, its traffic; machines are lost in a row; then one in a hundred at once",
     .hosts = 100,
     .hosts_min = 4,
     .seconds_min = 1,
     .lost_max = lost_in_mass_crash,
     .run = run_mass_crash},
    {.name = "crash-seeds",
     .about = "all seeds are lost, and come back empty on their addresses",
     .hosts = 25,
     .hosts_min = 4,
     .run = run_crash_seeds},
    {.name = "half-split",
     .about = "the network is cut in halves for 90 s",
     .hosts = 100,
     .seconds_min = 1,
     .run = run_half_split},
    {.name = "isolation",
     .about = "one peer is cut off for 120 s",
     .hosts = 25,
     .seconds_min = 1,
     .run = run_isolation},
    {.name = "churn",
     .about = "one in a hundred is replaced every 10 s, for 120 s",
     .hosts = 100,
     .seconds_min = 10,
     .run = run_churn},
    {.name = "drain",
     .about = "one in ten leaves gracefully, all at once",
     .hosts = 100,
     .run = run_drain},
    {.name = "upgrade",
     .about = "one peer after the other becomes one of the next version, then half go back",
     .hosts = 12,
     .run = run_upgrade},
    {.name = "slow-edge",
     .about = "one edge has a hundredth of the others' rate",
     .hosts = 9,
     .seconds_min = 300,
     .payload_bytes_min = slow_payload_bytes_min,
     .cells_min = 2,
     .prepare = prepare_slow_edge,
     .run = run_slow_edge},
    {.name = "growth",
     .about = "spares let the grid grow by a row",
     .hosts = 25,
     .hosts_min = 4,
     .prepare = prepare_growth,
     .run = run_growth},
    {.name = "growth-columns",
     .about = "spares let the grid grow by a column",
     .hosts = 25,
     .hosts_min = 4,
     .prepare = prepare_growth_columns,
     .run = run_growth},
    {.name = "pause",
     .about = "one peer at a time stops for 3 s, at 5 % loss",
     .hosts = 25,
     .seconds_min = 20,
     .prepare = prepare_pause,
     .run = run_pause},
    {.name = "steady",
     .about = "nothing happens: traffic, cost, memory",
     .hosts = 100,
     .seconds_min = 1,
     .run = run_steady},
}};

}  // namespace

std::span<const Scenario> scenarios() {
  return all_scenarios;
}

const Scenario* find_scenario(std::string_view name) {
  const auto found = std::ranges::find(all_scenarios, name, &Scenario::name);
  return found == all_scenarios.end() ? nullptr : &*found;
}

WorldOptions options_of(const Scenario& scenario, std::uint64_t seed, std::uint32_t hosts) {
  WorldOptions options;
  options.seed = seed;
  options.hosts = hosts == 0 ? scenario.hosts : hosts;
  if (scenario.prepare != nullptr) scenario.prepare(options);
  if (options.grid.cell_count() == 0) options.grid = square_grid(options.hosts);
  return options;
}

Report run_scenario(const Scenario& scenario, World& world, const ScenarioOptions& options) {
  Report report;
  scenario.run(world, options, report);
  if (const auto& violation = world.violation()) {
    const double seconds = in_seconds(violation->time.since_start);
    report.fail(Outcome::Broken, printed(violation->invariant, " is broken at ", seconds,
                                         " s, host ", violation->node, ": ", violation->text));
  }
  return report;
}

RandomStream scenario_stream(const World& world) {
  return RandomStream(stream_key(world.options().seed, "scenario", 0));
}

Duration boot_window(std::uint32_t hosts) {
  return std::min<Duration>(milliseconds(10) * hosts, seconds(10));
}

void schedule_starts(World& world, std::uint32_t count, Duration window) {
  RandomStream random = scenario_stream(world);
  std::vector<Fault> starts;
  for (NodeIndex node = 0; node < count; ++node) {
    const bool is_seed = node < world.options().seed_hosts;
    const double part = is_seed ? 0 : random.uniform();
    const auto wait = static_cast<Duration::rep>(part * static_cast<double>(window.count()));
    starts.push_back({.at = world.now() + Duration(wait), .kind = FaultKind::Start, .node = node});
  }
  world.schedule(std::move(starts));
}

bool boot(World& world, std::uint32_t count, Duration window, Report& report) {
  schedule_starts(world, count, window);
  world.run_for(window);
  return settle(world, seconds(180), report);
}

bool settle(World& world, Duration limit, Report& report) {
  if (run_until_rest(world, limit)) return true;
  if (!world.is_ok()) return false;  // who runs the scenario tells
  const std::string why = unrest(world).value_or("it came at the last moment");
  // Two owners of one cell are wrong, all else is late.
  const bool is_broken = why.starts_with("I2") || duplicate_claims(world) > 0;
  report.fail(is_broken ? Outcome::Broken : Outcome::Unsettled,
              "no rest after " + std::to_string(limit / seconds(1)) + " s: " + why);
  return false;
}

// The minimum and the maximum of a suspicion, with what comes before and after it.
Duration detection_max(std::size_t hosts) {
  const double scale =
      std::max(1.0, std::log10(static_cast<double>(std::max<std::size_t>(hosts, 1))));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(24 * scale + 3));
}

Duration detection_median_max(std::size_t hosts) {
  if (hosts <= 10) return seconds(7);
  const double scale =
      std::max(1.0, std::log10(static_cast<double>(std::max<std::size_t>(hosts, 1))));
  return std::chrono::duration_cast<Duration>(std::chrono::duration<double>(4 * scale + 4));
}

void report_memory(const World& world, const ScenarioOptions& options, Report& report) {
  if (!options.peak_bytes) return;
  double entries = 0;
  for (const NodeIndex node : world.up_hosts())
    entries += static_cast<double>(world.host(node).peer().membership().view().members().size());
  // Below that size the program itself outweighs its views.
  const bool is_large = world.options().hosts >= 10'000;
  report.add({.name = "peak_bytes_per_view_entry",
              .value = options.peak_bytes() / entries,
              .at_most = is_large ? std::optional(200.0) : std::nullopt});
  report.add({.name = "peak_bytes", .value = options.peak_bytes()});
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace quadrille::sim

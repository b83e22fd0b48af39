// Scenarios: each builds its world, does something to it, and reports figures with their bounds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "base/random.hpp"
#include "base/time.hpp"
#include "sim/report.hpp"
#include "sim/world.hpp"
#include "sim/world_options.hpp"

namespace quadrille::sim {

// What a person may ask for beyond the world itself.
struct ScenarioOptions {
  std::uint32_t crashes = 30;      // that crash measures, and mass-crash at most in a row
  std::optional<Duration> length;  // of what the scenario measures; its own default
  // The machine's, where figures of cost are wanted: CPU time used so far, the most memory held.
  std::function<double()> cpu_seconds;
  std::function<double()> peak_bytes;
};

struct Scenario {
  std::string_view name;
  std::string_view about;
  std::uint32_t hosts;            // when nobody says how many
  std::uint32_t hosts_min = 2;    // with fewer, what it is about cannot happen
  std::uint32_t seconds_min = 0;  // of what ScenarioOptions::length measures; 0: nothing
  std::size_t payload_bytes_min = 0;
  std::uint32_t cells_min = 1;
  // Machines that are lost at one time at most, and whose cells are to be taken over meanwhile: the
  // others must have room. None where cells may wait.
  std::uint32_t (*lost_max)(const WorldOptions& world, const ScenarioOptions& options) = nullptr;
  // Sets what makes the scenario; explicit options are applied after it.
  void (*prepare)(WorldOptions& options) = nullptr;
  void (*run)(World& world, const ScenarioOptions& options, Report& report) = nullptr;
};
std::span<const Scenario> scenarios();
const Scenario* find_scenario(std::string_view name);

// A world of that scenario, as `hosts` (0: its default) and the seed make it.
WorldOptions options_of(const Scenario& scenario, std::uint64_t seed, std::uint32_t hosts);

// A run of it, and what its world has to say in the end: a broken invariant above all.
Report run_scenario(const Scenario& scenario, World& world, const ScenarioOptions& options);

// The faults of scenario random.
struct DrawnFaults {
  FaultRates rates;
  Duration window{};  // within which hosts start
  VersionMix versions;
  std::vector<NodeIndex> next_version;  // who begins with it
  std::vector<Fault> plan;
  std::vector<NodeIndex> lost;  // when all other faults end; ascending
};
DrawnFaults draw_faults(const WorldOptions& options);

// --- What scenarios share ---

// The first `count` hosts start within `window`, the seeds at once.
void schedule_starts(World& world, std::uint32_t count, Duration window);
// And then there is rest. False when it never came: the report says why.
bool boot(World& world, std::uint32_t count, Duration window, Report& report);
Duration boot_window(std::uint32_t hosts);
// Runs until there is rest. False, with the reason in the report, when it did not come.
bool settle(World& world, Duration limit, Report& report);
// How long the slowest detection of a death may take among so many, and how long the median.
Duration detection_max(std::size_t hosts);
Duration detection_median_max(std::size_t hosts);
RandomStream scenario_stream(const World& world);
// The most memory that the process held, by entries of all views: where the options can tell.
void report_memory(const World& world, const ScenarioOptions& options, Report& report);
double median(std::vector<double> values);

// scenario_*.cpp
void run_boot(World& world, const ScenarioOptions& options, Report& report);
void run_mass_join(World& world, const ScenarioOptions& options, Report& report);
void run_crash(World& world, const ScenarioOptions& options, Report& report);
void run_mass_crash(World& world, const ScenarioOptions& options, Report& report);
void run_crash_seeds(World& world, const ScenarioOptions& options, Report& report);
void run_half_split(World& world, const ScenarioOptions& options, Report& report);
void run_isolation(World& world, const ScenarioOptions& options, Report& report);
void run_churn(World& world, const ScenarioOptions& options, Report& report);
void run_drain(World& world, const ScenarioOptions& options, Report& report);
void run_upgrade(World& world, const ScenarioOptions& options, Report& report);
void run_slow_edge(World& world, const ScenarioOptions& options, Report& report);
void run_growth(World& world, const ScenarioOptions& options, Report& report);
void run_pause(World& world, const ScenarioOptions& options, Report& report);
void run_steady(World& world, const ScenarioOptions& options, Report& report);
void run_random(World& world, const ScenarioOptions& options, Report& report);
void prepare_random(WorldOptions& options);
std::uint32_t lost_in_crash(const WorldOptions& world, const ScenarioOptions& options);
std::uint32_t lost_in_mass_crash(const WorldOptions& world, const ScenarioOptions& options);

}  // namespace quadrille::sim

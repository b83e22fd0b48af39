// Scenarios boot, mass-join, steady and growth: a fleet comes to be, and then is.
#include <algorithm>
#include <utility>
#include <vector>

#include "sim/at_rest.hpp"
#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Of one core, on whatever machine runs it: stated for that size only.
std::optional<double> cpu_bound(std::uint32_t hosts) {
  return hosts == 1000 ? std::optional(0.5) : std::nullopt;
}

std::optional<Duration> boot_bound(std::uint32_t hosts) {
  // Of two, one may ask the other before it is there, and asks again 5 s later.
  if (hosts == 2) return seconds(10);
  if (hosts <= 4) return seconds(5);
  if (hosts <= 100) return seconds(45);
  if (hosts <= 1000) return seconds(75);
  return std::nullopt;
}

}  // namespace

void run_boot(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  schedule_starts(world, hosts, boot_window(hosts));
  const Duration limit = boot_bound(hosts).value_or(seconds(300)) * 2;
  const auto full =
      world.run_until_true([&] { return grid_is_full(world); }, limit, milliseconds(100));
  if (full)
    report.add_seconds("full_grid_seconds", *full, boot_bound(hosts));
  else if (world.is_ok())
    report.fail(Outcome::Unsettled, "the grid never was full");
  if (!settle(world, seconds(300), report)) return;
  report.add_seconds("rest_seconds", world.now() - TimePoint{});
  report_memory(world, options, report);
}

void run_mass_join(World& world, const ScenarioOptions&, Report& report) {
  const std::uint32_t before = std::max(1U, world.options().hosts / 2);
  if (!boot(world, before, boot_window(before), report)) return;
  const std::size_t moves = world.ledger().moves().size();
  const TimePoint begin = world.now();
  RandomStream random = scenario_stream(world);
  std::vector<Fault> starts;
  for (NodeIndex node = before; node < world.options().hosts; ++node)
    starts.push_back(
        {.at = begin + milliseconds(random.below(1000)), .kind = FaultKind::Start, .node = node});
  const auto joining = static_cast<double>(starts.size());
  world.schedule(std::move(starts));
  world.run_for(seconds(2));
  if (!settle(world, seconds(180), report)) return;
  report.add_seconds("rest_seconds", world.now() - begin);
  const auto gained = static_cast<double>(
      std::ranges::count(world.ledger().moves().begin() + static_cast<std::ptrdiff_t>(moves),
                         world.ledger().moves().end(), Move::Kind::Gained, &Move::kind));
  const std::uint32_t hosts = world.options().hosts;
  const double share = (world.options().grid.cell_count() + hosts - 1) / hosts;
  report.add({.name = "cells_moved",
              .value = gained,
              .at_most = joining * share,
              .miss = Outcome::Broken});
}

void run_steady(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  measure_at_rest(world, options,
                  {.length = options.length.value_or(seconds(60)), .cpu_max = cpu_bound(hosts)},
                  report);
  report_memory(world, options, report);
}

void run_growth(World& world, const ScenarioOptions&, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  const Owners before = owners(world);
  const TimePoint begin = world.now();
  const auto has_grown = [&] {
    return std::ranges::all_of(world.up_hosts(), [&](NodeIndex node) {
      return world.host(node).peer().placement().grid().epoch.epoch > 0;
    });
  };
  if (!world.run_until_true(has_grown, seconds(300))) {
    if (world.is_ok()) report.fail(Outcome::Unsettled, "the grid did not grow");
    return;
  }
  report.add_seconds("grown_seconds", world.now() - begin);
  if (!settle(world, seconds(60), report)) return;
  report.add_seconds("rest_seconds", world.now() - begin);
  const std::size_t cells = owners(world).size();
  report.add({.name = "cells_born", .value = static_cast<double>(cells - before.size())});
  report.add({.name = "cells_moved",
              .value = static_cast<double>(moved(before, owners(world))),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace quadrille::sim

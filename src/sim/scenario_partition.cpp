// Scenarios half-split, isolation and pause: everybody lives, and not everybody is heard.
#include <algorithm>
#include <vector>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::seconds;

void run_split(World& world, const std::vector<NodeIndex>& side, Duration length, Report& report) {
  const Owners before = owners(world);
  world.split(side);
  world.run_for(length);
  report.add({.name = "duplicate_claims_while_split",
              .value = static_cast<double>(duplicate_claims(world))});
  world.join();
  const TimePoint joined = world.now();
  if (!settle(world, seconds(120), report)) return;
  report.add_seconds("heal_seconds", world.now() - joined, seconds(30));
  world.run_for(seconds(60));
  if (!settle(world, seconds(1), report)) return;
  report.add({.name = "net_moves",
              .value = static_cast<double>(moved(before, owners(world))),
              .at_most = 0,
              .miss = Outcome::Broken});
  report.add({.name = "duplicate_claims_after",
              .value = static_cast<double>(duplicate_claims(world)),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace

void run_half_split(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  std::vector<std::uint32_t> order;
  for (NodeIndex node = 0; node < hosts; ++node) order.push_back(node);
  RandomStream random = scenario_stream(world);
  random.shuffle(order);
  order.resize(hosts / 2);
  run_split(world, order, options.length.value_or(seconds(90)), report);
}

void run_isolation(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  RandomStream random = scenario_stream(world);
  run_split(world, {random.below(hosts)}, options.length.value_or(seconds(120)), report);
}

void run_pause(World& world, const ScenarioOptions& options, Report& report) {
  constexpr Duration pause = seconds(3);
  constexpr Duration between = seconds(20);
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  RandomStream random = scenario_stream(world);
  const std::uint64_t before = world.ledger().false_deaths();
  const std::size_t moves = world.ledger().moves().size();
  const auto pauses = options.length.value_or(seconds(400)) / between;
  for (auto count = pauses; count > 0; --count) {
    const NodeIndex node = random.below(hosts);
    world.pause(node);
    world.run_for(pause);
    world.resume(node);
    world.run_for(between - pause);
  }
  if (!world.is_ok()) return;
  report.add({.name = "pauses", .value = static_cast<double>(pauses)});
  report.add({.name = "false_deaths",
              .value = static_cast<double>(world.ledger().false_deaths() - before),
              .at_most = 0});
  report.add({.name = "cells_moved",
              .value = static_cast<double>(world.ledger().moves().size() - moves),
              .at_most = 0,
              .miss = Outcome::Broken});
  settle(world, seconds(60), report);
}

}  // namespace quadrille::sim

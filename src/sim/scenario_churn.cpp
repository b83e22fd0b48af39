// Scenarios churn, drain and upgrade: peers come and go, rudely and politely.
#include <algorithm>
#include <vector>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::seconds;

NodeIndex draw_up(const World& world, RandomStream& random) {
  const std::vector<NodeIndex> up = world.up_hosts();
  return up[random.below(static_cast<std::uint32_t>(up.size()))];
}

// The host's process ends as it should. False, with the reason in the report, when it does not.
bool leave_and_end(World& world, NodeIndex node, Report& report) {
  world.leave(node);
  if (world.run_until_true([&] { return !world.host(node).is_up(); }, seconds(110))) return true;
  if (world.is_ok()) report.fail(Outcome::Unsettled, "a peer was told to leave and did not");
  return false;
}

// One host after the other leaves, and a process of that version starts on its address and disk.
bool replace(World& world, NodeIndex count, Software software, Report& report) {
  for (NodeIndex node = 0; node < count; ++node) {
    if (!leave_and_end(world, node, report)) return false;
    world.install(node, software);
    world.start(node);
    if (!settle(world, seconds(120), report)) return false;
  }
  return true;
}

// Every host has the records of all others: those of `hosts` are whole, whoever passed them on.
void add_next_version_records(const World& world, std::uint32_t hosts, const char* name,
                              Report& report) {
  report.add({.name = name,
              .value = static_cast<double>(next_version_records(world)),
              .at_least = static_cast<double>(hosts) * (world.options().hosts - 1),
              .miss = Outcome::Broken});
}

}  // namespace

// Each lost machine's address is a new peer's 10 s later.
void run_churn(World& world, const ScenarioOptions& options, Report& report) {
  constexpr Duration step = seconds(10);
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  RandomStream random = scenario_stream(world);
  const std::uint32_t each = std::max(1U, hosts / 100);
  std::vector<NodeIndex> lost;
  std::uint32_t replaced = 0;
  for (auto steps = options.length.value_or(seconds(120)) / step; steps > 0; --steps) {
    for (const NodeIndex node : std::exchange(lost, {})) world.start(node);
    for (std::uint32_t count = 0; count < each; ++count) {
      lost.push_back(draw_up(world, random));
      world.lose_machine(lost.back());
      world.carry_out({.kind = FaultKind::LoseDisk, .node = lost.back()});
      ++replaced;
    }
    world.run_for(step);
  }
  for (const NodeIndex node : lost) world.start(node);
  const TimePoint end = world.now();
  if (!settle(world, seconds(180), report)) return;
  report.add({.name = "replaced", .value = static_cast<double>(replaced)});
  // The last one lost must be noticed first.
  report.add_seconds("rest_seconds", world.now() - end, detection_max(hosts) + seconds(15));
  report.add({.name = "false_deaths",
              .value = static_cast<double>(world.ledger().false_deaths()),
              .at_most = 0});
}

void run_drain(World& world, const ScenarioOptions&, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  world.run_for(seconds(30));  // so that there are rounds to lose
  RandomStream random = scenario_stream(world);
  std::vector<std::uint32_t> leavers;
  for (NodeIndex node = 0; node < hosts; ++node) leavers.push_back(node);
  random.shuffle(leavers);
  leavers.resize(std::max(1U, hosts / 10));
  const std::uint64_t lost = world.rounds_lost();
  const TimePoint begin = world.now();
  for (const NodeIndex node : leavers) world.leave(node);
  const auto gone = [&] {
    return std::ranges::none_of(leavers, [&](NodeIndex node) { return world.host(node).is_up(); });
  };
  if (!world.run_until_true(gone, seconds(110))) {
    if (world.is_ok()) report.fail(Outcome::Unsettled, "a peer was told to leave and did not");
    return;
  }
  report.add({.name = "leavers", .value = static_cast<double>(leavers.size())});
  report.add_seconds("all_gone_seconds", world.now() - begin, seconds(90));
  if (!settle(world, seconds(60), report)) return;
  report.add_seconds("rest_seconds", world.now() - begin, seconds(100));
  report.add({.name = "rounds_lost",
              .value = static_cast<double>(world.rounds_lost() - lost),
              .at_most = 0,
              .miss = Outcome::Broken});
}

// How a fleet is moved to the next version, and back when half of it should not have been: at every
// step all is at rest with two versions side by side.
void run_upgrade(World& world, const ScenarioOptions&, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  world.run_for(seconds(30));  // so that there are rounds to lose
  const std::uint64_t lost = world.rounds_lost();
  const TimePoint begin = world.now();
  const std::uint32_t back = hosts / 2;
  if (!replace(world, hosts, Software::NextVersion, report)) return;
  add_next_version_records(world, hosts, "next_version_records", report);
  if (!replace(world, back, Software::ThisVersion, report)) return;
  add_next_version_records(world, hosts - back, "next_version_records_half_back", report);
  report.add_seconds("seconds_per_host", (world.now() - begin) / (hosts + back), seconds(60));
  report.add({.name = "rounds_lost",
              .value = static_cast<double>(world.rounds_lost() - lost),
              .at_most = 0,
              .miss = Outcome::Broken});
  report.add({.name = "false_deaths",
              .value = static_cast<double>(world.ledger().false_deaths()),
              .at_most = 0});
}

}  // namespace quadrille::sim

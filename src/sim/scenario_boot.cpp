// Scenarios boot, mass-join, steady and growth: a fleet comes to be, and then is.
#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::optional<Duration> boot_bound(std::uint32_t hosts) {
  if (hosts <= 4) return seconds(5);
  if (hosts <= 100) return seconds(45);
  if (hosts <= 1000) return seconds(75);
  return std::nullopt;
}

// Of one core, on whatever machine runs it: stated for that size only.
std::optional<double> cpu_bound(std::uint32_t hosts) {
  return hosts == 1000 ? std::optional(0.5) : std::nullopt;
}

struct Traffic {
  std::vector<double> bytes;
  std::vector<double> datagrams;
  std::vector<double> stream_bytes;
};

Traffic traffic_of(const World& world) {
  Traffic traffic;
  for (const NodeIndex node : world.up_hosts()) {
    const SimNetwork::Traffic& sent = world.network().sent_by(node);
    traffic.bytes.push_back(static_cast<double>(sent.datagram_bytes));
    traffic.datagrams.push_back(static_cast<double>(sent.datagrams));
    traffic.stream_bytes.push_back(static_cast<double>(sent.stream_bytes));
  }
  return traffic;
}

struct Rate {
  double mean = 0;
  double most = 0;
};

Rate rate(const std::vector<double>& before, const std::vector<double>& after, Duration time) {
  const double length = std::chrono::duration<double>(time).count();
  Rate found;
  for (std::size_t host = 0; host < after.size(); ++host) {
    const double one = (after[host] - before[host]) / length;
    found.mean += one / static_cast<double>(after.size());
    found.most = std::max(found.most, one);
  }
  return found;
}

void report_traffic(const Traffic& before, const Traffic& after, Duration time, Report& report) {
  const Rate bytes = rate(before.bytes, after.bytes, time);
  const Rate datagrams = rate(before.datagrams, after.datagrams, time);
  const Rate stream_bytes = rate(before.stream_bytes, after.stream_bytes, time);
  report.add({.name = "datagram_bytes_per_second_mean", .value = bytes.mean});
  report.add({.name = "datagram_bytes_per_second_most", .value = bytes.most});
  report.add({.name = "datagrams_per_second_mean", .value = datagrams.mean});
  report.add({.name = "datagrams_per_second_most", .value = datagrams.most});
  report.add({.name = "stream_bytes_per_second_mean", .value = stream_bytes.mean});
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

namespace {

// What the start stirred up dies away: until the fleet sends as much in one window as in the one
// before. After a thousand joins at once gossip has news for minutes.
void wait_for_calm(World& world, Report& report) {
  constexpr Duration window = seconds(20);
  constexpr int windows_max = 60;
  const TimePoint begin = world.now();
  const auto sent_in_window = [&] {
    const auto sum = [](const std::vector<double>& all) {
      return std::accumulate(all.begin(), all.end(), 0.0);
    };
    const double before = sum(traffic_of(world).bytes);
    world.run_for(window);
    return sum(traffic_of(world).bytes) - before;
  };
  double last = sent_in_window();
  for (int i = 1; i < windows_max && world.is_ok(); ++i)
    if (const double sent = std::exchange(last, sent_in_window()); last > 0.98 * sent) break;
  report.add_seconds("calm_seconds", world.now() - begin, windows_max * window - window);
}

}  // namespace

void run_steady(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  wait_for_calm(world, report);
  const Duration length = options.length.value_or(seconds(60));
  const std::size_t moves = world.ledger().moves().size();
  const std::uint64_t events = world.event_count();
  const Traffic before = traffic_of(world);
  const double cpu = options.cpu_seconds ? options.cpu_seconds() : 0;
  world.run_for(length);
  if (!world.is_ok()) return;
  const double time = std::chrono::duration<double>(length).count();
  if (options.cpu_seconds)
    report.add({.name = "cpu_seconds_per_second",
                .value = (options.cpu_seconds() - cpu) / time,
                .at_most = cpu_bound(hosts)});
  report.add({.name = "events_per_second",
              .value = static_cast<double>(world.event_count() - events) / time});
  report_traffic(before, traffic_of(world), length, report);
  report.add({.name = "cells_moved",
              .value = static_cast<double>(world.ledger().moves().size() - moves),
              .at_most = 0,
              .miss = Outcome::Broken});
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

// Scenario slow-edge: the path from one cell's owner to one of its readers has a hundredth of what
// the payloads would need. It must go on with differences, and hold nobody up.
#include <algorithm>
#include <map>
#include <optional>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::seconds;
using Statistics = std::map<peer::EdgeId, peer::EdgeStatistics>;

struct Place {
  peer::EdgeId edge;
  NodeIndex source = 0;
  NodeIndex reader = 0;
};

Statistics statistics_of(const World& world) {
  Statistics merged;
  for (const NodeIndex node : world.up_hosts())
    merged.merge(Statistics(world.host(node).peer().exchange().statistics()));
  return merged;
}

std::optional<NodeIndex> owner_of(const World& world, CellIndex cell) {
  for (const NodeIndex node : world.up_hosts())
    if (world.ledger().claims_of(node).contains(cell)) return node;
  return std::nullopt;
}

// The first edge between two hosts.
std::optional<Place> draw_edge(const World& world) {
  for (const auto& [edge, statistics] : statistics_of(world)) {
    const auto source = owner_of(world, edge.source);
    const auto reader = owner_of(world, edge.reader);
    if (source && reader && *source != *reader)
      return Place{.edge = edge, .source = *source, .reader = *reader};
  }
  return std::nullopt;
}

// Whether the slow path carries this edge.
bool shares_path(const World& world, const peer::EdgeId& edge, const Place& slow) {
  return owner_of(world, edge.source) == slow.source && owner_of(world, edge.reader) == slow.reader;
}

// What the edges brought that do not share the slow one's path.
struct Others {
  double payloads = 0;
  double slowest_seconds = 0;  // the longest delay that stood in the statistics at any second
};

Others run_and_watch_others(World& world, Duration length, const Place& slow) {
  Others found;
  const Statistics before = statistics_of(world);
  for (const TimePoint end = world.now() + length; world.is_ok() && world.now() < end;) {
    world.run_for(seconds(1));
    for (const auto& [edge, statistics] : statistics_of(world))
      if (!shares_path(world, edge, slow))
        found.slowest_seconds = std::max(found.slowest_seconds, in_seconds(statistics.last_delay));
  }
  for (const auto& [edge, statistics] : statistics_of(world))
    if (const auto earlier = before.find(edge);
        earlier != before.end() && !shares_path(world, edge, slow))
      found.payloads += static_cast<double>(statistics.payloads - earlier->second.payloads);
  return found;
}

}  // namespace

void run_slow_edge(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  const Duration length = options.length.value_or(seconds(1200));
  world.run_for(seconds(20));
  const auto slow = draw_edge(world);
  if (!slow) return report.fail(Outcome::Unsettled, "no edge between two hosts");
  const Others fast = run_and_watch_others(world, length / 4, *slow);
  const Statistics middle = statistics_of(world);
  // A payload a round is what the others carry. A path of no bytes a second would be a fast one.
  const double needed = static_cast<double>(world.options().toy.payload_bytes) /
                        in_seconds(world.options().toy.round_time);
  const double rate = std::max(needed / 100, 1.0);
  world.carry_out(
      {.kind = FaultKind::Slow, .node = slow->source, .other = slow->reader, .amount = rate});
  const Others now = run_and_watch_others(world, length, *slow);
  if (!world.is_ok()) return;
  const Statistics end = statistics_of(world);
  const peer::EdgeStatistics& before = middle.at(slow->edge);
  const peer::EdgeStatistics& after = end.at(slow->edge);
  report.add({.name = "slow_edge_applied",
              .value = static_cast<double>(after.payloads - before.payloads),
              .at_least = in_seconds(length) / 150});
  report.add({.name = "slow_edge_keyframes",
              .value = static_cast<double>(after.keyframes - before.keyframes),
              .at_most = 0});
  report.add({.name = "slow_edge_rounds_merged",
              .value = static_cast<double>(after.rounds_merged - before.rounds_merged)});
  report.add({.name = "other_edges_rate_ratio",
              .value = now.payloads / (4 * fast.payloads),
              .at_least = 0.95});
  report.add({.name = "other_edges_slowest_seconds_before", .value = fast.slowest_seconds});
  report.add({.name = "other_edges_slowest_seconds",
              .value = now.slowest_seconds,
              .at_most = 4 * fast.slowest_seconds + 0.05});
}

}  // namespace quadrille::sim

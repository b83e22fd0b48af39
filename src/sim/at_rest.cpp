#include "sim/at_rest.hpp"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::seconds;

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
  const double length = in_seconds(time);
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

std::string told_of(const World& world, const peer::EdgeId& edge) {
  std::ostringstream out;
  out << "the edge from cell " << edge.source << " to cell " << edge.reader;
  for (const NodeIndex node : world.up_hosts()) {
    const Host& host = world.host(node);
    for (const CellIndex cell : host.peer().training_cells()) {
      if (cell == edge.source)
        out << ", published by host " << node << " at round "
            << host.worker().round_of(cell).value_or(Round{});
      if (cell != edge.reader) continue;
      out << ", read by host " << node << " at round "
          << host.peer().exchange().newest_round(edge).value_or(Round{});
    }
  }
  out << ", brings nothing";
  return std::move(out).str();
}

}  // namespace

void check_rest(World& world, Duration length, Report& report) {
  const std::size_t moves = world.ledger().moves().size();
  const TimePoint begin = world.now();
  const EdgeRounds before = edge_rounds(world);
  const auto all_moved = [&] { return !stuck_edge(before, edge_rounds(world)); };
  const auto time = world.run_until_true(all_moved, seconds(300), seconds(1));
  world.run_until(begin + length);
  if (!world.is_ok()) return;
  report.add({.name = "edges", .value = static_cast<double>(before.size())});
  if (time)
    report.add_seconds("all_edges_moved_seconds", *time);
  else
    report.fail(Outcome::Unsettled, told_of(world, *stuck_edge(before, edge_rounds(world))));
  report.add({.name = "cells_moved_at_rest",
              .value = static_cast<double>(world.ledger().moves().size() - moves),
              .at_most = 0,
              .miss = Outcome::Broken});
}

void measure_at_rest(World& world, const ScenarioOptions& options, const RestOptions& rest,
                     Report& report) {
  wait_for_calm(world, report);
  const std::size_t moves = world.ledger().moves().size();
  const std::uint64_t events = world.event_count();
  const Traffic before = traffic_of(world);
  const double cpu = options.cpu_seconds ? options.cpu_seconds() : 0;
  world.run_for(rest.length);
  if (!world.is_ok()) return;
  const double time = in_seconds(rest.length);
  if (options.cpu_seconds)
    report.add({.name = "cpu_seconds_per_second",
                .value = (options.cpu_seconds() - cpu) / time,
                .at_most = rest.cpu_max});
  report.add({.name = "events_per_second",
              .value = static_cast<double>(world.event_count() - events) / time});
  report_traffic(before, traffic_of(world), rest.length, report);
  report.add({.name = "cells_moved",
              .value = static_cast<double>(world.ledger().moves().size() - moves),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace quadrille::sim

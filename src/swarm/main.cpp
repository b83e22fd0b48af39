// swarm-sim: runs a scenario, with toys or with real learners. The only place of the simulator that
// reads a clock: for its cost.
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sim/command_line.hpp"
#include "sim/report.hpp"
#include "sim/scenario.hpp"
#include "sim/world.hpp"
#include "swarm/lipizzaner_fleet.hpp"

namespace quadrille::swarm {
namespace {

using namespace sim;

const char* name_of(wire::EventKind kind) {
  switch (kind) {
    case wire::EventKind::Unknown:
      break;
    case wire::EventKind::Joined:
      return "joined";
    case wire::EventKind::Suspected:
      return "suspected";
    case wire::EventKind::Refuted:
      return "refuted";
    case wire::EventKind::Died:
      return "died";
    case wire::EventKind::Left:
      return "left";
    case wire::EventKind::CellGained:
      return "cell gained";
    case wire::EventKind::CellLost:
      return "cell lost";
    case wire::EventKind::CellAdopted:
      return "cell adopted";
    case wire::EventKind::GridGrew:
      return "grid grew";
    case wire::EventKind::EdgeKeyframe:
      return "edge keyframe";
    case wire::EventKind::EdgeFault:
      return "edge fault";
    case wire::EventKind::PeerIgnored:
      return "peer ignored";
    case wire::EventKind::Notice:
      return "notice";
  }
  return "unknown";
}

double cpu_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

// The most memory that this process has held, as Linux tells it; 0 elsewhere.
double peak_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return 1024 * std::stod(line.substr(6));
  return 0;
}

void print_options(const Command& command) {
  std::printf("SEED=%llu SCENARIO=%s\n", static_cast<unsigned long long>(command.world.seed),
              std::string(command.scenario->name).c_str());
  for (const auto& [key, value] : described(command))
    std::printf("  %-20s %s\n", key.c_str(), value.c_str());
  std::fflush(stdout);  // should the program itself fail, this is known
}

void print_event(const World& world, NodeIndex node, const wire::WatchEvent& event) {
  std::ostringstream line;
  line << std::chrono::duration<double>(world.now().since_start).count() << " s host " << node
       << ' ' << name_of(event.kind) << " peer " << event.peer << " cell " << event.cell << ": "
       << event.text << '\n';
  std::fputs(line.str().c_str(), stderr);
}

int refuse(const Error& error) {
  std::fprintf(stderr, "swarm-sim: %s\n", error.detail.c_str());
  return static_cast<int>(Outcome::Usage);
}

int run(Command command) {
  if (!command.json || command.print_options) print_options(command);
  if (command.print_options) return static_cast<int>(Outcome::Ok);
  std::unique_ptr<LipizzanerFleet> fleet;
  if (command.worker == "lipizzaner") {
    auto made = LipizzanerFleet::make(command.world);
    if (!made) return refuse(made.error());
    fleet = std::move(*made);
    command.world.make_worker = fleet->factory();
  }
  World world(command.world);
  if (command.events)
    world.set_news_reader(
        [&](NodeIndex node, const wire::WatchEvent& event) { print_event(world, node, event); });
  std::ofstream recording;
  if (!command.record.empty()) {
    recording.open(command.record, std::ios::binary);
    world.attach_watcher([&](Bytes bytes) {
      recording.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
    });
  }
  const double before = cpu_seconds();
  Report report = run_scenario(*command.scenario, world, command.options);
  if (fleet) fleet->add_figures(world, report);
  report.add({.name = "cpu_seconds", .value = cpu_seconds() - before});
  const ReportHead head{.scenario = std::string(command.scenario->name),
                        .seed = command.world.seed,
                        .options = described(command)};
  const std::string text =
      command.json ? to_json(head, report, world) : to_text(head, report, world);
  std::fputs(text.c_str(), stdout);
  if (!command.record.empty() && !recording.flush()) {
    std::fprintf(stderr, "swarm-sim: %s cannot be written\n", command.record.c_str());
    return static_cast<int>(Outcome::Broken);
  }
  return static_cast<int>(report.outcome());
}

int run(const std::vector<std::string>& arguments) {
  auto command = parse_command_line(arguments);
  if (!command) return refuse(command.error());
  if (!command->help.empty()) {
    std::fputs(command->help.c_str(), stdout);
    return static_cast<int>(Outcome::Ok);
  }
  command->options.cpu_seconds = cpu_seconds;
  command->options.peak_bytes = peak_bytes;
  return run(std::move(*command));
}

}  // namespace
}  // namespace quadrille::swarm

int main(int count, char** values) {
  try {
    return quadrille::swarm::run({values + 1, values + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "swarm-sim: %s\n", error.what());
  }
  return static_cast<int>(quadrille::sim::Outcome::Broken);
}

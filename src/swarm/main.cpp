// swarm-sim: runs a scenario, with toys or with real learners. The only place of the simulator that
// reads a clock: for its cost.
#include <cstdio>
#include <ctime>
#include <exception>
#include <fstream>
#include <memory>
#include <new>
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

// Beside what a run comes to (Outcome); names and numbers are those of sysexits.h.
constexpr int failed = 70;       // EX_SOFTWARE: swarm-sim itself, out of memory above all
constexpr int not_written = 74;  // EX_IOERR: what all was well in was not written

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

// First of all, and where no JSON is: should the program itself fail, this is known.
void print_seed(const Command& command) {
  std::FILE* const out = command.json && !command.print_options ? stderr : stdout;
  std::fprintf(out, "SEED=%llu SCENARIO=%s\n", static_cast<unsigned long long>(command.world.seed),
               std::string(command.scenario->name).c_str());
  std::fflush(out);
}

void print_options(const Command& command) {
  for (const auto& [key, value] : described(command))
    std::printf("  %-20s %s\n", key.c_str(), value.c_str());
  std::fflush(stdout);
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

// What a run came to, unless it was well and the telling was not.
int exit_code(Outcome outcome, bool is_written) {
  return outcome == Outcome::Ok && !is_written ? not_written : static_cast<int>(outcome);
}

bool close_recording(std::ofstream& recording, const std::string& name) {
  if (!recording.is_open()) return true;
  recording.close();
  if (recording) return true;
  std::fprintf(stderr, "swarm-sim: %s was not written whole\n", name.c_str());
  return false;
}

bool print_report(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) return true;
  std::fprintf(stderr, "swarm-sim: the report was not written whole\n");
  return false;
}

int run(Command command) {
  print_seed(command);
  if (!command.json || command.print_options) print_options(command);
  if (command.print_options) return static_cast<int>(Outcome::Ok);
  std::unique_ptr<LipizzanerFleet> fleet;
  if (command.worker == "lipizzaner") {
    auto made = LipizzanerFleet::make(command.world);
    if (!made) return refuse(made.error());
    fleet = std::move(*made);
    command.world.make_worker = fleet->factory();
  }
  std::ofstream recording;
  if (!command.record.empty()) {
    recording.open(command.record, std::ios::binary);
    if (!recording.is_open())
      return refuse({.code = ErrorCode::Usage,
                     .detail = command.record +
                               " cannot be written; --record names a file in a folder that is "
                               "there"});
  }
  World world(command.world);
  if (command.events)
    world.set_news_reader(
        [&](NodeIndex node, const wire::WatchEvent& event) { print_event(world, node, event); });
  if (recording.is_open())
    world.attach_watcher([&](Bytes bytes) {
      recording.write(reinterpret_cast<const char*>(bytes.data()),
                      static_cast<std::streamsize>(bytes.size()));
    });
  const double before = cpu_seconds();
  Report report = run_scenario(*command.scenario, world, command.options);
  if (fleet) fleet->add_figures(world, report);
  report.add({.name = "cpu_seconds", .value = cpu_seconds() - before});
  const ReportHead head{.scenario = std::string(command.scenario->name),
                        .seed = command.world.seed,
                        .options = described(command)};
  const bool is_recorded = close_recording(recording, command.record);
  const bool is_printed =
      print_report(command.json ? to_json(head, report, world) : to_text(head, report, world));
  return exit_code(report.outcome(), is_recorded && is_printed);
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
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "swarm-sim: out of memory; fewer --peers need less\n");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "swarm-sim: %s\n", error.what());
  }
  return quadrille::swarm::failed;
}

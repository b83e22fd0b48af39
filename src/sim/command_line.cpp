#include "sim/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>

#include "sim/address.hpp"
#include "wire/limits.hpp"

namespace quadrille::sim {
namespace {

// As typed; what was not typed is the scenario's business.
struct Typed {
  std::string scenario = "random";
  std::uint64_t seed = 1;
  std::uint32_t peers = 0;
  std::string grid;
  std::string worker = "toy";
  std::optional<std::uint32_t> capacity;
  std::optional<double> loss;
  std::optional<double> seconds;
  std::optional<std::size_t> payload_bytes;
  std::uint32_t crashes = 30;
  bool json = false;
  bool print_options = false;
  bool events = false;
  std::string record;
};

std::string scenario_lines() {
  std::string lines = "Scenarios:\n";
  for (const Scenario& scenario : scenarios()) {
    std::string name(scenario.name);
    name.resize(12, ' ');
    lines += "  " + name + std::string(scenario.about) + "\n";
  }
  return lines +
         "\nExit codes: 0 all is well; 1 an invariant is broken; 2 usage; 3 it did not come\n"
         "to rest, or missed a bound; a signal: swarm-sim itself failed a check.\n";
}

void add_options(CLI::App& app, Typed& typed) {
  app.add_option("--scenario", typed.scenario, "What happens; see below")->capture_default_str();
  app.add_option("--seed", typed.seed, "What all chance is drawn from")->capture_default_str();
  app.add_option("--peers", typed.peers, "How many; the default is the scenario's");
  app.add_option("--grid", typed.grid, "ROWSxCOLUMNS; default: about square, a cell each");
  app.add_option("--capacity", typed.capacity, "Cells a peer can hold; default: 4 shares");
  app.add_option("--loss", typed.loss, "Share of datagrams that are lost, 0 to 0.9");
  app.add_option("--seconds", typed.seconds, "Virtual time that the scenario measures");
  app.add_option("--crashes", typed.crashes, "Of scenario crash")->capture_default_str();
  app.add_option("--payload-bytes", typed.payload_bytes, "Size of a cell's weights, encoded");
  app.add_option("--worker", typed.worker, "What trains: toy or lipizzaner")->capture_default_str();
  app.add_option("--record", typed.record, "Writes what the first peer sees, for the overlay tool");
  app.add_flag("--events", typed.events, "Says what peers tell, as it happens, on standard error");
  app.add_flag("--json", typed.json, "One JSON object instead of lines for a person");
  app.add_flag("--print-options", typed.print_options, "Says what the seed means; runs nothing");
}

Result<GridShape> parse_grid(const std::string& text) {
  GridShape grid{.rows = 0, .columns = 0};
  int used = 0;
  const int read = std::sscanf(text.c_str(), "%ux%u%n", &grid.rows, &grid.columns, &used);
  const auto fits = [](std::uint32_t side) { return side >= 1 && side <= wire::grid_side_max; };
  if (read != 2 || used != static_cast<int>(text.size()) || !fits(grid.rows) || !fits(grid.columns))
    return failure(ErrorCode::Usage,
                   "--grid is " + text + "; it is ROWSxCOLUMNS, each 1 to 1024, such as 10x10");
  return grid;
}

Result<void> check(const Typed& typed) {
  if (find_scenario(typed.scenario) == nullptr)
    return failure(ErrorCode::Usage,
                   "--scenario " + typed.scenario + " is unknown; swarm-sim --help lists them");
  if (typed.peers == 1 || typed.peers > nodes_max / 2)
    return failure(ErrorCode::Usage, "--peers is " + std::to_string(typed.peers) + "; it is 2 to " +
                                         std::to_string(nodes_max / 2));
  if (typed.loss && !(*typed.loss >= 0 && *typed.loss <= 0.9))
    return failure(ErrorCode::Usage, "--loss is a share, 0 to 0.9");
  if (typed.seconds && !(*typed.seconds >= 1 && *typed.seconds <= 1e6))
    return failure(ErrorCode::Usage, "--seconds is 1 to 1000000");
  if (typed.capacity && (*typed.capacity < 1 || *typed.capacity > 4096))
    return failure(ErrorCode::Usage, "--capacity is 1 to 4096 cells");
  if (typed.payload_bytes && *typed.payload_bytes > std::size_t{64} << 20)
    return failure(ErrorCode::Usage, "--payload-bytes is 67108864 at most");
  if (typed.crashes < 1 || typed.crashes > 10'000)
    return failure(ErrorCode::Usage, "--crashes is 1 to 10000");
  if (std::ranges::find(worker_names, typed.worker) == worker_names.end())
    return failure(ErrorCode::Usage,
                   "--worker " + typed.worker + " is unknown; there are toy and lipizzaner");
  return {};
}

Result<Command> command_of(const Typed& typed) {
  TRY_VOID(check(typed));
  Command command;
  command.scenario = find_scenario(typed.scenario);
  command.world = options_of(*command.scenario, typed.seed, typed.peers);
  WorldOptions& world = command.world;
  if (!typed.grid.empty()) {
    TRY(grid, parse_grid(typed.grid));
    world.grid = grid;
  }
  if (typed.capacity) world.capacity = *typed.capacity;
  if (world.capacity == 0) world.capacity = default_capacity(world);
  if (typed.loss) world.network.loss = *typed.loss;
  if (typed.payload_bytes) world.toy.payload_bytes = *typed.payload_bytes;
  if (typed.seconds)
    command.options.length =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*typed.seconds));
  command.options.crashes = typed.crashes;
  command.json = typed.json;
  command.print_options = typed.print_options;
  command.events = typed.events;
  command.worker = typed.worker;
  command.record = typed.record;
  return command;
}

}  // namespace

Result<Command> parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app{"Runs many peers in virtual time and breaks them, all from one seed.", "swarm-sim"};
  Typed typed;
  add_options(app, typed);
  app.footer(scenario_lines());
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    Command command;
    command.help = app.help();
    return command;
  } catch (const CLI::ParseError& error) {
    return failure(ErrorCode::Usage, std::string(error.what()) + "; swarm-sim --help says more");
  }
  return command_of(typed);
}

std::vector<std::pair<std::string, std::string>> described(const Command& command) {
  auto lines = described(command.world);
  lines.emplace_back("worker", command.worker);
  if (command.scenario->name != "random") return lines;
  const DrawnFaults drawn = draw_faults(command.world);
  std::ranges::move(described(drawn.rates), std::back_inserter(lines));
  for (const Fault& fault : drawn.plan) lines.emplace_back("fault", text_of(fault));
  return lines;
}

}  // namespace quadrille::sim

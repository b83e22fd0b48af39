#include "sim/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>

#include "base/printed.hpp"
#include "sim/address.hpp"
#include "wire/limits.hpp"

namespace quadrille::sim {
namespace {

constexpr std::string_view toy = worker_names[0];

// As typed; what was not typed is the scenario's business.
struct Typed {
  std::string scenario = "random";
  std::uint64_t seed = 1;
  std::optional<std::uint32_t> peers;
  std::optional<std::string> grid;
  std::string worker = "toy";
  std::optional<std::uint32_t> capacity;
  std::optional<double> loss;
  std::optional<double> seconds;
  std::optional<std::size_t> payload_bytes;
  std::optional<std::uint32_t> crashes;
  bool json = false;
  bool print_options = false;
  bool events = false;
  std::optional<std::string> record;
};

std::string scenario_lines() {
  std::string lines = "Scenarios:\n";
  for (const Scenario& scenario : scenarios()) {
    std::string name(scenario.name);
    name.resize(12, ' ');
    lines += "  " + name + std::string(scenario.about) + "\n";
  }
  return lines +
         R"(
Exit codes: 0 all is well; 1 an invariant is broken, or a cell moved that had to stay;
2 usage; 3 it did not come to rest, or missed a bound; 70 swarm-sim itself failed, as
without memory; 74 the report or recording was not written; a signal: it failed a check.
)";
}

void add_options(CLI::App& app, Typed& typed) {
  app.add_option("--scenario", typed.scenario, "What happens; see below")->capture_default_str();
  app.add_option("--seed", typed.seed, "What all chance is drawn from")->capture_default_str();
  app.add_option("--peers", typed.peers, "How many; the default is the scenario's");
  app.add_option("--grid", typed.grid, "ROWSxCOLUMNS; default: about square, a cell each");
  app.add_option("--capacity", typed.capacity, "Cells a peer can hold; default: 4 shares");
  app.add_option("--loss", typed.loss, "Share of datagrams that are lost, 0 to 0.9");
  app.add_option("--seconds", typed.seconds, "Virtual time that the scenario measures");
  app.add_option("--crashes", typed.crashes, "Of scenario crash; default: 30");
  app.add_option("--payload-bytes", typed.payload_bytes, "Size of a cell's weights, encoded");
  app.add_option("--worker", typed.worker, "What trains: toy or lipizzaner")->capture_default_str();
  app.add_option("--record", typed.record,
                 "Writes what a watcher of the first peer sees; when that goes, of the next");
  app.add_flag("--events", typed.events, "Says what peers tell, as it happens, on standard error");
  app.add_flag("--json", typed.json, "One JSON object instead of lines for a person");
  app.add_flag("--print-options", typed.print_options, "Says what the seed means; runs nothing");
}

// A whole number of which nothing is left over.
std::optional<std::uint32_t> parse_side(std::string_view text) {
  std::uint32_t side = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), side);
  const bool is_whole = error == std::errc{} && end == text.data() + text.size();
  if (!is_whole || side < 1 || side > wire::grid_side_max) return std::nullopt;
  return side;
}

Result<GridShape> parse_grid(std::string_view text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const auto rows = parse_side(text.substr(0, cross));
  const auto columns = parse_side(text.substr(std::min(cross + 1, text.size())));
  if (!rows || !columns)
    return failure(
        ErrorCode::Usage,
        printed("--grid is ", text, "; it is ROWSxCOLUMNS, each 1 to 1024, such as 10x10"));
  return GridShape{.rows = *rows, .columns = *columns};
}

// What no other scenario reads.
Result<void> check_scenarios_own(const Typed& typed, const Scenario& scenario) {
  constexpr std::uint32_t hosts_max = nodes_max / 2;
  if (typed.peers && (*typed.peers < scenario.hosts_min || *typed.peers > hosts_max))
    return failure(ErrorCode::Usage,
                   printed("--peers is ", *typed.peers, "; scenario ", scenario.name, " has ",
                           scenario.hosts_min, " to ", hosts_max));
  if (typed.seconds && scenario.seconds_min == 0)
    return failure(ErrorCode::Usage, printed("--seconds is for scenarios that measure a time; ",
                                             scenario.name, " lasts as long as it takes"));
  if (typed.seconds && !(*typed.seconds >= scenario.seconds_min && *typed.seconds <= 1e6))
    return failure(ErrorCode::Usage,
                   printed("--seconds is ", *typed.seconds, "; scenario ", scenario.name,
                           " measures ", scenario.seconds_min, " to 1000000"));
  if (typed.crashes && scenario.run != run_crash)
    return failure(ErrorCode::Usage,
                   printed("--crashes is of scenario crash; this is ", scenario.name));
  if (typed.crashes && (*typed.crashes < 1 || *typed.crashes > 10'000))
    return failure(ErrorCode::Usage, "--crashes is 1 to 10000");
  if (typed.payload_bytes && *typed.payload_bytes < scenario.payload_bytes_min)
    return failure(ErrorCode::Usage,
                   printed("--payload-bytes is ", *typed.payload_bytes, "; scenario ",
                           scenario.name, " needs ", scenario.payload_bytes_min, " at least"));
  return {};
}

Result<void> check(const Typed& typed) {
  const Scenario* scenario = find_scenario(typed.scenario);
  if (scenario == nullptr)
    return failure(ErrorCode::Usage,
                   "--scenario " + typed.scenario + " is unknown; swarm-sim --help lists them");
  TRY_VOID(check_scenarios_own(typed, *scenario));
  if (typed.loss && !(*typed.loss >= 0 && *typed.loss <= 0.9))
    return failure(ErrorCode::Usage, "--loss is a share, 0 to 0.9");
  if (typed.capacity && (*typed.capacity < 1 || *typed.capacity > 4096))
    return failure(ErrorCode::Usage, "--capacity is 1 to 4096 cells");
  if (typed.payload_bytes && *typed.payload_bytes > std::size_t{64} << 20)
    return failure(ErrorCode::Usage, "--payload-bytes is 67108864 at most");
  if (typed.payload_bytes && typed.worker != toy)
    return failure(ErrorCode::Usage, "--payload-bytes is of toys; --worker " + typed.worker +
                                         " encodes real weights");
  if (typed.record && typed.record->empty())
    return failure(ErrorCode::Usage, "--record is empty; it names a file");
  if (std::ranges::find(worker_names, typed.worker) == worker_names.end())
    return failure(ErrorCode::Usage,
                   "--worker " + typed.worker + " is unknown; there are toy and lipizzaner");
  return {};
}

// That there can be a peer for every cell, and for every cell of the row that is to come.
Result<void> check_sizes(const WorldOptions& world) {
  const std::uint64_t room = std::uint64_t{world.hosts} * world.capacity;
  if (room < world.grid.cell_count())
    return failure(ErrorCode::Usage, printed("--capacity ", world.capacity, " gives ", world.hosts,
                                             " peers room for ", room, " cells; the grid has ",
                                             world.grid.cell_count()));
  const GridShape grown{.rows = world.grid.rows + 1, .columns = world.grid.columns};
  if (world.grid_rows_max > 0 &&
      (grown.rows > world.grid_rows_max || grown.cell_count() > world.hosts))
    return failure(ErrorCode::Usage,
                   printed("--grid is ", world.grid.rows, "x", world.grid.columns, "; to grow, ",
                           world.hosts, " peers need a peer for each cell of one more row, and ",
                           world.grid_rows_max, " rows at most then"));
  return {};
}

Result<Command> command_of(const Typed& typed) {
  TRY_VOID(check(typed));
  Command command;
  command.scenario = find_scenario(typed.scenario);
  command.world = options_of(*command.scenario, typed.seed, typed.peers.value_or(0));
  WorldOptions& world = command.world;
  if (typed.grid) {
    TRY(grid, parse_grid(*typed.grid));
    world.grid = grid;
  }
  if (typed.capacity) world.capacity = *typed.capacity;
  if (world.capacity == 0) world.capacity = default_capacity(world);
  TRY_VOID(check_sizes(world));
  if (typed.loss) world.network.loss = *typed.loss;
  if (typed.payload_bytes) world.toy.payload_bytes = *typed.payload_bytes;
  if (typed.seconds)
    command.options.length =
        std::chrono::duration_cast<Duration>(std::chrono::duration<double>(*typed.seconds));
  if (typed.crashes) command.options.crashes = *typed.crashes;
  command.json = typed.json;
  command.print_options = typed.print_options;
  command.events = typed.events;
  command.worker = typed.worker;
  if (command.worker != toy) world.toy.not_finite = 0;
  command.record = typed.record.value_or("");
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
  if (command.worker != toy)
    std::erase_if(lines, [](const auto& line) {
      return line.first == "payload_bytes" || line.first == "not_finite";
    });
  if (command.scenario->name != "random") return lines;
  const DrawnFaults drawn = draw_faults(command.world);
  std::ranges::move(described(drawn.rates), std::back_inserter(lines));
  std::ranges::move(described(drawn.versions), std::back_inserter(lines));
  for (const Fault& fault : drawn.plan) lines.emplace_back("fault", text_of(fault));
  return lines;
}

}  // namespace quadrille::sim

#include "sim/command_line.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <limits>

#include "base/nearest.hpp"
#include "base/option_words.hpp"
#include "base/printed.hpp"
#include "sim/address.hpp"
#include "sim/shell_word.hpp"
#include "sim/typed_number.hpp"
#include "wire/limits.hpp"

namespace quadrille::sim {
namespace {

constexpr std::string_view toy = worker_names[0];
constexpr const char* see_help = "; swarm-sim --help says more";

// Of the world's options, those that only toys read.
constexpr std::array<std::string_view, 4> keys_of_toys{"payload_bytes", "not_finite",
                                                       "failing_rounds", "failing_places"};
// Views hold no more.
constexpr std::uint32_t hosts_max = wire::members_max;
static_assert(hosts_max <= nodes_max / 2);
constexpr std::uint32_t capacity_max = 4096;

// As typed; what was not typed is the scenario's business.
struct Typed {
  std::string scenario = "random";
  std::string seed = "1";
  std::optional<std::string> peers;
  std::optional<std::string> grid;
  std::string worker{toy};
  std::optional<std::string> capacity;
  std::optional<std::string> loss;
  std::optional<std::string> seconds;
  std::optional<std::string> payload_bytes;
  std::optional<std::string> crashes;
  bool json = false;
  bool print_options = false;
  bool events = false;
  bool quiet = false;
  std::optional<std::string> record;
};

std::string scenario_lines() {
  std::string lines = "Scenarios:\n";
  for (const Scenario& scenario : scenarios()) {
    std::string name(scenario.name);
    name.resize(16, ' ');
    lines += "  " + name + std::string(scenario.about) + "\n";
  }
  return lines +
         R"(
Exit codes: 0 all is well; 1 an invariant is broken, or a cell moved that had to stay;
2 usage; 3 it did not come to rest, or missed a bound; 70 swarm-sim itself failed, as
without memory; 74 what it prints or records was not written; 129, 130, 143 a signal
stopped it; 134 it failed a check of its own.
)";
}

void add_options(CLI::App& app, Typed& typed) {
  const std::string whole = "UINT";
  const std::string real = "FLOAT";
  app.add_option("--scenario", typed.scenario, "What happens; see below")->capture_default_str();
  app.add_option("--seed", typed.seed, "What all chance is drawn from")
      ->capture_default_str()
      ->type_name(whole);
  app.add_option("--peers", typed.peers, "How many; the default is the scenario's")
      ->type_name(whole);
  app.add_option("--grid", typed.grid, "ROWSxCOLUMNS; default: about square, a cell each");
  app.add_option("--capacity", typed.capacity, "Cells a peer can hold; default: 4 shares")
      ->type_name(whole);
  app.add_option("--loss", typed.loss, "Share of datagrams that are lost, 0 to 0.9")
      ->type_name(real);
  app.add_option("--seconds", typed.seconds, "Virtual time that the scenario measures")
      ->type_name(real);
  app.add_option("--crashes", typed.crashes, "Of scenario crash; default: 30")->type_name(whole);
  app.add_option("--payload-bytes", typed.payload_bytes, "Size of a cell's weights, encoded")
      ->type_name(whole);
  app.add_option("--worker", typed.worker, "What trains: toy or lipizzaner")->capture_default_str();
  app.add_option("--record", typed.record,
                 "Writes what a watcher of the first peer sees; when that goes, of the next");
  app.option_defaults()->disable_flag_override();
  app.add_flag("--events", typed.events, "Says what peers tell, as it happens, on standard error");
  app.add_flag("--quiet", typed.quiet, "Shows no progress on standard error, nor does --events");
  app.add_flag("--json", typed.json, "One JSON object instead of lines for a person");
  app.add_flag("--print-options", typed.print_options, "Says what the seed means; runs nothing");
}

Result<GridShape> parse_grid(std::string_view text) {
  const std::size_t cross = std::min(text.find('x'), text.size());
  const TypedRange<std::uint32_t> range{.min = 1, .max = wire::grid_side_max, .before = ""};
  const auto rows = typed_number("--grid", text.substr(0, cross), range);
  const auto columns = typed_number("--grid", text.substr(std::min(cross + 1, text.size())), range);
  if (!rows || !columns)
    return failure(ErrorCode::Usage,
                   printed("--grid is ", shell_word(text), "; it is ROWSxCOLUMNS, each 1 to ",
                           wire::grid_side_max, ", such as 10x10"));
  return GridShape{.rows = *rows, .columns = *columns};
}

// "did you mean crash? ", "did you mean --scenario crash? ", or nothing.
std::string guess(std::string_view unknown, std::string_view before = "") {
  std::vector<std::string_view> names;
  for (const Scenario& scenario : scenarios()) names.push_back(scenario.name);
  const auto near = nearest_name(unknown, names);
  return near ? printed("did you mean ", before, *near, "? ") : "";
}

Result<void> check_names(const Typed& typed) {
  if (find_scenario(typed.scenario) == nullptr)
    return failure(ErrorCode::Usage,
                   printed("--scenario ", shell_word(typed.scenario), " is unknown; ",
                           guess(typed.scenario), "swarm-sim --help lists them"));
  if (std::ranges::find(worker_names, typed.worker) == worker_names.end())
    return failure(ErrorCode::Usage, printed("--worker ", shell_word(typed.worker),
                                             " is unknown; there are toy and lipizzaner"));
  if (typed.record && typed.record->empty())
    return failure(ErrorCode::Usage, "--record is empty; it names a file");
  if (typed.record && typed.record->starts_with("--"))
    return failure(ErrorCode::Usage, printed("--record is followed by ", shell_word(*typed.record),
                                             ", and names a file", see_help));
  return {};
}

// What other scenarios or workers would not read.
Result<void> check_read(const Typed& typed, const Scenario& scenario) {
  if (typed.seconds && scenario.seconds_min == 0)
    return failure(ErrorCode::Usage, printed("--seconds is ", shell_word(*typed.seconds),
                                             ", and is for scenarios that measure a time; ",
                                             scenario.name, " lasts as long as it takes"));
  if (typed.crashes && scenario.run != run_crash)
    return failure(ErrorCode::Usage,
                   printed("--crashes is ", shell_word(*typed.crashes),
                           ", and is of scenario crash; this is ", scenario.name));
  if (typed.payload_bytes && typed.worker != toy)
    return failure(ErrorCode::Usage,
                   printed("--payload-bytes is ", shell_word(*typed.payload_bytes),
                           ", and is of toys; --worker ", typed.worker, " encodes real weights"));
  return {};
}

Result<WorldOptions> world_of(const Typed& typed, const Scenario& scenario) {
  constexpr auto seed_max = std::numeric_limits<std::uint64_t>::max();
  TRY(seed,
      typed_number<std::uint64_t>("--seed", typed.seed,
                                  {.min = 0, .max = seed_max, .before = "it is a whole number, "}));
  std::uint32_t peers = 0;
  if (typed.peers) {
    TRY(typed_peers,
        typed_number<std::uint32_t>("--peers", *typed.peers,
                                    {.min = scenario.hosts_min,
                                     .max = hosts_max,
                                     .before = printed("scenario ", scenario.name, " has ")}));
    peers = typed_peers;
  }
  WorldOptions world = options_of(scenario, seed, peers);
  if (typed.grid) {
    TRY(grid, parse_grid(*typed.grid));
    world.grid = grid;
  }
  world.capacity = std::min(default_capacity(world), capacity_max);
  if (typed.capacity) {
    TRY(capacity,
        typed_number<std::uint32_t>(
            "--capacity", *typed.capacity,
            {.min = 1, .max = capacity_max, .before = "a peer holds ", .after = " cells"}));
    world.capacity = capacity;
  }
  if (typed.loss) {
    TRY(loss,
        typed_number<double>("--loss", *typed.loss,
                             {.min = 0, .max = 0.9, .before = "it is a share of datagrams, "}));
    world.network.loss = loss;
  }
  if (typed.payload_bytes) {
    TRY(payload_bytes,
        typed_number<std::size_t>("--payload-bytes", *typed.payload_bytes,
                                  {.min = scenario.payload_bytes_min,
                                   .max = std::size_t{64} << 20,
                                   .before = printed("scenario ", scenario.name, " takes ")}));
    world.toy.payload_bytes = payload_bytes;
  }
  if (typed.worker != toy) world.toy.end_faults();
  return world;
}

Result<ScenarioOptions> options_for(const Typed& typed, const Scenario& scenario) {
  ScenarioOptions options;
  if (typed.seconds) {
    TRY(length,
        typed_number<double>("--seconds", *typed.seconds,
                             {.min = static_cast<double>(scenario.seconds_min),
                              .max = 1e6,
                              .before = printed("scenario ", scenario.name, " measures ")}));
    options.length = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(length));
  }
  if (typed.crashes) {
    TRY(crashes, typed_number<std::uint32_t>(
                     "--crashes", *typed.crashes,
                     {.min = 1, .max = 10'000, .before = "scenario crash measures "}));
    options.crashes = crashes;
  }
  return options;
}

// That there can be a peer for every cell, and for every cell of the row or column that is to come.
Result<void> check_sizes(const WorldOptions& world) {
  const std::uint64_t room = std::uint64_t{world.hosts} * world.capacity;
  if (room < world.grid.cell_count())
    return failure(ErrorCode::Usage, printed("--capacity ", world.capacity, " gives ", world.hosts,
                                             " peers room for ", room, " cells; the grid has ",
                                             world.grid.cell_count()));
  if (world.growth == peer::Growth::Fixed) return {};
  GridShape grown = world.grid;
  const bool by_rows = world.growth == peer::Growth::Rows;
  const std::uint32_t side = ++(by_rows ? grown.rows : grown.columns);
  if (side > world.grid_side_max || grown.cell_count() > world.hosts)
    return failure(
        ErrorCode::Usage,
        printed("--grid is ", world.grid.rows, "x", world.grid.columns, "; to grow, ", world.hosts,
                " peers need a peer for each cell of one more ", by_rows ? "row" : "column",
                ", and ", world.grid_side_max, " ", name_of(world.growth), " at most then"));
  return {};
}

// That what the scenario is about can happen.
Result<void> check_possible(const WorldOptions& world, const ScenarioOptions& options,
                            const Scenario& scenario) {
  if (world.grid.cell_count() < scenario.cells_min)
    return failure(ErrorCode::Usage,
                   printed("--grid is ", world.grid.rows, "x", world.grid.columns, "; scenario ",
                           scenario.name, " needs ", scenario.cells_min, " cells at least"));
  if (scenario.lost_max == nullptr) return {};
  const std::uint32_t left = world.hosts - scenario.lost_max(world, options);
  const std::uint64_t room = std::uint64_t{left} * world.capacity;
  if (room < world.grid.cell_count())
    return failure(
        ErrorCode::Usage,
        printed("--capacity ", world.capacity, " gives the ", left, " peers that scenario ",
                scenario.name, " leaves room for ", room, " cells; the grid has ",
                world.grid.cell_count(), ", and nobody could take over what the dead held"));
  return {};
}

// What makes the same run again. How it is shown (--json, --events, --quiet) changes nothing in it.
std::string replay_of(const Typed& typed) {
  std::string words =
      printed("--scenario ", shell_word(typed.scenario), " --seed ", shell_word(typed.seed));
  const auto add = [&](std::string_view option, const std::optional<std::string>& value) {
    if (value) words += printed(" ", option, " ", shell_word(*value));
  };
  add("--peers", typed.peers);
  add("--grid", typed.grid);
  add("--capacity", typed.capacity);
  add("--loss", typed.loss);
  add("--seconds", typed.seconds);
  add("--crashes", typed.crashes);
  add("--payload-bytes", typed.payload_bytes);
  if (typed.worker != toy) add("--worker", typed.worker);
  add("--record", typed.record);  // a watcher's streams take part in what is drawn
  return words;
}

Result<Command> command_of(const Typed& typed) {
  TRY_VOID(check_names(typed));
  const Scenario& scenario = *find_scenario(typed.scenario);
  TRY_VOID(check_read(typed, scenario));
  TRY(world, world_of(typed, scenario));
  TRY(options, options_for(typed, scenario));
  TRY_VOID(check_sizes(world));
  TRY_VOID(check_possible(world, options, scenario));
  return Command{.scenario = &scenario,
                 .world = std::move(world),
                 .options = std::move(options),
                 .json = typed.json,
                 .print_options = typed.print_options,
                 .events = typed.events,
                 .quiet = typed.quiet,
                 .worker = typed.worker,
                 .record = typed.record.value_or(""),
                 .replay = replay_of(typed),
                 .help = {}};
}

// The first word that is no option, and what was probably meant: --scenario is easily forgotten.
std::string told_of_extras(const std::vector<std::string>& extras) {
  const std::string& word = extras.front();
  return printed(shell_word(word), " is no option of swarm-sim; ", guess(word, "--scenario "),
                 "swarm-sim --help says more");
}

std::string text_of(const std::vector<NodeIndex>& hosts) {
  if (hosts.empty()) return "none";
  std::string text = "host";
  for (const NodeIndex host : hosts) text += printed(' ', host);
  return text;
}

}  // namespace

Result<Command> parse_command_line(const std::vector<std::string>& arguments) {
  CLI::App app{"Runs many peers in virtual time and breaks them, all from one seed.", "swarm-sim"};
  Typed typed;
  add_options(app, typed);
  app.footer(scenario_lines());
  if (const auto problem = option_without_value(arguments))
    return failure(ErrorCode::Usage, *problem + see_help);
  // CLI11 takes them from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::CallForHelp&) {
    Command command;
    command.help = app.help();
    return command;
  } catch (const CLI::ExtrasError&) {
    return failure(ErrorCode::Usage, told_of_extras(app.remaining()));
  } catch (const CLI::ArgumentMismatch& error) {
    return failure(ErrorCode::Usage, told_of_mismatch(error.what()) + see_help);
  } catch (const CLI::ParseError& error) {
    return failure(ErrorCode::Usage, error.what() + std::string(see_help));
  }
  return command_of(typed);
}

std::vector<std::pair<std::string, std::string>> described(const Command& command) {
  auto lines = described(command.world);
  lines.emplace_back("worker", command.worker);
  if (command.worker != toy)
    std::erase_if(lines, [](const auto& line) {
      return std::ranges::find(keys_of_toys, line.first) != keys_of_toys.end();
    });
  if (command.scenario->name != "random") return lines;
  const DrawnFaults drawn = draw_faults(command.world);
  std::ranges::move(described(drawn.rates), std::back_inserter(lines));
  std::ranges::move(described(drawn.versions), std::back_inserter(lines));
  lines.emplace_back("lost_for_good", text_of(drawn.lost));
  for (const Fault& fault : drawn.plan) lines.emplace_back("fault", text_of(fault));
  return lines;
}

}  // namespace quadrille::sim

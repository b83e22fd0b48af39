// Scenarios crash, mass-crash and crash-seeds: machines vanish without a word.
#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/at_rest.hpp"
#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Of a fleet this large, lost machines stay lost until half are: to wait for rest after each return
// would take hours.
constexpr std::uint32_t large_fleet = 200;
// Of fewer, the median is the luck of one, and has no bound.
constexpr std::size_t median_crashes_min = 10;
// Between two losses of a row: more than a plan's quiet (PlacementOptions::plan_quiet), so that
// what one left is planned before the next is heard of.
constexpr Duration row_spacing = seconds(5);

bool sees(const World& world, NodeIndex observer, PeerId peer) {
  const peer::Member* member = world.host(observer).peer().membership().view().find(peer);
  return member != nullptr && peer::is_live(member->state());
}

struct Loss {
  NodeIndex node;
  PeerId peer;
  TimePoint at;
  std::set<CellIndex> cells;         // what it claimed
  std::vector<NodeIndex> observers;  // who may see it still
  std::optional<Duration> learned;   // from `at` until nobody did
  std::optional<Duration> owned;     // and from then until others claimed all its cells
};

// But for those that nobody has room for.
bool all_claimed(const World& world, std::set<CellIndex> cells) {
  for (const NodeIndex node : world.up_hosts())
    for (const CellIndex cell : world.ledger().claims_of(node)) cells.erase(cell);
  return cells.size() <= cells_without_room(world);
}

void follow(const World& world, Loss& loss) {
  if (world.host(loss.node).is_up()) {  // in a row, it may yet take over what others left
    loss.cells = world.ledger().claims_of(loss.node);
    return;
  }
  const auto still = [&](NodeIndex node) {
    return world.host(node).is_up() && sees(world, node, loss.peer);
  };
  while (!loss.observers.empty() && !still(loss.observers.back())) loss.observers.pop_back();
  if (!loss.observers.empty()) return;
  if (!loss.learned) loss.learned = world.now() - loss.at;
  if (!loss.owned && all_claimed(world, loss.cells))
    loss.owned = world.now() - loss.at - *loss.learned;
}

// Until all is known of each. False, and told, when that takes too long.
bool follow_all(World& world, std::vector<Loss>& losses, Report& report) {
  const Duration learned_max =
      losses.back().at - world.now() + 2 * detection_max(world.up_hosts().size());
  const auto done = [&] {
    for (Loss& loss : losses) follow(world, loss);
    return std::ranges::all_of(losses, [](const Loss& loss) { return loss.owned.has_value(); });
  };
  if (world.run_until_true(done, learned_max + seconds(60), milliseconds(20))) return true;
  if (!world.is_ok()) return false;
  const bool all_learned =
      std::ranges::all_of(losses, [](const Loss& loss) { return loss.learned.has_value(); });
  report.fail(Outcome::Unsettled, all_learned ? "a dead peer's cell was not owned again"
                                              : "a crash was not seen by everybody");
  return false;
}

// Machines that are lost at one moment, or in a row.
struct Crash {
  std::vector<Loss> losses;
  std::size_t foreign_moves = 0;
};

std::size_t foreign_moves(const World& world, std::size_t from,
                          const std::vector<NodeIndex>& victims, const std::vector<Loss>& losses) {
  std::set<CellIndex> cells;
  for (const Loss& loss : losses) cells.insert(loss.cells.begin(), loss.cells.end());
  const std::vector<Move>& moves = world.ledger().moves();
  return static_cast<std::size_t>(std::count_if(
      moves.begin() + static_cast<std::ptrdiff_t>(from), moves.end(), [&](const Move& move) {
        return std::ranges::find(victims, move.node) == victims.end() && !cells.contains(move.cell);
      }));
}

std::optional<Crash> crash(World& world, const std::vector<NodeIndex>& victims, Report& report,
                           Duration spacing = {}) {
  Crash crash;
  std::vector<Fault> faults;
  const std::size_t moves = world.ledger().moves().size();
  for (const NodeIndex victim : victims) {
    const TimePoint at = world.now() + spacing * static_cast<int>(faults.size());
    crash.losses.push_back({.node = victim,
                            .peer = world.host(victim).peer().id(),
                            .at = at,
                            .cells = world.ledger().claims_of(victim),
                            .observers = world.up_hosts(),
                            .learned = {},
                            .owned = {}});
    faults.push_back({.at = at, .kind = FaultKind::LoseMachine, .node = victim});
  }
  world.schedule(std::move(faults));
  if (!follow_all(world, crash.losses, report)) return std::nullopt;
  if (!settle(world, seconds(90), report)) return std::nullopt;
  crash.foreign_moves = foreign_moves(world, moves, victims, crash.losses);
  return crash;
}

// One leave: from the first one that knows it until the last.
void measure_leave(World& world, RandomStream& random, Report& report) {
  const std::vector<NodeIndex> up = world.up_hosts();
  const NodeIndex leaver = up[random.below(static_cast<std::uint32_t>(up.size()))];
  const PeerId gone = world.host(leaver).peer().id();
  std::vector<NodeIndex> others = up;
  std::erase(others, leaver);
  world.leave(leaver);
  const auto somebody = [&] {
    return std::ranges::any_of(others, [&](NodeIndex node) { return !sees(world, node, gone); });
  };
  if (!world.run_until_true(somebody, seconds(120), milliseconds(20))) {
    if (world.is_ok()) report.fail(Outcome::Unsettled, "a leave was never said");
    return;
  }
  const TimePoint said = world.now();
  const auto nobody = [&] {
    return std::ranges::none_of(others, [&](NodeIndex node) { return sees(world, node, gone); });
  };
  if (world.run_until_true(nobody, seconds(60), milliseconds(20)))
    report.add_seconds("leave_seen_seconds", world.now() - said, seconds(3));
  else if (world.is_ok())
    report.fail(Outcome::Unsettled, "a leave was not seen by everybody");
}

// What was lost all at once has figures of its own, and no bound of the median: the news of one
// waits for that of others.
void report_crashes(const std::vector<Crash>& crashes, std::size_t hosts, Report& report,
                    const std::string& prefix = {}) {
  std::vector<double> learned;
  std::vector<double> owned;
  std::size_t moves = 0;
  for (const Crash& crash : crashes) {
    for (const Loss& loss : crash.losses) {
      learned.push_back(in_seconds(*loss.learned));
      owned.push_back(in_seconds(*loss.owned));
    }
    moves += crash.foreign_moves;
  }
  report.add({.name = prefix + "crashes", .value = static_cast<double>(learned.size())});
  std::optional<double> median_max;
  if (prefix.empty() && learned.size() >= median_crashes_min)
    median_max = in_seconds(detection_median_max(hosts));
  report.add(
      {.name = prefix + "learned_seconds_median", .value = median(learned), .at_most = median_max});
  report.add({.name = prefix + "learned_seconds_most",
              .value = std::ranges::max(learned),
              .at_most = in_seconds(detection_max(hosts))});
  report.add({.name = prefix + "owned_again_seconds_median", .value = median(owned)});
  report.add({.name = prefix + "owned_again_seconds_most",
              .value = std::ranges::max(owned),
              .at_most = 15});
  report.add({.name = prefix + "foreign_moves",
              .value = static_cast<double>(moves),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace

// In a large fleet they stay lost until half are, and one more.
std::uint32_t lost_in_crash(const WorldOptions& world, const ScenarioOptions& options) {
  if (world.hosts <= large_fleet) return 1;
  return std::min(options.crashes, world.hosts - world.hosts / 2 + 1);
}

namespace {

std::uint32_t hundredth(std::uint32_t hosts) {
  return std::max(1U, hosts / 100);
}

std::uint32_t lost_in_row(std::uint32_t hosts, const ScenarioOptions& options) {
  return std::min(options.crashes, hundredth(hosts));
}

}  // namespace

std::uint32_t lost_in_mass_crash(const WorldOptions& world, const ScenarioOptions& options) {
  return lost_in_row(world.hosts, options) + hundredth(world.hosts);
}

void run_crash(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  RandomStream random = scenario_stream(world);
  std::vector<Crash> crashes;
  while (crashes.size() < options.crashes) {
    const std::vector<NodeIndex> up = world.up_hosts();
    const NodeIndex victim = up[random.below(static_cast<std::uint32_t>(up.size()))];
    const auto one = crash(world, {victim}, report);
    if (!one) return;
    crashes.push_back(*one);
    if (hosts > large_fleet && 2 * up.size() > hosts) continue;
    world.start(victim);
    if (!settle(world, seconds(120), report)) return;
  }
  report_crashes(crashes, hosts, report);
  measure_leave(world, random, report);
}

void run_mass_crash(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  report.add_seconds("boot_seconds", world.now() - TimePoint{});
  measure_at_rest(world, options,
                  {.length = options.length.value_or(seconds(20)), .cpu_max = std::nullopt},
                  report);
  if (!world.is_ok()) return;
  RandomStream random = scenario_stream(world);
  std::vector<NodeIndex> victims = world.up_hosts();
  random.shuffle(victims);
  victims.resize(lost_in_mass_crash(world.options(), options));
  const auto row_end = victims.begin() + lost_in_row(hosts, options);
  const auto row = crash(world, {victims.begin(), row_end}, report, row_spacing);
  if (!row) return;
  report_crashes({*row}, hosts, report);
  const TimePoint begin = world.now();
  const auto all = crash(world, {row_end, victims.end()}, report);
  if (!all) return;
  report_crashes({*all}, hosts, report, "all_");
  report.add_seconds("rest_seconds", world.now() - begin);
  report_memory(world, options, report);
}

// Meanwhile a newcomer that knows only the seeds waits for them.
void run_crash_seeds(World& world, const ScenarioOptions&, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  const NodeIndex newcomer = hosts - 1;
  if (!boot(world, hosts - 1, boot_window(hosts), report)) return;
  const std::uint32_t seeds = world.options().seed_hosts;
  for (NodeIndex node = 0; node < seeds; ++node) world.lose_machine(node);
  world.start(newcomer);
  world.run_for(seconds(60));
  const TimePoint back = world.now();
  for (NodeIndex node = 0; node < seeds; ++node) {
    world.carry_out({.kind = FaultKind::LoseDisk, .node = node});
    world.start(node);
  }
  if (!settle(world, seconds(180), report)) return;
  report.add_seconds("heal_seconds", world.now() - back, seconds(90));
  report.add({.name = "duplicate_claims",
              .value = static_cast<double>(duplicate_claims(world)),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace quadrille::sim

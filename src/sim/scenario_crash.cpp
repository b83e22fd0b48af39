// Scenarios crash and crash-seeds: machines vanish without a word.
#include <algorithm>
#include <vector>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Of a fleet this large, lost machines stay lost: to wait for rest after each would take hours.
constexpr std::uint32_t large_fleet = 200;

double in_seconds(Duration time) {
  return std::chrono::duration<double>(time).count();
}

bool sees(const World& world, NodeIndex observer, PeerId peer) {
  const peer::Member* member = world.host(observer).peer().membership().view().find(peer);
  return member != nullptr && peer::is_live(member->state);
}

// Until nobody sees it any more: from now until the last one does not.
std::optional<Duration> run_until_unseen(World& world, PeerId gone, Duration limit) {
  std::vector<NodeIndex> waiting = world.up_hosts();
  const auto nobody = [&] {
    std::erase_if(waiting, [&](NodeIndex node) {
      return !world.host(node).is_up() || !sees(world, node, gone);
    });
    return waiting.empty();
  };
  return world.run_until_true(nobody, limit, milliseconds(20));
}

struct Crash {
  double learned = 0;  // seconds until the last one knew
  double owned = 0;    // and from there until all its cells were owned again
  std::size_t foreign_moves = 0;
};

std::size_t foreign_moves(const World& world, std::size_t from, NodeIndex victim,
                          const std::set<CellIndex>& cells) {
  const std::vector<Move>& moves = world.ledger().moves();
  return static_cast<std::size_t>(std::count_if(
      moves.begin() + static_cast<std::ptrdiff_t>(from), moves.end(),
      [&](const Move& move) { return move.node != victim && !cells.contains(move.cell); }));
}

bool all_claimed(const World& world, std::set<CellIndex> cells) {
  for (const NodeIndex node : world.up_hosts())
    for (const CellIndex cell : world.ledger().claims_of(node)) cells.erase(cell);
  return cells.empty();
}

std::optional<Crash> crash_one(World& world, NodeIndex victim, Report& report) {
  const std::set<CellIndex> cells = world.ledger().claims_of(victim);
  const PeerId gone = world.host(victim).peer().id();
  const std::size_t hosts = world.up_hosts().size();
  const std::size_t moves = world.ledger().moves().size();
  world.lose_machine(victim);
  const auto learned = run_until_unseen(world, gone, 2 * detection_max(hosts));
  if (!learned) {
    if (world.is_ok()) report.fail(Outcome::Unsettled, "a crash was not seen by everybody");
    return std::nullopt;
  }
  const auto owned = world.run_until_true([&] { return all_claimed(world, cells); }, seconds(60),
                                          milliseconds(100));
  if (!owned) {
    if (world.is_ok()) report.fail(Outcome::Unsettled, "a dead peer's cell was not owned again");
    return std::nullopt;
  }
  if (!settle(world, seconds(90), report)) return std::nullopt;
  return Crash{.learned = in_seconds(*learned),
               .owned = in_seconds(*owned),
               .foreign_moves = foreign_moves(world, moves, victim, cells)};
}

// From the first one that knows it until the last.
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
  if (run_until_unseen(world, gone, seconds(60)))
    report.add_seconds("leave_seen_seconds", world.now() - said, seconds(3));
  else if (world.is_ok())
    report.fail(Outcome::Unsettled, "a leave was not seen by everybody");
}

void report_crashes(const std::vector<Crash>& crashes, std::size_t hosts, Report& report) {
  std::vector<double> learned;
  std::vector<double> owned;
  std::size_t moves = 0;
  for (const Crash& crash : crashes) {
    learned.push_back(crash.learned);
    owned.push_back(crash.owned);
    moves += crash.foreign_moves;
  }
  report.add({.name = "crashes", .value = static_cast<double>(crashes.size())});
  report.add({.name = "learned_seconds_median",
              .value = median(learned),
              .at_most = in_seconds(detection_median_max(hosts))});
  report.add({.name = "learned_seconds_most",
              .value = std::ranges::max(learned),
              .at_most = in_seconds(detection_max(hosts))});
  report.add({.name = "owned_again_seconds_median", .value = median(owned)});
  report.add({.name = "owned_again_seconds_most", .value = std::ranges::max(owned), .at_most = 15});
  report.add({.name = "foreign_moves",
              .value = static_cast<double>(moves),
              .at_most = 0,
              .miss = Outcome::Broken});
}

}  // namespace

void run_crash(World& world, const ScenarioOptions& options, Report& report) {
  const std::uint32_t hosts = world.options().hosts;
  if (!boot(world, hosts, boot_window(hosts), report)) return;
  RandomStream random = scenario_stream(world);
  std::vector<Crash> crashes;
  while (crashes.size() < options.crashes) {
    const std::vector<NodeIndex> up = world.up_hosts();
    const NodeIndex victim = up[random.below(static_cast<std::uint32_t>(up.size()))];
    const auto crash = crash_one(world, victim, report);
    if (!crash) return;
    crashes.push_back(*crash);
    if (hosts > large_fleet) continue;
    world.start(victim);
    if (!settle(world, seconds(120), report)) return;
  }
  report_crashes(crashes, hosts, report);
  measure_leave(world, random, report);
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

// Scenario random: a world and its faults drawn from one seed. First anything may fail (safety),
// then nothing does any more (liveness), and everything must come to rest and stay there.
#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/at_rest.hpp"
#include "sim/scenario.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

double between(RandomStream& random, double least, double most) {
  return least + (most - least) * random.uniform();
}

// Small ones and large ones alike, on a scale of ratios.
std::uint32_t draw_hosts(RandomStream& random) {
  return static_cast<std::uint32_t>(
      std::round(std::exp(between(random, std::log(4.0), std::log(100.0)))));
}

Duration draw_microseconds(RandomStream& random, double least, double most) {
  return microseconds(
      static_cast<std::int64_t>(std::exp(between(random, std::log(least), std::log(most)))));
}

NetworkQuality draw_quality(RandomStream& random) {
  NetworkQuality quality;
  const std::uint32_t kind = random.below(4);
  quality.loss = kind == 0 ? 0 : between(random, 0, kind == 3 ? 0.2 : 0.05);
  quality.duplication = random.below(2) == 0 ? 0 : between(random, 0, 0.1);
  quality.delay = draw_microseconds(random, 100, 40'000);
  quality.jitter = draw_microseconds(random, 100, 40'000);
  quality.straggling = random.below(2) == 0 ? 0 : between(random, 0, 0.05);
  quality.straggle = milliseconds(50 + random.below(900));
  return quality;
}

// As many cells as peers, or fewer, or more.
std::uint32_t draw_cells(RandomStream& random, std::uint32_t hosts) {
  const std::uint32_t kind = random.below(4);
  if (kind == 0) return std::max(1U, hosts - random.below(1 + hosts / 3));
  if (kind == 1) return std::min(4 * hosts, hosts + random.below(3 * hosts));
  return hosts;
}

// For ten minutes once in a while: it takes as long to simulate as all that came before.
Duration draw_rest(const World& world) {
  RandomStream random(stream_key(world.options().seed, "rest", 0));
  return random.below(8) == 0 ? seconds(600) : seconds(30);
}

// Of cells, in some worlds. Drawn from a stream of its own: the others go as if nobody had asked.
void prepare_failures(WorldOptions& options) {
  RandomStream random(stream_key(options.seed, "failing cells", 0));
  if (random.below(4) != 0) return;
  options.toy.failing_rounds = between(random, 0, 0.003);
  options.toy.failing_places = between(random, 0, 0.1);
  options.toy.failing_draw = random.next_u64();
}

}  // namespace

void prepare_random(WorldOptions& options) {
  RandomStream random(stream_key(options.seed, "world", 0));
  const std::uint32_t drawn = draw_hosts(random);
  if (options.hosts == 0) options.hosts = drawn;
  options.seed_hosts = 1 + random.below(std::min(3U, options.hosts));
  options.grid = square_grid(draw_cells(random, options.hosts));
  options.network = draw_quality(random);
  options.minority_brake = random.below(4) == 0;
  options.understudy_every = {.index = 1 + random.below(20)};
  options.drift_ppm = random.below(2) == 0 ? 0 : 200;
  options.clock_error = random.below(2) == 0 ? seconds(0) : seconds(3600);
  options.other_hosts = random.below(4) == 0 ? 1 + random.below(3) : 0;
  options.toy.synchronous = random.below(4) == 0;
  options.toy.checkpoint_every = 1 + random.below(20);
  // A synchronous cell waits for the very round that it cannot take: for ever, as it must.
  const bool has_faulty_payloads = random.below(4) == 0 && !options.toy.synchronous;
  options.toy.not_finite = has_faulty_payloads ? 0.02 : 0;
  options.toy.payload_bytes = std::size_t{256} << random.below(8);
  prepare_failures(options);
}

DrawnFaults draw_faults(const WorldOptions& options) {
  RandomStream random(stream_key(options.seed, "faults", 0));
  DrawnFaults drawn{.rates = draw_rates(random), .window = milliseconds(random.below(15'000))};
  drawn.plan = draw_plan(drawn.rates, options.hosts, TimePoint{} + drawn.window, random);
  RandomStream versions(stream_key(options.seed, "software", 0));
  drawn.versions = draw_versions(versions);
  drawn.next_version =
      draw_first_versions(drawn.versions, options.hosts + options.other_hosts, versions);
  add_version_changes(drawn.versions, drawn.plan, versions);
  RandomStream losses(stream_key(options.seed, "lost hosts", 0));
  drawn.lost = draw_lost(options, losses);
  return drawn;
}

void run_random(World& world, const ScenarioOptions&, Report& report) {
  DrawnFaults drawn = draw_faults(world.options());
  for (const NodeIndex node : drawn.next_version) world.install(node, Software::NextVersion);
  schedule_starts(world, world.host_count(), drawn.window);
  world.schedule(std::move(drawn.plan));
  world.run_for(drawn.window + drawn.rates.length);

  const bool had_faulty_payloads = world.options().toy.not_finite > 0;
  // Liveness: what the network always is remains, what fails has an end, but for machines that are
  // lost for good: the others have room for everything.
  NetworkQuality quality = world.options().network;
  quality.loss = std::min(quality.loss, 0.05);
  world.end_all_faults(quality, drawn.lost);
  const TimePoint healthy = world.now();
  if (!settle(world, detection_max(world.options().hosts) + seconds(180), report)) return;
  report.add_seconds("rest_seconds", world.now() - healthy);
  // An edge that brought three payloads which were not finite is passed over for a minute.
  if (had_faulty_payloads) world.run_until(healthy + seconds(70));
  check_rest(world, draw_rest(world), report);
  report.add({.name = "rounds_lost", .value = static_cast<double>(world.rounds_lost())});
  report.add({.name = "false_deaths", .value = static_cast<double>(world.ledger().false_deaths())});
}

}  // namespace quadrille::sim

// One world twice is the same to the last event, and what happens to hosts happens.
#include "sim/world.hpp"

#include <algorithm>
#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <iterator>
#include <memory>
#include <utility>
#include <variant>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"
#include "sim/toy_worker.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(world)

namespace {

using std::chrono::seconds;

WorldOptions small_world(std::uint64_t seed) {
  WorldOptions options = options_of(*find_scenario("steady"), seed, 6);
  options.network.loss = 0.05;
  options.network.duplication = 0.05;
  options.capacity = 4;
  return options;
}

struct Booted {
  explicit Booted(std::uint64_t seed = 1) : world(small_world(seed)) {
    Report report;
    const bool rested = boot(world, 6, std::chrono::milliseconds(100), report);
    BOOST_TEST_REQUIRE(rested, (report.reasons().empty() ? "" : report.reasons().front()));
  }
  World world;
};

std::uint64_t history(std::uint64_t seed) {
  World world(small_world(seed));
  schedule_starts(world, 6, seconds(1));
  world.run_until({seconds(10)});
  world.lose_machine(4);
  world.run_until({seconds(40)});
  BOOST_TEST(world.is_ok());
  return world.history_hash();
}

// A toy of which some bytes that nobody acts upon can be other ones: the last byte of one payload,
// which is padding and travels on a stream; or how fit a cell is, which travels in datagrams.
struct Altered {
  std::byte payload{};
  double fitness = 0;
};
class AlteredToy final : public SimWorker {
 public:
  AlteredToy(Altered altered, const WorkerSeat& seat)
      : SimWorker(seat.options, seat.self, seat.events),
        altered_(altered),
        toy_(seat.options, seat.self, seat.grid, seat.disk, steps_, seat.random) {}

  void on_round_end(CellIndex cell, TimePoint now, Reports& reports) override {
    toy_.on_round_end(cell, now, reports);
    alter(reports);
  }
  std::optional<Round> round_of(CellIndex cell) const override { return toy_.round_of(cell); }

 private:
  void carry_out(const peer::WorkerCommand& command, TimePoint now, Reports& reports) override {
    toy_.submit(command, now);
    toy_.on_step(now, reports);
    std::ranges::move(std::exchange(toy_.starts(), {}), std::back_inserter(starts_));
    // Its steps are taken here, at once; its rounds take their time.
    while (!steps_.empty()) {
      const EventQueue::Entry next = steps_.pop();
      if (next.event.kind == EventKind::RoundEnd) events_.push(next.time, next.event);
    }
    alter(reports);
  }
  void alter(Reports& reports) {
    for (peer::WorkerReport& report : reports) {
      if (auto* encoded = std::get_if<peer::PayloadEncoded>(&report);
          encoded != nullptr && self_.node == 0 && encoded->round.index == 5) {
        ByteBuffer bytes = *encoded->payload;
        bytes.back() = altered_.payload;
        encoded->payload = std::make_shared<const ByteBuffer>(std::move(bytes));
      }
      if (auto* said = std::get_if<peer::CellStatusReport>(&report); said != nullptr)
        said->status.discriminator_fitness = altered_.fitness;
    }
  }

  Altered altered_;
  EventQueue steps_;
  ToyWorker toy_;
};

struct Past {
  std::uint64_t hash = 0;
  std::uint64_t events = 0;
};
Past past_with(Altered altered) {
  WorldOptions options = small_world(1);
  options.make_worker = [=](const WorkerSeat& seat) {
    return std::make_unique<AlteredToy>(altered, seat);
  };
  World world(options);
  schedule_starts(world, 6, seconds(1));
  world.run_until({seconds(30)});
  BOOST_TEST(world.is_ok());
  BOOST_TEST(!edge_rounds(world).empty());
  return {.hash = world.history_hash(), .events = world.event_count()};
}

NodeIndex owner_of(const World& world, CellIndex cell) {
  const PeerId owner = owners(world).at(cell);
  for (const NodeIndex node : world.up_hosts())
    if (world.host(node).peer().id() == owner) return node;
  BOOST_FAIL("the owner is not up");
  return 0;
}

// The edges that brought a later round within a minute; of the others, those that a stream between
// their owners could have served.
struct Progress {
  std::size_t moved = 0;
  std::size_t could_have = 0;
  std::size_t could_not = 0;
};
Progress progress_in_a_minute(World& world) {
  const auto before = edge_rounds(world);
  world.run_for(seconds(60));
  const auto after = edge_rounds(world);
  Progress progress;
  for (const auto& [edge, round] : before) {
    const bool is_open =
        world.network().can_stream(owner_of(world, edge.source), owner_of(world, edge.reader));
    ++(after.at(edge) > round ? progress.moved
       : is_open              ? progress.could_have
                              : progress.could_not);
  }
  return progress;
}

}  // namespace

BOOST_AUTO_TEST_CASE(one_seed_twice_is_one_history) {
  BOOST_TEST(history(1) == history(1));
  BOOST_TEST(history(1) != history(2));
}

BOOST_AUTO_TEST_CASE(a_history_is_of_what_was_sent_to_the_last_byte) {
  const Past one = past_with({.payload = std::byte{1}, .fitness = 1});
  BOOST_TEST(past_with({.payload = std::byte{1}, .fitness = 1}).hash == one.hash);
  const Past payload = past_with({.payload = std::byte{2}, .fitness = 1});
  BOOST_TEST(payload.events == one.events);
  BOOST_TEST(payload.hash != one.hash);
  const Past fitness = past_with({.payload = std::byte{1}, .fitness = 2});
  BOOST_TEST(fitness.events == one.events);
  BOOST_TEST(fitness.hash != one.hash);
}

BOOST_AUTO_TEST_CASE(six_peers_come_to_rest_with_one_owner_for_every_cell) {
  Booted f;
  BOOST_TEST(owners(f.world).size() == 6U);
  BOOST_TEST(duplicate_claims(f.world) == 0U);
  BOOST_TEST(grid_is_full(f.world));
  BOOST_TEST(f.world.ledger().false_deaths() == 0U);
}

BOOST_AUTO_TEST_CASE(every_edge_brings_rounds) {
  Booted f;
  f.world.run_for(seconds(10));
  const auto rounds = edge_rounds(f.world);
  // 2 x 3: three neighbours each.
  BOOST_TEST(rounds.size() == 18U);
  for (const auto& [edge, round] : rounds) BOOST_TEST(round.index >= 4U);
}

BOOST_AUTO_TEST_CASE(a_killed_process_that_starts_again_is_another_peer_with_the_old_disk) {
  Booted f;
  f.world.run_for(seconds(20));
  const PeerId before = f.world.host(3).peer().id();
  const Disk disk = f.world.host(3).disk();
  BOOST_TEST(!disk.checkpoints.empty());
  f.world.kill_process(3);
  BOOST_TEST(!f.world.host(3).is_up());
  f.world.start(3);
  BOOST_TEST((f.world.host(3).peer().id() != before));
  BOOST_TEST((f.world.host(3).disk().checkpoints == disk.checkpoints));
  BOOST_TEST(run_until_rest(f.world, seconds(120)).has_value());
}

BOOST_AUTO_TEST_CASE(a_paused_host_takes_nothing_and_then_everything) {
  Booted f;
  const auto round = [&] { return edge_rounds(f.world); };
  f.world.pause(2);
  const auto before = f.world.host(2).peer().exchange().statistics();
  f.world.run_for(seconds(2));
  const auto paused = f.world.host(2).peer().exchange().statistics();
  for (const auto& [edge, statistics] : paused)
    BOOST_TEST(statistics.payloads == before.at(edge).payloads);
  f.world.resume(2);
  f.world.run_for(seconds(5));
  for (const auto& [edge, statistics] : f.world.host(2).peer().exchange().statistics())
    BOOST_TEST(statistics.payloads > paused.at(edge).payloads);
  BOOST_TEST(!round().empty());
}

BOOST_AUTO_TEST_CASE(a_host_that_leaves_ends_its_process_and_its_cells_go_to_others) {
  Booted f;
  f.world.leave(5);
  BOOST_TEST(
      f.world.run_until_true([&] { return !f.world.host(5).is_up(); }, seconds(60)).has_value());
  BOOST_TEST(run_until_rest(f.world, seconds(60)).has_value());
  BOOST_TEST(owners(f.world).size() == 6U);
}

// What its neighbours hold of it is at most two rounds older than what it published last.
BOOST_AUTO_TEST_CASE(cells_that_fail_go_on_elsewhere_from_what_a_neighbour_holds) {
  WorldOptions options = small_world(1);
  options.toy.failing_rounds = 0.005;
  World world(options);
  std::uint64_t failures = 0;
  world.set_news_reader([&](NodeIndex, const wire::WatchEvent& event) {
    if (event.text == "it has diverged") ++failures;
  });
  schedule_starts(world, 6, seconds(1));
  world.run_for(seconds(100));
  world.end_all_faults(options.network);
  BOOST_TEST(run_until_rest(world, seconds(120)).has_value());
  BOOST_TEST(failures >= 2U);
  BOOST_TEST(world.rounds_lost() <= 2 * failures);
  BOOST_TEST(grid_is_full(world));
  BOOST_TEST(duplicate_claims(world) == 0U);
}

// Each host tries each cell once.
BOOST_AUTO_TEST_CASE(a_cell_that_fails_on_most_hosts_ends_on_one_where_it_does_not) {
  WorldOptions options = small_world(1);
  options.grid = {.rows = 1, .columns = 2};
  options.toy.failing_places = 0.6;
  World world(options);
  schedule_starts(world, 6, seconds(1));
  world.run_for(seconds(1));
  BOOST_TEST(run_until_rest(world, seconds(300)).has_value());
  BOOST_TEST(grid_is_full(world));
  world.run_for(seconds(10));
  for (const auto& [edge, round] : edge_rounds(world)) BOOST_TEST(round.index >= 4U);
}

// L6 under faults that do not end. Nobody relays payloads: who cannot be reached is not read, is
// alive by what others say of it, and is dialled for ever; all else goes on.
BOOST_AUTO_TEST_CASE(a_path_that_stays_blocked_costs_its_own_edges_and_nothing_else) {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 9);
  options.capacity = 4;
  World world(options);
  Report report;
  BOOST_TEST_REQUIRE(boot(world, 9, std::chrono::milliseconds(100), report));
  const Owners settled = owners(world);
  const auto mute = [&](std::uint32_t from, std::uint32_t to) {
    world.carry_out(
        {.kind = FaultKind::Mute, .node = owner_of(world, {from}), .other = owner_of(world, {to})});
  };
  mute(0, 1);
  mute(1, 0);
  mute(4, 5);  // one way, which no stream survives either
  world.run_for(seconds(120));
  const auto rounds = [&](std::uint32_t cell) {
    return world.host(owner_of(world, {cell})).worker().round_of({cell})->index;
  };
  std::vector<std::uint64_t> before;
  for (std::uint32_t cell = 0; cell < 9; ++cell) before.push_back(rounds(cell));
  const Progress blocked = progress_in_a_minute(world);
  BOOST_TEST(blocked.moved == 32U);  // of 9 cells with 4 neighbours each
  BOOST_TEST(blocked.could_have == 0U);
  BOOST_TEST(blocked.could_not == 4U);
  for (std::uint32_t cell = 0; cell < 9; ++cell) BOOST_TEST(rounds(cell) >= before[cell] + 40);
  BOOST_TEST(unrest(world).value_or("") == "");
  BOOST_TEST(moved(settled, owners(world)) == 0U);
  BOOST_TEST(world.ledger().false_deaths() == 0U);

  world.carry_out({.kind = FaultKind::ClearLinks});
  world.run_for(seconds(60));  // the longest pause between two dials
  BOOST_TEST(progress_in_a_minute(world).moved == 36U);
}

// Blocked before anybody has met anybody; a quarter of all pairs cannot speak. That is no rest: two
// of them doubt each other now and then, and cannot hand a cell over to level their loads.
BOOST_DATA_TEST_CASE(a_fleet_begins_and_trains_where_many_paths_are_blocked_for_good,
                     boost::unit_test::data::xrange(1, 11)) {
  WorldOptions options = small_world(static_cast<std::uint64_t>(sample));
  options.hosts = 12;
  options.grid = {.rows = 3, .columns = 4};
  World world(options);
  RandomStream random(stream_key(options.seed, "blocked", 0));
  for (int i = 0; i < 17; ++i) {
    const NodeIndex from = random.below(12);
    const NodeIndex to = random.below(12);
    if (from == to) continue;
    world.carry_out({.kind = FaultKind::Mute, .node = from, .other = to});
    if (i % 2 == 0) world.carry_out({.kind = FaultKind::Mute, .node = to, .other = from});
  }
  schedule_starts(world, 12, seconds(1));
  world.run_for(seconds(180));
  BOOST_TEST(world.is_ok());
  BOOST_TEST(grid_is_full(world));
  BOOST_TEST(duplicate_claims(world) == 0U);
  BOOST_TEST(world.ledger().false_deaths() == 0U);
  BOOST_TEST(progress_in_a_minute(world).could_have == 0U);
}

BOOST_AUTO_TEST_CASE(a_violation_stops_the_world) {
  Booted f;
  f.world.violate({.invariant = "I3", .node = 1, .text = "for the test"});
  const TimePoint stopped = f.world.now();
  f.world.run_for(seconds(10));
  BOOST_TEST((f.world.now() == stopped));
  BOOST_TEST((f.world.violation()->time == stopped));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

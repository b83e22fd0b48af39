// A real learner's checkpoints in the simulated world.
#include "swarm/learner_in_world.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "swarm/lipizzaner_fleet.hpp"

namespace quadrille::swarm {
BOOST_AUTO_TEST_SUITE(checkpoints)

namespace {

constexpr CellIndex cell{0};

sim::WorldOptions small_world() {
  sim::WorldOptions world;
  world.grid = {.rows = 2, .columns = 2};
  world.toy.checkpoint_every = 1;
  return world;
}

// One host's worker, with its disk.
struct Machine {
  Machine() {
    fleet = std::move(*LipizzanerFleet::make(options));
    worker = fleet->factory()({.options = options.toy,
                               .self = {},
                               .grid = grid,
                               .disk = disk,
                               .events = events,
                               .random = RandomStream(1)});
  }
  void command(peer::WorkerCommand what) {
    worker->submit(std::move(what), now);
    while (!events.empty()) step();
  }
  void step() {
    const sim::EventQueue::Entry next = events.pop();
    now = next.time;
    if (next.event.kind == sim::EventKind::WorkerStep)
      worker->on_step(now, reports);
    else
      worker->on_round_end({next.event.subject}, now, reports);
  }
  template <class Report>
  std::vector<Report> take() {
    std::vector<Report> found;
    for (const peer::WorkerReport& each : std::exchange(reports, {}))
      if (const auto* report = std::get_if<Report>(&each)) found.push_back(*report);
    return found;
  }

  sim::WorldOptions options = small_world();
  peer::Grid grid{.epoch = {.epoch = 0, .rows = 2, .columns = 2}, .stride = 2};
  sim::Disk disk;
  sim::EventQueue events;
  TimePoint now;
  std::vector<peer::WorkerReport> reports;
  std::unique_ptr<LipizzanerFleet> fleet;
  std::unique_ptr<sim::SimWorker> worker;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_checkpoint_is_told_of_and_makes_way_for_the_state_that_is_taken_over) {
  Machine donor;
  donor.command(peer::StartCell{cell, peer::StartFresh{}});
  donor.command(peer::AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST((donor.take<peer::CellStored>().back().round == Round{1}));
  donor.command(peer::SaveState{.cell = cell, .request = 1});
  const auto state = donor.take<peer::ObjectReady>().back();

  Machine taker;
  taker.disk.checkpoints[cell] = {78};
  taker.disk.states[cell] = ByteBuffer(1);
  taker.command(peer::StartCell{cell, peer::StartFromState{state.payload}});
  const auto stored = taker.take<peer::CellStored>();
  BOOST_REQUIRE(!stored.empty());
  BOOST_TEST((stored.front().round == Round{1}));
  BOOST_TEST((taker.disk.checkpoints.at(cell) == Round{1}));
  BOOST_TEST((taker.disk.states.at(cell) == *state.payload));
}

BOOST_AUTO_TEST_CASE(a_fresh_start_leaves_no_checkpoint_of_a_former_life) {
  Machine machine;
  machine.disk.checkpoints[cell] = {78};
  machine.disk.states[cell] = ByteBuffer(1);
  machine.worker->submit(peer::StartCell{cell, peer::StartFresh{}}, machine.now);
  machine.step();  // and its first round is not over
  BOOST_TEST(machine.disk.checkpoints.empty());
  BOOST_TEST(machine.disk.states.empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::swarm

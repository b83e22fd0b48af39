// A real learner on its seat in the world: what it notes for those who check the world.
#include "swarm/learner_in_world.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>
#include <vector>

#include "swarm/lipizzaner_fleet.hpp"

namespace quadrille::swarm {
namespace {

constexpr CellIndex cell_of_seat{0};

// A machine with a disk, and nothing else in its world.
struct Seat {
  Seat(LipizzanerFleet& fleet, sim::NodeIndex node)
      : worker(fleet.factory()({.options = options,
                                .self = {.node = node},
                                .grid = grid,
                                .disk = disk,
                                .events = events,
                                .random = RandomStream(1)})) {}

  void order(peer::WorkerCommand command) {
    worker->submit(std::move(command), now);
    const TimePoint end = now + std::chrono::seconds(2);
    while (!events.empty() && events.next().time <= end) {
      const sim::EventQueue::Entry next = events.pop();
      now = next.time;
      if (next.event.kind == sim::EventKind::WorkerStep)
        worker->on_step(now, reports);
      else
        worker->on_round_end({next.event.subject}, now, reports);
    }
    now = end;
  }
  peer::Payload save(std::uint32_t request, bool park) {
    order(peer::SaveState{.cell = cell_of_seat, .request = request, .park = park});
    for (const peer::WorkerReport& report : reports)
      if (const auto* ready = std::get_if<peer::ObjectReady>(&report))
        if (ready->request == request) return ready->payload;
    return nullptr;
  }

  sim::ToyOptions options;
  peer::Grid grid;
  sim::Disk disk;
  sim::EventQueue events;
  TimePoint now;
  std::vector<peer::WorkerReport> reports;
  std::unique_ptr<sim::SimWorker> worker;
};

struct FleetOfFour {
  FleetOfFour() {
    sim::WorldOptions world;
    world.grid = {.rows = 2, .columns = 2};
    auto made = LipizzanerFleet::make(world);
    BOOST_REQUIRE(made.has_value());
    fleet = std::move(*made);
  }
  // How the cell began on that seat, from what it was given.
  sim::SimWorker::Start start(Seat& seat, peer::StartOrigin origin) {
    seat.order(peer::StartCell{.cell = cell_of_seat, .origin = std::move(origin)});
    BOOST_REQUIRE(seat.worker->starts().size() == 1U);
    return seat.worker->starts().front();
  }

  std::unique_ptr<LipizzanerFleet> fleet;
};

BOOST_FIXTURE_TEST_SUITE(learner_in_world, FleetOfFour)

BOOST_AUTO_TEST_CASE(a_cell_that_begins_from_a_handed_over_state_tells_by_whom) {
  Seat owner(*fleet, 7);
  BOOST_TEST(!start(owner, peer::StartFresh{}).state.has_value());
  const peer::Payload state = owner.save(1, true);
  BOOST_REQUIRE(state != nullptr);
  Seat next(*fleet, 9);
  const auto begun = start(next, peer::StartFromState{state});
  BOOST_REQUIRE(begun.state.has_value());
  BOOST_TEST(begun.state->is_handover);
  BOOST_TEST(begun.state->saved_by == 7U);
}

// As it came, to the byte: whom it was from last counts.
BOOST_AUTO_TEST_CASE(a_state_that_is_handed_on_is_of_who_handed_it_on) {
  Seat first(*fleet, 7);
  start(first, peer::StartFresh{});
  Seat second(*fleet, 8);
  start(second, peer::StartFromState{first.save(1, true)});
  Seat third(*fleet, 9);
  BOOST_TEST(start(third, peer::StartFromState{second.save(1, true)}).state->saved_by == 8U);
}

BOOST_AUTO_TEST_CASE(a_copy_is_not_handed_over) {
  Seat owner(*fleet, 7);
  start(owner, peer::StartFresh{});
  const peer::Payload copy = owner.save(1, false);
  Seat understudy(*fleet, 8);
  understudy.order(peer::KeepState{.cell = cell_of_seat, .round = {}, .state = copy});
  Seat next(*fleet, 9);
  const auto begun = start(next, peer::StartFromState{understudy.save(1, true)});
  BOOST_REQUIRE(begun.state.has_value());
  BOOST_TEST(!begun.state->is_handover);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace quadrille::swarm

// A real cell moves from one worker to another, or is adopted from what a neighbour held.
#include <boost/test/unit_test.hpp>
#include <memory>

#include "swarm/lipizzaner_fleet.hpp"
#include "worker/learner_worker.hpp"
#include "worker/object_bytes.hpp"

namespace quadrille::swarm {
namespace {

using namespace peer;

struct Device {
  explicit Device(LipizzanerFleet& fleet)
      : learner(fleet.make_learner()), worker(*learner, worker::WorkerOptions{}, {}) {}

  std::vector<WorkerReport> carry_out(const WorkerCommand& command) {
    std::vector<WorkerReport> reports;
    worker.carry_out(command, reports);
    while (worker.advance({.steps = 1U << 20}, reports)) {
    }
    return reports;
  }
  // The only report of its kind.
  template <class Report>
  Report order(const WorkerCommand& command) {
    std::vector<Report> found;
    for (const WorkerReport& each : carry_out(command))
      if (const auto* report = std::get_if<Report>(&each)) found.push_back(*report);
    BOOST_REQUIRE_EQUAL(found.size(), 1U);
    return found.front();
  }
  void pass(EdgeId edge, Device& to) {
    const auto encoded = order<PayloadEncoded>(EncodePayload{.edge = edge, .round = {}});
    const auto taken = to.order<PayloadTaken>(ApplyPayload{.edge = edge,
                                                           .round = encoded.round,
                                                           .version = encoded.version,
                                                           .payload = encoded.payload,
                                                           .exact = encoded.exact,
                                                           .heard = encoded.heard});
    BOOST_REQUIRE(!taken.fault);
  }

  std::unique_ptr<Learner> learner;
  worker::LearnerWorker worker;
};

constexpr CellIndex cell{0};
constexpr CellIndex neighbour{1};
constexpr EdgeId edge{.source = neighbour, .reader = cell};
constexpr EdgeId back{.source = cell, .reader = neighbour};

struct TwoDevices {
  TwoDevices() {
    sim::WorldOptions world;
    world.grid = {.rows = 2, .columns = 2};
    auto made = LipizzanerFleet::make(world);
    BOOST_REQUIRE(made.has_value());
    fleet = std::move(*made);
    first = std::make_unique<Device>(*fleet);
    second = std::make_unique<Device>(*fleet);
    first->carry_out(StartCell{cell, StartFresh{}});
    second->carry_out(StartCell{neighbour, StartFresh{}});
    open(*first);
    second->carry_out(OpenSendingEdge{edge});
    second->carry_out(OpenReceivingEdge{back});
    first->carry_out(OpenSendingEdge{back});
    for (int generation = 0; generation < 4; ++generation) {
      second->pass(edge, *first);
      first->pass(back, *second);
      train(*first);
    }
  }
  static void open(Device& device) { device.carry_out(OpenReceivingEdge{edge}); }
  void train(Device& device) const {
    device.carry_out(
        AdvanceCell{.cell = cell, .snapshots = {{.edge = edge, .round = {}}}, .chunks = {}});
  }

  std::unique_ptr<LipizzanerFleet> fleet;
  std::unique_ptr<Device> first;
  std::unique_ptr<Device> second;
};

BOOST_FIXTURE_TEST_SUITE(handover, TwoDevices)

BOOST_AUTO_TEST_CASE(a_cell_that_moves_loses_no_generation_and_no_bit) {
  const auto state = first->order<ObjectReady>(SaveState{.cell = cell, .request = 1, .park = true});
  BOOST_REQUIRE(state.payload != nullptr);
  BOOST_TEST(state.round == Round{4});
  Device third(*fleet);
  const auto started = third.order<CellStarted>(StartCell{cell, StartFromState{state.payload}});
  BOOST_TEST(started.round == Round{4});
  open(third);
  second->carry_out(CloseSendingEdge{edge});
  second->carry_out(OpenSendingEdge{edge});
  second->pass(edge, third);
  train(third);
  BOOST_TEST((*third.worker.round_of(cell) == Round{5}));

  // Where it came from, the same generation comes to the same bits.
  first->carry_out(ResumeCell{cell});
  train(*first);
  const auto bytes = [](Device& device) {
    return *device.order<ObjectReady>(SaveState{.cell = cell, .request = 2}).payload;
  };
  BOOST_TEST((bytes(third) == bytes(*first)));
}

BOOST_AUTO_TEST_CASE(a_cell_is_adopted_from_what_its_neighbour_held) {
  const auto packed = second->order<ObjectReady>(PackSnapshot{.cell = cell, .request = 1});
  BOOST_TEST(packed.round == Round{3});
  Device third(*fleet);
  const auto started = third.order<CellStarted>(
      StartCell{cell, StartFromSnapshot{.snapshot = packed.payload, .jump_to = {.index = 6}}});
  BOOST_TEST(started.round == Round{6});
  third.carry_out(AdvanceCell{.cell = cell, .snapshots = {}, .chunks = {}});
  BOOST_TEST((*third.worker.round_of(cell) == Round{7}));
}

BOOST_AUTO_TEST_CASE(a_state_whose_content_was_changed_starts_nothing) {
  const auto state = first->order<ObjectReady>(SaveState{.cell = cell, .request = 1});
  const auto saved = worker::read_saved_cell(*state.payload);
  BOOST_REQUIRE(saved.has_value());
  const auto refuses = [&](auto change) {
    worker::SavedCell changed = *saved;
    change(changed.state);
    Device third(*fleet);
    third.order<CellFailed>(StartCell{
        cell, StartFromState{std::make_shared<const ByteBuffer>(*worker::to_bytes(changed))}});
    // The device is as good as before.
    third.order<CellStarted>(StartCell{cell, StartFromState{state.payload}});
  };
  refuses([](CellState& each) { each.tensors.clear(); });
  refuses([](CellState& each) { each.counters.clear(); });
  refuses([](CellState& each) { each.tensors.front().values.push_back(0); });
  for (const auto& [name, number] : saved->state.counters)
    if (name == "members")
      refuses([&](CellState& each) {
        for (auto& [counter, value] : each.counters)
          if (counter == "members") value = ~std::uint64_t{0};
      });
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace
}  // namespace quadrille::swarm

// What keeps a world from rest is found, and so is a worker that is not what its peer thinks.
#include "sim/settlement.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <variant>

#include "sim/scenario.hpp"

namespace quadrille::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Says that a cell has started, as often as it is told to, and has none.
class FaultyWorker final : public SimWorker {
 public:
  enum class Fault { LosesCells, StartsFromOldStates, Complains };
  FaultyWorker(Fault fault, const WorkerSeat& seat)
      : SimWorker(seat.options, seat.self, seat.events), fault_(fault), disk_(seat.disk) {}

  void on_round_end(CellIndex, TimePoint, Reports&) override {}
  std::optional<Round> round_of(CellIndex) const override { return std::nullopt; }

 private:
  void carry_out(const peer::WorkerCommand& command, TimePoint, Reports& reports) override {
    const auto* start = std::get_if<peer::StartCell>(&command);
    if (start == nullptr) return;
    if (fault_ == Fault::Complains) complain("it is never content");
    if (fault_ == Fault::StartsFromOldStates) {
      disk_.checkpoints[start->cell] = {.index = 5};
      const ToyCell state{
          .cell = start->cell, .round = {.index = 3}, .saved_by = self_.node, .is_handover = true};
      starts_.push_back({.cell = start->cell, .round = state.round, .state = state});
    }
    reports.emplace_back(peer::CellStarted{.cell = start->cell, .round = {}, .neighbours = {}});
  }

  Fault fault_;
  Disk& disk_;
};

WorldOptions six_hosts() {
  WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
  options.capacity = 4;
  return options;
}

std::string violated_by(FaultyWorker::Fault fault) {
  WorldOptions options = six_hosts();
  options.make_worker = [fault](const WorkerSeat& seat) {
    return std::make_unique<FaultyWorker>(fault, seat);
  };
  World world(options);
  schedule_starts(world, 6, seconds(1));
  world.run_for(seconds(20));
  return world.violation() ? world.violation()->invariant : unrest(world).value_or("");
}

struct Booted {
  Booted() : world(six_hosts()) {
    Report report;
    BOOST_TEST_REQUIRE(boot(world, 6, milliseconds(100), report));
  }
  // Until the first thing that is not as it should be begins so.
  bool comes(const std::string& beginning) {
    return world
        .run_until_true([&] { return unrest(world).value_or("").starts_with(beginning); },
                        seconds(60), milliseconds(1))
        .has_value();
  }
  World world;
};

}  // namespace

BOOST_AUTO_TEST_SUITE(settlement)

BOOST_AUTO_TEST_CASE(a_view_with_somebody_who_is_gone_is_no_rest) {
  Booted f;
  BOOST_TEST(!unrest(f.world));
  f.world.lose_machine(4);
  BOOST_TEST(unrest(f.world).value_or("").starts_with("L1"));
}

BOOST_AUTO_TEST_CASE(neither_is_a_cell_that_nobody_owns_or_trains_nor_a_load_that_is_uneven) {
  Booted f;
  f.world.lose_machine(4);
  BOOST_TEST(f.comes("L2"));
  BOOST_TEST(run_until_rest(f.world, seconds(60)).has_value());
  f.world.start(4);
  BOOST_TEST(f.comes("L3"));
  BOOST_TEST(run_until_rest(f.world, seconds(60)).has_value());
}

BOOST_AUTO_TEST_CASE(a_worker_without_the_cells_that_its_peer_trains_is_found) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::LosesCells).starts_with("L2: the worker"));
}

BOOST_AUTO_TEST_CASE(a_cell_that_begins_behind_its_owners_checkpoint_breaks_i7) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::StartsFromOldStates) == "I7");
}

BOOST_AUTO_TEST_CASE(a_worker_that_complains_ends_the_run) {
  BOOST_TEST(violated_by(FaultyWorker::Fault::Complains) == "worker");
}

BOOST_AUTO_TEST_CASE(an_edge_that_nobody_reads_counts_as_one_that_brings_nothing) {
  Booted f;
  // 2 x 3: three neighbours each, whatever has been read so far.
  BOOST_TEST(edge_rounds(f.world).size() == 18U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

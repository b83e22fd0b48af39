// The local driver against a learner that says what it is told to: who is called, when, with what.
#include "node/run/local_driver.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "node/manual_clock.hpp"
#include "node/recording_learner.hpp"
#include "node/toy_learners.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(local_driver)

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ManualClock;
using testing::RecordingLearner;

namespace {

// Two cells that read each other; each advance of a cell gives the next of its lists of actions.
class ScriptedLearner final : public testing::ToyLearner {
 public:
  explicit ScriptedLearner(ManualClock& clock) : ToyLearner(2, 1), clock_(clock) {}

  std::vector<CellIndex> neighbours(CellIndex cell) const override { return {right_of(cell)}; }

  void advance(std::span<const peer::CellInput> cells, peer::Quantum quantum,
               std::vector<peer::Action>& actions) override {
    steps = quantum.steps;
    clock_.advance(taken);
    for (const peer::CellInput& input : cells) {
      auto& script = scripts[input.cell];
      if (script.empty()) continue;
      for (peer::Action& action : script.front()) actions.push_back(std::move(action));
      script.pop_front();
    }
  }

  std::map<CellIndex, std::deque<std::vector<peer::Action>>> scripts;
  Duration taken{};
  std::uint32_t steps = 0;

 private:
  ManualClock& clock_;
};

struct RecordingObserver final : DriverObserver {
  void on_published(CellIndex cell, Round round) override {
    seen.push_back("published " + std::to_string(cell.value) + "@" + std::to_string(round.index));
  }
  void on_status(const peer::Status& status) override {
    seen.push_back("status " + std::to_string(status.cell.value));
  }
  void on_notice(const peer::Notice& notice) override { seen.push_back(notice.text); }

  std::vector<std::string> seen;
};

constexpr CellIndex first{0}, second{1};
const float one = 1;

peer::Publish publish(CellIndex cell, std::uint64_t round, const float& value = one) {
  return {.cell = cell, .round = {round}, .values = std::span(&value, 1), .exact = {}};
}
peer::Status status(CellIndex cell, std::uint64_t round) {
  return {.cell = cell, .round = {round}, .score = {}, .measures = {}};
}
peer::Need need(CellIndex cell, CellIndex source, std::uint64_t round,
                std::optional<Duration> patience = {}) {
  return {.cell = cell, .snapshots = {{source, {round}}}, .chunks = {}, .patience = patience};
}
peer::Need need_newest(CellIndex cell) {
  return {.cell = cell, .newest = true, .snapshots = {}, .chunks = {}};
}

struct World {
  World() {
    for (const CellIndex cell : {first, second}) {
      BOOST_REQUIRE(learner.start(cell, peer::Fresh{}));
      driver.add(cell);
    }
  }
  void turns(int count) {
    for (int turn = 0; turn < count; ++turn) BOOST_TEST_REQUIRE(driver.turn());
  }
  const std::vector<std::string>& transcript() {
    recorder.finish();
    return recorder.transcript();
  }

  ManualClock clock;
  ScriptedLearner learner{clock};
  RecordingLearner recorder{learner, first};
  RecordingObserver observer;
  LocalExchange exchange{1, {.kind = codec::CodecKind::Fp32, .zstd = false}};
  LocalDriver driver{recorder, exchange, clock, observer};
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_cell_waits_until_its_need_is_met) {
  World world;
  world.learner.scripts[first] = {{need(first, second, 2)}, {peer::Done{first}}};
  world.learner.scripts[second] = {
      {publish(second, 1)}, {publish(second, 2)}, {peer::Done{second}}};
  world.turns(3);
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST(world.transcript() ==
                 std::vector<std::string>({"advance", "  need 1@2.0", "advance 1@2.0", "  done"}),
             boost::test_tools::per_element());
  BOOST_TEST(world.observer.seen == std::vector<std::string>({"published 1@1", "published 1@2"}),
             boost::test_tools::per_element());
  BOOST_TEST(world.driver.stuck().empty());
}

BOOST_AUTO_TEST_CASE(whatever_is_newest_is_there_at_once_even_nothing) {
  World world;
  world.learner.scripts[first] = {{need_newest(first)}, {need_newest(first)}, {peer::Done{first}}};
  world.learner.scripts[second] = {{}, {publish(second, 7)}, {peer::Done{second}}};
  world.turns(3);
  BOOST_TEST(
      world.transcript() == std::vector<std::string>({"advance", "  need newest", "advance",
                                                      "  need newest", "advance 1@7.0", "  done"}),
      boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_cell_that_waits_for_one_that_failed_is_stuck) {
  World world;
  world.learner.scripts[first] = {{need(first, second, 1)}};
  world.learner.scripts[second] = {
      {peer::Failed{second, {ErrorCode::NotFinite, "a loss is not finite"}}}};
  world.turns(1);
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST(world.driver.stuck() == std::vector<CellIndex>({first}),
             boost::test_tools::per_element());
  BOOST_TEST_REQUIRE(world.driver.failures().size() == 1u);
  BOOST_TEST(world.driver.failures()[0].cell == second);
  BOOST_TEST(world.driver.failures()[0].error.detail == "a loss is not finite");
}

// Its neighbours could not read on, so it cannot go on.
BOOST_AUTO_TEST_CASE(a_cell_whose_snapshot_the_codec_refuses_fails) {
  World world;
  const float not_finite = std::numeric_limits<float>::infinity();
  world.learner.scripts[first] = {{publish(first, 1, not_finite), need_newest(first)}};
  world.driver.park(second);
  world.turns(1);
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST(world.observer.seen.empty());
  BOOST_TEST_REQUIRE(world.driver.failures().size() == 1u);
  BOOST_TEST((world.driver.failures()[0].error.code == ErrorCode::NotFinite));
}

// It would count as a generation ended, and the others be saved without it.
BOOST_AUTO_TEST_CASE(what_a_failed_cell_says_beside_does_not_count_but_is_shown) {
  World world;
  const float not_finite = std::numeric_limits<float>::infinity();
  world.learner.scripts[first] = {
      {publish(first, 1, not_finite),
       peer::Send{.from = first, .to = second, .round = {1}, .payload = {}},
       peer::Notice{first, "look here"}, status(first, 1), publish(first, 2), peer::Done{first},
       peer::Failed{first, {ErrorCode::NotFinite, "said twice"}}}};
  world.learner.scripts[second] = {
      {publish(second, 1), status(second, 1)}, {need(second, first, 1)}, {peer::Done{second}}};
  world.turns(2);
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST(
      world.observer.seen == std::vector<std::string>({"look here", "published 1@1", "status 1"}),
      boost::test_tools::per_element());
  BOOST_TEST(world.driver.failures().size() == 1u);
  BOOST_TEST(world.driver.stuck() == std::vector<CellIndex>({second}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_parked_cell_is_not_advanced_and_not_stuck) {
  World world;
  world.learner.scripts[first] = {{publish(first, 1), need(first, second, 1)}};
  world.learner.scripts[second] = {{}, {publish(second, 1)}};
  world.turns(1);
  world.driver.park(first);
  world.turns(1);
  world.driver.park(second);
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST(world.driver.stuck().empty());
  BOOST_TEST(world.transcript().size() == 3u);  // one advance, and what it said
}

BOOST_AUTO_TEST_CASE(a_deadline_passes_by_sleeping) {
  World world;
  world.learner.scripts[first] = {{need(first, second, 1, seconds(30))}, {peer::Done{first}}};
  world.driver.remove(second);
  world.turns(3);  // the first advance, the sleep, the late advance
  BOOST_TEST(!world.driver.turn());
  BOOST_TEST((world.clock.now() == TimePoint{seconds(30)}));
  BOOST_TEST(world.transcript() ==
                 std::vector<std::string>({"advance", "  need 1@1.0", "advance late", "  done"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_need_met_at_its_deadline_is_not_late) {
  World world;
  world.learner.taken = seconds(20);
  world.learner.scripts[first] = {{need(first, second, 1, seconds(30))}, {peer::Done{first}}};
  world.learner.scripts[second] = {{}, {publish(second, 1)}, {peer::Done{second}}};
  world.turns(3);  // at 0, 20 and 40 s
  BOOST_TEST(world.transcript() ==
                 std::vector<std::string>({"advance", "  need 1@1.0", "advance 1@1.0", "  done"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(chunks_are_given_once_and_those_for_nobody_are_dropped) {
  World world;
  const auto send = [](CellIndex to, std::uint64_t round) {
    return peer::Send{.from = second, .to = to, .round = {round}, .payload = {}};
  };
  world.learner.scripts[first] = {{}, {}, {peer::Done{first}}};
  world.learner.scripts[second] = {
      {send(first, 1), send({9}, 1)}, {send(first, 2)}, {peer::Done{second}}};
  world.turns(3);
  BOOST_TEST(world.transcript() == std::vector<std::string>({"advance", "advance chunk 1@1.0",
                                                             "advance chunk 1@2.0", "  done"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(the_quantum_follows_the_time_that_an_advance_takes) {
  World world;
  world.learner.taken = milliseconds(10);
  world.turns(5);
  BOOST_TEST(world.driver.quantum_steps() == 32u);
  world.learner.taken = milliseconds(60);  // near enough
  world.turns(5);
  BOOST_TEST(world.driver.quantum_steps() == 32u);
  world.learner.taken = milliseconds(300);
  world.turns(2);
  BOOST_TEST(world.driver.quantum_steps() == 8u);
  world.turns(10);
  BOOST_TEST(world.driver.quantum_steps() == 1u);
  world.learner.taken = milliseconds(0);
  world.turns(40);
  BOOST_TEST(world.driver.quantum_steps() == LocalDriver::quantum_steps_max);
  world.turns(1);
  BOOST_TEST(world.learner.steps == LocalDriver::quantum_steps_max);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

// The traces that pin the contract of peer/learner.hpp: what passes between a learner and its
// driver, line by line, for the shapes of algorithm that must fit it.
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "node/manual_clock.hpp"
#include "node/recording_learner.hpp"
#include "node/run/local_driver.hpp"
#include "node/run/local_exchange.hpp"
#include "node/toy_learners.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(learner_traces)

using testing::AllReduceLearner;
using testing::ManualClock;
using testing::MixingLearner;
using testing::RecordingLearner;

namespace {

struct SilentObserver final : DriverObserver {
  void on_published(CellIndex, Round) override {}
  void on_status(const peer::Status&) override {}
  void on_notice(const peer::Notice&) override {}
};

constexpr codec::CodecOptions exact{.kind = codec::CodecKind::Fp32, .zstd = false};

// One process that holds every cell of a learner, watched at one cell.
struct World {
  World(peer::Learner& inner, std::uint32_t cell_count, CellIndex watched)
      : learner(inner, watched),
        exchange(inner.sections()[0].float_count, exact),
        driver(learner, exchange, clock, observer) {
    for (std::uint32_t cell = 0; cell < cell_count; ++cell) {
      BOOST_REQUIRE(learner.start({cell}, peer::Fresh{}));
      driver.add({cell});
    }
  }

  void run() {
    while (driver.turn()) {
    }
    learner.finish();
  }

  ManualClock clock;
  SilentObserver observer;
  RecordingLearner learner;
  LocalExchange exchange;
  LocalDriver driver;
};

}  // namespace

BOOST_AUTO_TEST_CASE(three_mixing_rounds_hide_the_first_exchange_behind_the_gradient) {
  MixingLearner mixing(4, 2, {.mixing_rounds = 3, .iterations = 1});
  World world(mixing, 4, {0});
  world.run();
  const std::vector<std::string> expected{"advance",
                                          "  publish 0.0",  // it travels
                                          "advance",
                                          "  need 3@0.0 1@0.0",  // while this computed the gradient
                                          "advance 3@0.0 1@0.0",
                                          "  publish 0.1",
                                          "  need 3@0.1 1@0.1",
                                          "advance 3@0.1 1@0.1",
                                          "  publish 0.2",
                                          "  need 3@0.2 1@0.2",
                                          "advance 3@0.2 1@0.2",
                                          "  status 1.0",
                                          "  done"};
  BOOST_TEST(world.learner.transcript() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(mixing_keeps_the_mean_and_contracts_the_disagreement) {
  MixingLearner mixing(4, 1, {.mixing_rounds = 3, .iterations = 1});
  World world(mixing, 4, {0});
  world.run();
  // Eigenvalues of W on the ring of four: 1, 1/2, 1/2, 0. The start 0, 10, 20, 30 is mean 15 plus
  // (-10, -10, 10, 10) (eigenvalue 1/2) plus (-5, 5, -5, 5) (eigenvalue 0): after three rounds 15
  // +- 10/8.
  const std::vector<float> expected{13.75F, 13.75F, 16.25F, 16.25F};
  for (std::uint32_t cell = 0; cell < 4; ++cell)
    BOOST_TEST(mixing.vector({cell})[0] == expected[cell]);
}

BOOST_AUTO_TEST_CASE(a_lost_neighbour_is_waited_for_no_longer_than_the_deadline) {
  MixingLearner mixing(4, 1,
                       {.mixing_rounds = 1, .iterations = 2, .patience = std::chrono::seconds(1)});
  World world(mixing, 4, {0});
  world.learner.release({1});
  world.driver.remove({1});
  world.run();
  const std::vector<std::string> expected{"advance",
                                          "  publish 0.0",
                                          "advance",
                                          "  need 3@0.0 1@0.0",
                                          "advance 3@0.0 late",
                                          "  status 1.0",
                                          "advance",
                                          "  publish 1.0",
                                          "advance",
                                          "  need 3@1.0 1@1.0",
                                          "advance 3@1.0 late",
                                          "  status 2.0",
                                          "  done"};
  BOOST_TEST(world.learner.transcript() == expected, boost::test_tools::per_element());
  // Cells 0 and 2 miss cell 1 twice each; cell 3, which went ahead, waits for both and misses them
  // once.
  BOOST_TEST(mixing.missed_edges() == 6);
  BOOST_TEST((world.clock.now() - TimePoint{} == std::chrono::seconds(2)));
}

BOOST_AUTO_TEST_CASE(a_ring_all_reduce_sends_directed_chunks) {
  AllReduceLearner all_reduce(3);
  World world(all_reduce, 3, {0});
  world.run();
  const std::vector<std::string> expected{"advance",
                                          "  send 0.0 to 1",
                                          "  need chunk 2@0.0",
                                          "advance chunk 2@0.0",
                                          "  send 1.0 to 1",
                                          "  need chunk 2@1.0",
                                          "advance chunk 2@1.0",
                                          "  send 2.0 to 1",
                                          "  need chunk 2@2.0",
                                          "advance chunk 2@2.0",
                                          "  send 3.0 to 1",
                                          "  need chunk 2@3.0",
                                          "advance chunk 2@3.0",
                                          "  done"};
  BOOST_TEST(world.learner.transcript() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_ring_all_reduce_leaves_the_sum_everywhere) {
  for (const std::uint32_t cell_count : {2U, 3U, 7U}) {
    AllReduceLearner all_reduce(cell_count);
    World world(all_reduce, cell_count, {0});
    world.run();
    for (std::uint32_t cell = 0; cell < cell_count; ++cell)
      for (std::uint32_t i = 0; i < cell_count; ++i)
        // Cell c began with 10 c + i: the sum is 10 n (n-1) / 2 + n i.
        BOOST_TEST(all_reduce.vector({cell})[i] ==
                   static_cast<float>(5 * cell_count * (cell_count - 1) + cell_count * i));
  }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

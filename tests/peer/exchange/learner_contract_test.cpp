// The four traces that pin peer/learner.hpp, each over exchanges: what cells were advanced with.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/fleet.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(learner_contract)

namespace {

using Lines = std::vector<std::string>;

}  // namespace

BOOST_AUTO_TEST_CASE(asynchronous_lipizzaner_with_four_cells) {
  Log log;
  Fleet fleet(4, {}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(torus2x2(), log, false, 8);
  });
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  // Nobody waits for the peer that is four times as slow.
  fleet.set_training_time(3, milliseconds(40));
  fleet.start();
  fleet.run_for(seconds(2));
  // A generation reads what was applied when the one before it ended; what comes meanwhile waits.
  const Lines fast = {
      "1@1.0 2@1.0", "1@1.0 2@1.0", "1@3.0 2@3.0", "1@3.0 2@3.0", "1@5.0 heard 1.0 2@5.0 heard 1.0",
  };
  const Lines beside_the_slow_one = {
      "0@1.0", "0@1.0", "0@3.0 3@1.0", "0@3.0 3@1.0", "0@5.0 heard 1.0 3@1.0",
  };
  const Lines slow = {
      "2@1.0 1@1.0",
      "2@5.0 1@5.0",
      "2@8.0 heard 1.0 1@8.0 heard 1.0",
      "2@8.0 heard 1.0 1@8.0 heard 1.0",
      "2@8.0 heard 1.0 1@8.0 heard 1.0",
      "2@8.0 heard 1.0 1@8.0 heard 1.0",
  };
  BOOST_TEST(log[{0}] == fast, boost::test_tools::per_element());
  BOOST_TEST(log[{1}] == beside_the_slow_one, boost::test_tools::per_element());
  BOOST_TEST(log[{3}] == slow, boost::test_tools::per_element());
}

// Cell 3's owner dies and another adopts it: the others wait at their barrier, it jumps to the
// largest round among its neighbours, and they all go on.
BOOST_AUTO_TEST_CASE(synchronous_lipizzaner_with_an_adoption) {
  Log log;
  Fleet fleet(4, {.synchronous = true}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(torus2x2(), log, true, 12);
  });
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  fleet.start();
  fleet.run_for(milliseconds(100));
  fleet.stop(3);
  fleet.run_for(seconds(20));
  std::uint64_t largest = 0;
  for (std::uint32_t cell = 1; cell < 3; ++cell)
    largest = std::max(largest, static_cast<ToyLearner&>(fleet.learner(cell)).round_of({cell}));
  BOOST_TEST(largest == 7U);
  fleet.move({3}, 1, {largest});
  fleet.run_for(seconds(20));
  const Lines neighbour = {
      "0@0.0 3@0.0",
      "0@1.0 heard 0.0 3@1.0 heard 0.0",
      "0@2.0 heard 1.0 3@2.0 heard 1.0",
      "0@3.0 heard 2.0 3@3.0 heard 2.0",
      "0@4.0 heard 3.0 3@4.0 heard 3.0",
      "0@5.0 heard 4.0 3@5.0 heard 4.0",
      "0@6.0 heard 5.0 3@6.0 heard 5.0",
      "0@7.0 heard 6.0 3@7.0",  // the adopter's first
      "0@8.0 heard 7.0 3@8.0 heard 7.0",
      "0@9.0 heard 8.0 3@9.0 heard 8.0",
      "0@10.0 heard 9.0 3@10.0 heard 9.0",
      "0@11.0 heard 10.0 3@11.0 heard 10.0",
  };
  const Lines adopted = {
      "2@0.0 1@0.0",
      "2@1.0 heard 0.0 1@1.0 heard 0.0",
      "2@2.0 heard 1.0 1@2.0 heard 1.0",
      "2@3.0 heard 2.0 1@3.0 heard 2.0",
      "2@4.0 heard 3.0 1@4.0 heard 3.0",
      "2@5.0 heard 4.0 1@5.0 heard 4.0",
      "2@7.0 heard 6.0 1@7.0 heard 6.0",  // it died in round 6 and jumped to 7
      "2@8.0 heard 7.0 1@8.0 heard 7.0",
      "2@9.0 heard 8.0 1@9.0 heard 8.0",
      "2@10.0 heard 9.0 1@10.0 heard 9.0",
      "2@11.0 heard 10.0 1@11.0 heard 10.0",
  };
  BOOST_TEST(log[{1}] == neighbour, boost::test_tools::per_element());
  BOOST_TEST(log[{3}] == adopted, boost::test_tools::per_element());
  BOOST_TEST(fleet.offences.empty());
}

// Three mixing rounds an iteration; while the first of them travels, a gradient is computed.
BOOST_AUTO_TEST_CASE(dposg_with_three_mixing_rounds_and_overlap) {
  Log log;
  Fleet fleet(4, {.synchronous = true},
              [&](std::size_t) { return std::make_unique<MixingLearner>(torus2x2(), log, 3, 4); });
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  fleet.start();
  fleet.run_for(seconds(5));
  const Lines cell2 = {
      "3@0.0 0@0.0",
      "3@0.1 heard 0.0 0@0.1 heard 0.0",
      "3@0.2 heard 0.1 0@0.2 heard 0.1",
      "3@1.0 heard 0.2 0@1.0 heard 0.2",
      "3@1.1 heard 1.0 0@1.1 heard 1.0",
      "3@1.2 heard 1.1 0@1.2 heard 1.1",
      "3@2.0 heard 1.2 0@2.0 heard 1.2",
      "3@2.1 heard 2.0 0@2.1 heard 2.0",
      "3@2.2 heard 2.1 0@2.2 heard 2.1",
      "3@3.0 heard 2.2 0@3.0 heard 2.2",
      "3@3.1 heard 3.0 0@3.1 heard 3.0",
      "3@3.2 heard 3.1 0@3.2 heard 3.1",
  };
  BOOST_TEST(log[{2}] == cell2, boost::test_tools::per_element());
  // Equal weights preserve the mean, and twelve rounds bring all to it: 1e-5 is what they leave of
  // the largest distance, 1.5 / 3^12, in float.
  for (std::uint32_t cell = 0; cell < 4; ++cell) {
    const auto& learner = static_cast<MixingLearner&>(fleet.learner(cell));
    BOOST_TEST(std::abs(learner.value_of({cell}) - 2.5F) < 1e-5F);
    BOOST_TEST(learner.overlaps == 4);
  }
}

BOOST_AUTO_TEST_CASE(a_ring_all_reduce) {
  for (const bool breaks : {false, true}) {
    Log log;
    Fleet fleet(3, {}, [&](std::size_t) { return std::make_unique<AllReduceLearner>(4, log); });
    fleet.place({0}, 0);
    fleet.place({1}, 1);
    fleet.place({2}, 1);  // a message within the process among those between peers
    fleet.place({3}, 2);
    fleet.start();
    if (breaks) fleet.break_at_frame(wire::FrameType::DirectBegin, 5);
    fleet.run_for(seconds(5));
    for (std::uint32_t cell = 0; cell < 4; ++cell) {
      const std::size_t peer = cell < 2 ? cell : cell - 1;
      const auto& learner = static_cast<AllReduceLearner&>(fleet.learner(peer));
      // Cell c began with (c + 1) * (1, 2, 3, 4).
      BOOST_TEST(learner.results.at({cell}) == (std::vector<float>{10, 20, 30, 40}),
                 boost::test_tools::per_element());
    }
    const Lines cell1 = {
        "chunk 0@0.0",
        "chunk 0@1.0",
        "chunk 0@2.0 chunk 0@3.0",  // one came early
        "chunk 0@4.0",
        "chunk 0@5.0",
    };
    if (!breaks) BOOST_TEST(log[{1}] == cell1, boost::test_tools::per_element());
    BOOST_TEST(fleet.dials == (breaks ? 4 : 3));
  }
}

BOOST_AUTO_TEST_SUITE_END()

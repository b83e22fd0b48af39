// Payloads that a worker refuses: who hears of it, what mends it, and that nobody spins.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/fleet.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::PayloadFault;

BOOST_AUTO_TEST_SUITE(faults)

namespace {

constexpr EdgeId from0to1 = {.source = {0}, .reader = {1}};

// Two cells that read each other, at two peers or at one.
struct Pair {
  explicit Pair(std::size_t owner_of_1 = 1, std::uint64_t rounds = 1'000'000)
      : fleet(2, {.training_time = milliseconds(100)}, [this, rounds](std::size_t) {
          return std::make_unique<GenerationLearner>(complete(2), log, false, rounds);
        }) {
    fleet.place({0}, 0);
    fleet.place({1}, owner_of_1);
    fleet.start();
    fleet.run_for(seconds(3));
  }
  EdgeStatistics edge() { return fleet.statistics(from0to1); }
  Log log;
  Fleet fleet;
};

}  // namespace

BOOST_AUTO_TEST_CASE(replicas_that_differ_are_mended_by_one_keyframe) {
  for (const bool is_known : {false, true}) {
    Pair pair;
    if (is_known)
      pair.fleet.worker(1).damage_next(from0to1);
    else
      pair.fleet.worker(1).damage(from0to1);
    pair.fleet.run_for(seconds(3));
    BOOST_TEST(pair.edge().keyframes == 2U);
    BOOST_TEST(pair.edge().faults == 1U);
    BOOST_TEST(pair.edge().newest.index > 50U);
    BOOST_TEST(pair.fleet.faults.empty());
    BOOST_TEST(pair.fleet.offences.empty());
  }
}

BOOST_AUTO_TEST_CASE(bad_weights_are_reported_with_their_sender) {
  for (const std::size_t owner : {1U, 0U}) {
    Pair pair(owner);
    const Round before = pair.edge().newest;
    pair.fleet.worker(owner).refuse(from0to1, PayloadFault::NotFinite);
    pair.fleet.run_for(milliseconds(150));
    BOOST_TEST(pair.fleet.faults.size() == 1U);
    BOOST_TEST(pair.fleet.faults[0] ==
               "peer " + std::to_string(owner) + ": edge 0 to 1 from peer 0, fault 3");
    pair.fleet.run_for(seconds(3));
    BOOST_TEST(pair.edge().newest > before);
    BOOST_TEST(pair.edge().keyframes == 2U);
    BOOST_TEST(pair.edge().faults == 1U);
  }
}

BOOST_AUTO_TEST_CASE(what_was_refused_for_good_is_offered_again_after_a_pause_and_not_before) {
  for (const PayloadFault fault :
       {PayloadFault::Mismatch, PayloadFault::Corrupt, PayloadFault::OutOfNorm}) {
    Pair pair(1, 10);  // it is at its last round by now
    const std::uint64_t payloads = pair.edge().payloads;
    // A difference and the keyframe that ought to mend it, or just the difference.
    const int times = fault == PayloadFault::OutOfNorm ? 1 : 2;
    pair.fleet.worker(1).refuse(from0to1, fault, times);
    pair.fleet.report(0, CellPublished{.cell = {0}, .round = {11}});
    pair.fleet.run_for(seconds(9));
    BOOST_TEST(pair.edge().faults == std::uint64_t(times));
    BOOST_TEST(pair.edge().payloads == payloads);
    pair.fleet.run_for(seconds(2));
    BOOST_TEST(pair.edge().payloads == payloads + 1);
    BOOST_TEST(pair.edge().keyframes == 2U);
  }
}

BOOST_AUTO_TEST_CASE(who_refuses_everything_costs_three_payloads_a_minute) {
  Pair pair(1, 10);
  pair.fleet.worker(1).refuse(from0to1, PayloadFault::Mismatch, 1000);
  pair.fleet.report(0, CellPublished{.cell = {0}, .round = {11}});
  pair.fleet.run_for(seconds(600));
  BOOST_TEST(pair.edge().faults > 10U);
  BOOST_TEST(pair.edge().faults <= 30U);
}

BOOST_AUTO_TEST_CASE(the_third_fault_of_ten_silences_the_edge_for_a_minute) {
  Pair pair;
  pair.fleet.worker(1).refuse(from0to1, PayloadFault::NotFinite, 3);
  pair.fleet.run_for(seconds(2));
  BOOST_TEST(pair.fleet.faults.size() == 3U);
  const EdgeStatistics quarantined = pair.edge();
  const EdgeId back{.source = {1}, .reader = {0}};
  const Round other = pair.fleet.statistics(back).newest;
  pair.fleet.run_for(seconds(55));
  BOOST_TEST(pair.edge().payloads == quarantined.payloads);
  BOOST_TEST(pair.fleet.statistics(back).newest.index > other.index + 400);
  pair.fleet.run_for(seconds(10));
  BOOST_TEST(pair.edge().payloads > quarantined.payloads + 20);
  BOOST_TEST(pair.edge().keyframes == quarantined.keyframes + 1);
  BOOST_TEST(pair.fleet.dials == 2);
}

BOOST_AUTO_TEST_CASE(a_new_stream_does_not_end_a_quarantine) {
  Pair pair;
  pair.fleet.worker(1).refuse(from0to1, PayloadFault::NotFinite, 3);
  pair.fleet.run_for(seconds(2));
  const std::uint64_t payloads = pair.edge().payloads;
  pair.fleet.cut(0, 1);
  pair.fleet.mend(0, 1);
  pair.fleet.run_for(seconds(50));
  BOOST_TEST(pair.edge().payloads == payloads);
  pair.fleet.run_for(seconds(15));
  BOOST_TEST(pair.edge().payloads > payloads + 20);
  BOOST_TEST(pair.fleet.offences.empty());
}

BOOST_AUTO_TEST_CASE(a_new_owner_is_not_quarantined_for_the_old_one) {
  Pair pair;
  pair.fleet.worker(1).refuse(from0to1, PayloadFault::NotFinite, 3);
  pair.fleet.run_for(seconds(2));
  const std::uint64_t payloads = pair.edge().payloads;
  pair.fleet.move({0}, 1, {100});
  pair.fleet.run_for(seconds(5));
  BOOST_TEST(pair.edge().payloads > payloads + 10);
}

BOOST_AUTO_TEST_SUITE_END()

// Snapshots travel: as fast as each edge can, every one of them in synchronous mode, the same
// within a process as between two.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/fleet.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(traffic)

namespace {

Fleet::MakeLearner generations(Log& log, bool synchronous, std::uint64_t rounds) {
  return [&log, synchronous, rounds](std::size_t) {
    return std::make_unique<GenerationLearner>(torus2x2(), log, synchronous, rounds);
  };
}

constexpr EdgeId from0to1 = {.source = {0}, .reader = {1}};
constexpr EdgeId from2to3 = {.source = {2}, .reader = {3}};

Log synchronous_log(std::vector<std::size_t> owners, FleetOptions options) {
  Log log;
  options.synchronous = true;
  Fleet fleet(4, options, generations(log, true, 20));
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, owners[cell]);
  fleet.start();
  fleet.run_for(seconds(60));
  BOOST_TEST(fleet.offences.empty());
  for (std::uint32_t cell = 0; cell < 4; ++cell)
    BOOST_TEST(fleet.statistics({.source = {cell ^ 1U}, .reader = {cell}}).rounds_merged == 0U);
  return log;
}

}  // namespace

BOOST_AUTO_TEST_CASE(four_cells_on_four_peers_train_at_their_own_pace) {
  Log log;
  Fleet fleet(4, {}, generations(log, false, 50));
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  fleet.start();
  fleet.run_for(seconds(2));
  for (std::uint32_t cell = 0; cell < 4; ++cell) {
    BOOST_TEST(log[{cell}].size() >= 45U);
    const EdgeStatistics edge = fleet.statistics({.source = {cell ^ 1U}, .reader = {cell}});
    BOOST_TEST(edge.keyframes == 1U);
    // The edge began with round 1: by then there was a stream.
    BOOST_TEST(edge.payloads + edge.rounds_merged == 50U);
    BOOST_TEST(edge.newest == Round{50});
    BOOST_TEST(edge.faults == 0U);
    BOOST_TEST((edge.last_delay > Duration{} && edge.last_delay < milliseconds(20)));
  }
  BOOST_TEST(fleet.offences.empty());
  BOOST_TEST(fleet.dials == 8);
}

BOOST_AUTO_TEST_CASE(synchronous_cells_read_every_round_in_turn) {
  const Log log = synchronous_log({0, 1, 2, 3}, {});
  for (std::uint32_t cell = 0; cell < 4; ++cell) {
    BOOST_TEST_REQUIRE(log.at({cell}).size() == 20U);
    for (std::uint64_t round = 0; round < 20; ++round) {
      const std::string heard = round == 0 ? "" : "heard " + std::to_string(round - 1) + ".0 ";
      const std::string at = "@" + std::to_string(round) + ".0 ";
      std::string expected = std::to_string(cell ^ 1U) + at + heard;
      expected += std::to_string(cell ^ 2U) + at + heard;
      expected.pop_back();
      BOOST_TEST(log.at({cell})[round] == expected);
    }
  }
}

BOOST_AUTO_TEST_CASE(
    who_owns_a_cell_and_how_fast_the_links_are_changes_nothing_in_synchronous_mode) {
  const Log log = synchronous_log({0, 1, 2, 3}, {});
  BOOST_TEST((synchronous_log({0, 0, 0, 0}, {}) == log));
  BOOST_TEST((synchronous_log({0, 0, 1, 1}, {.latency = milliseconds(70)}) == log));
  BOOST_TEST((synchronous_log({0, 1, 1, 0},
                              {.bytes_per_second = 50e3, .codec_time = milliseconds(30)}) == log));
}

BOOST_AUTO_TEST_CASE(cells_of_one_process_exchange_without_a_frame) {
  Log log;
  Fleet fleet(1, {}, generations(log, false, 50));
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, 0);
  fleet.start();
  fleet.run_for(seconds(5));
  BOOST_TEST(fleet.bytes_sent == 0U);
  BOOST_TEST(fleet.dials == 0);
  BOOST_TEST(fleet.statistics(from0to1).newest == Round{50});
  BOOST_TEST(fleet.statistics(from0to1).keyframes == 1U);
  BOOST_TEST(fleet.worker(0).keyframes_encoded == 8);
}

// An edge at a hundredth of the others' rate: what it misses merges into the next difference.
BOOST_AUTO_TEST_CASE(a_slow_edge_sends_fewer_differences_and_never_a_second_keyframe) {
  Log log;
  const FleetOptions options{
      .bytes_per_second = 10e6, .difference_bytes = 50'000, .keyframe_bytes = 200'000};
  Fleet fleet(4, options, generations(log, false, 100'000));
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  fleet.set_rate(0, 1, 100e3);
  fleet.start();
  fleet.run_for(seconds(100));
  const EdgeStatistics slow = fleet.statistics(from0to1);
  const EdgeStatistics fast = fleet.statistics(from2to3);
  BOOST_TEST(slow.keyframes == 1U);
  BOOST_TEST(slow.payloads > 170U);  // 0.5 s each
  BOOST_TEST(slow.payloads < 200U);
  BOOST_TEST(slow.rounds_merged > 20 * slow.payloads);
  BOOST_TEST(slow.payloads + slow.rounds_merged == slow.newest.index);
  BOOST_TEST(fast.keyframes == 1U);
  BOOST_TEST(fast.payloads > 3000U);
  BOOST_TEST((fast.last_delay < milliseconds(20)));
  // Cell 1 itself is not held up: it trains with what there is.
  BOOST_TEST(fleet.statistics({.source = {1}, .reader = {3}}).newest.index > 5000U);
  BOOST_TEST(fleet.offences.empty());
  BOOST_TEST(fleet.dials == 8);
}

// Over one stream, the payloads of two edges share the rate chunk by chunk.
BOOST_AUTO_TEST_CASE(a_large_payload_does_not_keep_another_edge_waiting) {
  Log log;
  Fleet fleet(2, {.bytes_per_second = 1e6, .difference_bytes = 100'000, .keyframe_bytes = 400'000},
              generations(log, false, 1000));
  fleet.place({0}, 0);
  fleet.place({1}, 1);
  fleet.place({2}, 0);
  fleet.place({3}, 1);
  fleet.start();
  fleet.run_for(seconds(30));
  const EdgeStatistics a = fleet.statistics(from0to1);
  const EdgeStatistics b = fleet.statistics(from2to3);
  BOOST_TEST(a.payloads > 90U);
  BOOST_TEST((a.payloads <= b.payloads + 1 && b.payloads <= a.payloads + 1));
}

BOOST_AUTO_TEST_CASE(a_cell_whose_patience_ends_goes_on_without_the_neighbour_that_is_gone) {
  Log log;
  Fleet fleet(4, {.synchronous = true}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(torus2x2(), log, true, 1000, seconds(1));
  });
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell);
  fleet.start();
  fleet.run_for(seconds(5));
  fleet.stop(3);
  fleet.run_for(seconds(5));
  BOOST_TEST(log[{0}].back().find("late") == std::string::npos);
  BOOST_TEST(log[{1}].back().starts_with("0@"));
  BOOST_TEST(log[{1}].back().ends_with("late"));
}

BOOST_AUTO_TEST_CASE(both_ends_of_an_edge_know_the_other_cells_degree_and_what_it_heard) {
  Log log;
  Fleet fleet(2, {.synchronous = true}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(complete(4), log, true, 5);
  });
  for (std::uint32_t cell = 0; cell < 4; ++cell) fleet.place({cell}, cell % 2);
  fleet.start();
  fleet.run_for(seconds(5));
  BOOST_TEST(*fleet.exchange(1).source_degree(from0to1) == 3U);
  BOOST_TEST(*fleet.exchange(0).reader_degree(from0to1) == 3U);
  BOOST_TEST(*fleet.exchange(1).heard(from0to1) == Round{4});
  BOOST_TEST(*fleet.exchange(1).newest_round(from0to1) == Round{5});
  BOOST_TEST(!fleet.exchange(1).newest_round({.source = {7}, .reader = {1}}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

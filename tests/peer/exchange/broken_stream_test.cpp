// Streams break, stall, and are dialled again: what was on its way is sent once more, and a
// keyframe is for those who hold nothing.
#include <boost/test/unit_test.hpp>

#include "peer/exchange/fleet.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::FrameType;

BOOST_AUTO_TEST_SUITE(broken_streams)

namespace {

constexpr EdgeId from0to1 = {.source = {0}, .reader = {1}};
constexpr EdgeId from1to0 = {.source = {1}, .reader = {0}};

// Two cells that read each other, one at each of two peers.
struct Pair {
  explicit Pair(FleetOptions options = {}, std::uint64_t rounds = 1'000'000)
      : fleet(3, options, [this, options, rounds](std::size_t) {
          return std::make_unique<GenerationLearner>(complete(2), log, options.synchronous, rounds);
        }) {
    fleet.place({0}, 0);
    fleet.place({1}, 1);
  }
  // Breaks the stream of edge 0 to 1 instead of sending the n-th frame of that kind from now.
  void break_at(FrameType type, int n) {
    fleet.on_sent = [this, type, n](std::size_t from, std::size_t, const OutFrame& frame) mutable {
      const bool is_forth = type == FrameType::PayloadBegin || type == FrameType::Chunk;
      if (frame.type != type || from != (is_forth ? 0U : 1U)) return true;
      ++broken;
      return n-- != 1;
    };
  }
  Log log;
  Fleet fleet;
  int broken = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(wherever_a_stream_breaks_no_keyframe_follows) {
  // Each payload is 7 chunks; the 40th is in the middle of the sixth.
  for (const auto& [type, n] :
       {std::pair(FrameType::Chunk, 40), std::pair(FrameType::Chunk, 42),
        std::pair(FrameType::PayloadBegin, 6), std::pair(FrameType::PayloadApplied, 6)}) {
    Pair pair({.difference_bytes = 100'000, .keyframe_bytes = 100'000});
    pair.break_at(type, n);
    pair.fleet.start();
    pair.fleet.run_for(seconds(10));
    BOOST_TEST(pair.broken > n);
    BOOST_TEST(pair.fleet.dials == 3);
    for (const EdgeId edge : {from0to1, from1to0}) {
      const EdgeStatistics statistics = pair.fleet.statistics(edge);
      BOOST_TEST(statistics.keyframes == 1U);
      BOOST_TEST(statistics.faults == 0U);
      BOOST_TEST(statistics.newest.index > 300U);
    }
    BOOST_TEST(pair.fleet.worker(0).keyframes_encoded == 1);
    BOOST_TEST(pair.fleet.offences.empty());
  }
}

// While the reader's worker applies for longer than the redial takes, it must not subscribe with
// what it holds: the same payload would come again, and not fit.
BOOST_AUTO_TEST_CASE(a_payload_that_is_with_the_worker_is_not_asked_for_again) {
  Pair pair({.codec_time = seconds(3)}, 3);
  pair.fleet.start();
  pair.fleet.run_for(seconds(5));  // the first payload is being applied
  pair.fleet.cut(0, 1);
  pair.fleet.mend(0, 1);
  pair.fleet.run_for(seconds(60));
  BOOST_TEST(pair.fleet.statistics(from0to1).newest == Round{3});
  BOOST_TEST(pair.fleet.statistics(from0to1).keyframes == 1U);
  BOOST_TEST(pair.fleet.statistics(from0to1).faults == 0U);
  BOOST_TEST(pair.fleet.worker(0).keyframes_encoded == 1);
}

BOOST_AUTO_TEST_CASE(in_synchronous_mode_a_break_loses_no_round) {
  Pair whole({.synchronous = true, .difference_bytes = 50'000}, 60);
  whole.fleet.start();
  whole.fleet.run_for(seconds(60));
  Pair broken({.synchronous = true, .difference_bytes = 50'000}, 60);
  int chunks = 0;
  broken.fleet.on_sent = [&](std::size_t, std::size_t, const OutFrame& frame) {
    return frame.type != FrameType::Chunk || ++chunks % 61 != 0;
  };
  broken.fleet.start();
  broken.fleet.run_for(seconds(60));
  BOOST_TEST(broken.fleet.dials > 5);
  BOOST_TEST(whole.log[{0}].size() == 60U);
  BOOST_TEST((broken.log == whole.log));
  BOOST_TEST(broken.fleet.worker(0).keyframes_encoded == 1);
}

BOOST_AUTO_TEST_CASE(a_reader_that_restarted_gets_one_keyframe) {
  Pair pair;
  pair.fleet.start();
  pair.fleet.run_for(seconds(2));
  pair.fleet.restart(1);
  pair.fleet.run_for(seconds(5));
  BOOST_TEST(pair.fleet.statistics(from0to1).keyframes == 1U);
  BOOST_TEST(pair.fleet.statistics(from0to1).newest.index > 200U);
  BOOST_TEST(pair.fleet.worker(0).keyframes_encoded == 2);
  // And its own reader one from its new replica.
  BOOST_TEST(pair.fleet.statistics(from1to0).keyframes == 2U);
  BOOST_TEST(pair.fleet.statistics(from1to0).payloads > 50U);
  BOOST_TEST(pair.fleet.offences.empty());
}

BOOST_AUTO_TEST_CASE(a_reader_that_is_gone_for_long_is_forgotten) {
  Pair pair;
  pair.fleet.start();
  pair.fleet.run_for(seconds(2));
  pair.fleet.cut(0, 1);
  pair.fleet.run_for(Publisher::lost_reader_patience - seconds(1));
  BOOST_TEST(pair.fleet.worker(0).is_sending(from0to1));
  pair.fleet.run_for(seconds(2));
  BOOST_TEST(!pair.fleet.worker(0).is_sending(from0to1));
  pair.fleet.mend(0, 1);
  pair.fleet.run_for(seconds(61));
  BOOST_TEST(pair.fleet.statistics(from0to1).keyframes == 2U);
  BOOST_TEST(pair.fleet.worker(0).is_sending(from0to1));
  BOOST_TEST(pair.fleet.offences.empty());
}

BOOST_AUTO_TEST_CASE(a_peer_that_cannot_be_reached_is_dialled_ever_less) {
  Pair pair;
  pair.fleet.cut(0, 1);
  pair.fleet.start();
  // Each of the two at 0, 1, 3, 7, 15, 31, 63, 123, 183 s and so on.
  pair.fleet.run_for(seconds(32));
  BOOST_TEST(pair.fleet.dials == 2 * 6);
  pair.fleet.run_for(seconds(32));
  BOOST_TEST(pair.fleet.dials == 2 * 7);
  pair.fleet.run_for(seconds(120));
  BOOST_TEST(pair.fleet.dials == 2 * 9);
  pair.fleet.mend(0, 1);
  pair.fleet.run_for(seconds(65));
  BOOST_TEST(pair.fleet.dials == 2 * 10);
  BOOST_TEST(pair.fleet.statistics(from0to1).payloads > 10U);
  // It worked: the next break is mended within a second.
  pair.fleet.cut(0, 1);
  pair.fleet.mend(0, 1);
  pair.fleet.run_for(milliseconds(1100));
  BOOST_TEST(pair.fleet.dials == 2 * 11);
}

BOOST_AUTO_TEST_CASE(a_transfer_that_stalls_is_given_up_and_dialled_again) {
  Pair pair;
  pair.fleet.start();
  pair.fleet.run_for(seconds(2));
  // Begins arrive, and no bytes.
  int lost = 0;
  pair.fleet.on_sent = [&](std::size_t from, std::size_t, const OutFrame& frame) {
    if (from == 0 && frame.type == FrameType::PayloadBegin) pair.fleet.set_frozen(0, 1, false);
    const bool is_chunk = from == 0 && frame.type == FrameType::Chunk;
    if (is_chunk) pair.fleet.set_frozen(0, 1, ++lost == 1);
    return true;
  };
  const int dials = pair.fleet.dials;
  pair.fleet.run_for(seconds(9));
  BOOST_TEST(pair.fleet.dials == dials);
  pair.fleet.run_for(seconds(5));
  BOOST_TEST(pair.fleet.dials == dials + 1);
  BOOST_TEST(pair.fleet.statistics(from0to1).keyframes == 1U);
  BOOST_TEST(pair.fleet.statistics(from0to1).payloads > 150U);
}

BOOST_AUTO_TEST_CASE(a_slow_link_is_never_cut_while_bytes_move) {
  // A payload takes 50 s, a chunk 8 s.
  Pair pair({.bytes_per_second = 2000, .difference_bytes = 100'000, .keyframe_bytes = 100'000});
  pair.fleet.start();
  pair.fleet.run_for(seconds(1000));
  BOOST_TEST(pair.fleet.dials == 2);
  BOOST_TEST(pair.fleet.statistics(from0to1).payloads >= 18U);
}

BOOST_AUTO_TEST_CASE(a_source_that_moves_is_read_at_its_new_owner) {
  Pair pair;
  pair.fleet.start();
  pair.fleet.run_for(seconds(2));
  const std::uint64_t round = pair.fleet.statistics(from0to1).newest.index;
  pair.fleet.move({0}, 2, {round + 1});
  BOOST_TEST(*pair.fleet.exchange(1).newest_round(from0to1) ==
             Round{round});  // it keeps its replica
  pair.fleet.run_for(seconds(2));
  BOOST_TEST(pair.fleet.statistics(from0to1).keyframes == 2U);
  BOOST_TEST(pair.fleet.statistics(from0to1).newest.index > round + 50);
  BOOST_TEST(!pair.fleet.worker(0).is_sending(from0to1));
  BOOST_TEST(!pair.fleet.worker(0).is_receiving(from1to0));
  BOOST_TEST(pair.fleet.worker(2).is_sending(from0to1));
  // The reader's edges of it are served at the new owner as well.
  BOOST_TEST(pair.fleet.statistics(from1to0).keyframes == 1U);
  BOOST_TEST(pair.fleet.offences.empty());
  BOOST_TEST(pair.fleet.dials == 4);
}

BOOST_AUTO_TEST_CASE(a_cell_that_moves_to_and_fro_ends_where_it_belongs) {
  Pair pair;
  pair.fleet.start();
  std::uint64_t round = 0;
  for (const std::size_t owner : {1U, 2U, 1U, 0U, 2U, 0U, 1U, 0U}) {
    pair.fleet.run_for(milliseconds(137));
    pair.fleet.move({0}, owner, {round += 20});
  }
  pair.fleet.run_for(seconds(5));
  BOOST_TEST(pair.fleet.statistics(from0to1).newest.index > round + 100);
  BOOST_TEST(pair.fleet.statistics(from1to0).newest.index > 100U);
  BOOST_TEST(pair.fleet.offences.empty());
}

// Two edges of one pair of peers, of which one goes away and comes back: on a new stream, at once.
BOOST_AUTO_TEST_CASE(an_edge_that_was_given_up_and_is_wanted_again_renews_the_stream) {
  Log log;
  Fleet fleet(3, {}, [&](std::size_t) {
    return std::make_unique<GenerationLearner>(complete(3), log, false, 1'000'000);
  });
  fleet.place({0}, 0);
  fleet.place({1}, 1);
  fleet.place({2}, 0);
  fleet.start();
  fleet.run_for(seconds(1));
  fleet.move({0}, 2, {100});
  fleet.run_for(seconds(1));
  const int dials = fleet.dials;
  fleet.move({0}, 0, {200});
  fleet.run_for(milliseconds(500));
  BOOST_TEST(fleet.dials == dials + 2);  // that of each to the other
  BOOST_TEST(fleet.statistics(from0to1).newest.index > 200U);
  BOOST_TEST(fleet.statistics({.source = {2}, .reader = {1}}).keyframes == 1U);
  BOOST_TEST(fleet.offences.empty());
}

BOOST_AUTO_TEST_SUITE_END()

// Honest peers over a bad network: streams break anywhere, cells move while views differ, processes
// die, workers refuse. Nobody is ever accused, and once it is over every edge goes on.
#include <boost/test/unit_test.hpp>

#include "base/random.hpp"
#include "peer/exchange/fleet.hpp"
#include "peer/exchange/toy_learners.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(chaos)

namespace {

constexpr std::uint32_t cells = 6;
constexpr std::uint32_t peers = 3;

Neighbours ring_both_ways() {
  return [](CellIndex cell) {
    return std::vector<CellIndex>{{(cell.value + 1) % cells}, {(cell.value + cells - 1) % cells}};
  };
}

struct Chaos {
  Chaos(std::uint64_t seed, bool synchronous)
      : random(stream_key(seed, "chaos", 0)),
        fleet(peers,
              {.synchronous = synchronous,
               .latency = milliseconds(5),
               .bytes_per_second = 2e6,
               .training_time = milliseconds(20),
               .difference_bytes = 40'000,
               .keyframe_bytes = 80'000},
              [this, synchronous](std::size_t) {
                return std::make_unique<GenerationLearner>(ring_both_ways(), log, synchronous,
                                                           1'000'000);
              }) {
    for (std::uint32_t cell = 0; cell < cells; ++cell) fleet.place({cell}, random.below(peers));
    fleet.on_sent = [this](std::size_t, std::size_t, const OutFrame&) {
      return quiet || random.below(300) != 0;
    };
  }

  void disturb() {
    const std::uint32_t cell = random.below(cells);
    const std::uint32_t peer = random.below(peers);
    const EdgeId edge{.source = {(cell + 1) % cells}, .reader = {cell}};
    switch (random.below(7)) {
      case 0:
        return fleet.cut(peer, (peer + 1) % peers);
      case 1:
      case 2:
        return fleet.mend(peer, (peer + 1) % peers);
      case 3:
        return fleet.restart(peer);
      case 4:
        return fleet.move({cell}, peer, {fleet.newest_round({cell})},
                          milliseconds(random.below(300)));
      case 5:
        return fleet.worker_of({cell}).damage(edge);
      default:
        return fleet.worker_of({cell}).refuse(edge, wire::PayloadFault(random.below(5)), 1);
    }
  }
  // Longer than the longest back-off and a quarantine after it; slow training keeps it cheap.
  void calm() {
    quiet = true;
    for (std::uint32_t peer = 0; peer < peers; ++peer)
      fleet.set_training_time(peer, milliseconds(100));
    for (std::uint32_t peer = 0; peer < peers; ++peer) fleet.mend(peer, (peer + 1) % peers);
    fleet.run_for(seconds(150));
  }

  RandomStream random;
  bool quiet = false;
  Log log;
  Fleet fleet;
};

void everything_goes_on(Chaos& chaos) {
  Fleet& fleet = chaos.fleet;
  std::map<EdgeId, EdgeStatistics> before;
  for (std::uint32_t reader = 0; reader < cells; ++reader)
    for (const CellIndex source : ring_both_ways()({reader})) {
      const EdgeId edge{.source = source, .reader = {reader}};
      before[edge] = fleet.statistics(edge);
    }
  fleet.run_for(seconds(10));
  for (const auto& [edge, statistics] : before) {
    BOOST_TEST_CONTEXT("edge " << edge.source << " to " << edge.reader) {
      const EdgeStatistics after = fleet.statistics(edge);
      BOOST_TEST(after.newest.index > statistics.newest.index + 10);
      BOOST_TEST(after.keyframes == statistics.keyframes);
      BOOST_TEST(after.faults == statistics.faults);
    }
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(whatever_the_network_does_no_peer_is_accused_and_every_edge_recovers) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    BOOST_TEST_CONTEXT("seed " << seed) {
      Chaos chaos(seed, seed % 2 == 1);
      chaos.fleet.start();
      for (int i = 0; i < 60; ++i) {
        chaos.fleet.run_for(milliseconds(chaos.random.below(1500)));
        chaos.disturb();
      }
      chaos.calm();
      everything_goes_on(chaos);
      BOOST_TEST(chaos.fleet.offences.empty());
      for (const std::string& offence : chaos.fleet.offences) BOOST_TEST_MESSAGE(offence);
    }
  }
}

BOOST_AUTO_TEST_SUITE_END()

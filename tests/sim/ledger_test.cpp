// Cells that change hands are written down, and so are deaths that were none.
#include "sim/ledger.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>

#include "sim/scenario.hpp"
#include "sim/settlement.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(ledger)

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// A cell for each.
struct Booted {
  Booted() : world(options()) {
    Report report;
    BOOST_TEST_REQUIRE(boot(world, 6, milliseconds(100), report));
  }
  static WorldOptions options() {
    WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
    options.capacity = 4;
    return options;
  }
  const Ledger& ledger() const { return world.ledger(); }
  CellIndex cell_of(NodeIndex node) const { return *ledger().claims_of(node).begin(); }
  std::size_t count(Move::Kind kind, std::size_t from = 0) const {
    const auto& moves = ledger().moves();
    return static_cast<std::size_t>(
        std::count_if(moves.begin() + static_cast<std::ptrdiff_t>(from), moves.end(),
                      [&](const Move& move) { return move.kind == kind; }));
  }
  World world;
};

}  // namespace

BOOST_AUTO_TEST_CASE(what_hosts_claim_is_what_they_gained_and_did_not_lose) {
  Booted f;
  BOOST_TEST(f.count(Move::Kind::Gained) - f.count(Move::Kind::Lost) == 6U);
  BOOST_TEST(f.count(Move::Kind::Ended) == 0U);
  for (const NodeIndex node : f.world.up_hosts())
    BOOST_TEST(f.ledger().claims_of(node).size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_claim_ends_with_its_process_and_somebody_else_gains_the_cell) {
  Booted f;
  const CellIndex cell = f.cell_of(3);
  const std::size_t before = f.ledger().moves().size();
  f.world.kill_process(3);
  BOOST_TEST(f.ledger().claims_of(3).empty());
  BOOST_TEST_REQUIRE(f.ledger().moves().size() == before + 1);
  const Move end = f.ledger().moves().back();
  BOOST_TEST((end.kind == Move::Kind::Ended));
  BOOST_TEST((end.time == f.world.now()));
  BOOST_TEST(end.node == 3U);
  BOOST_TEST((end.cell == cell));
  BOOST_TEST(run_until_rest(f.world, seconds(120)).has_value());
  BOOST_TEST(f.count(Move::Kind::Gained, before) == 1U);
  BOOST_TEST((f.ledger().moves().back().cell == cell));
  BOOST_TEST(f.ledger().moves().back().node != 3U);
}

BOOST_AUTO_TEST_CASE(a_host_that_gives_a_cell_away_has_lost_it) {
  Booted f;
  const std::size_t before = f.ledger().moves().size();
  f.world.leave(4);
  const auto has_ended = [&] { return !f.world.host(4).is_up(); };
  BOOST_TEST_REQUIRE(f.world.run_until_true(has_ended, seconds(60)).has_value());
  BOOST_TEST(f.count(Move::Kind::Lost, before) == 1U);
  BOOST_TEST(f.count(Move::Kind::Gained, before) == 1U);
  BOOST_TEST(f.count(Move::Kind::Ended, before) == 0U);
}

BOOST_AUTO_TEST_CASE(the_death_of_one_who_lives_and_could_be_reached_is_a_false_one) {
  Booted f;
  f.world.pause(2);
  f.world.run_for(seconds(60));
  BOOST_TEST(f.ledger().false_deaths() >= 1U);
}

BOOST_AUTO_TEST_CASE(a_true_death_is_not_and_neither_is_that_of_one_who_is_cut_off) {
  Booted f;
  f.world.lose_machine(1);
  f.world.split({2});
  f.world.run_for(seconds(60));
  BOOST_TEST(f.world.host(0).peer().membership().view().live_count() == 4U);
  BOOST_TEST(f.ledger().false_deaths() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

// A gained cell begins from the newest that anybody holds of it, whoever does not answer.
#include "peer/objects/acquisition.hpp"

#include "peer/objects/acquisition_world.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using namespace std::chrono_literals;
using Commands = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(acquisition)

namespace {

constexpr CellIndex cell{7}, west{6}, east{8};
constexpr PeerId b{2, 2}, c{3, 3}, spare{4, 4};

// b trains the western neighbour, c the eastern one; the spare was the cell's understudy.
using Outcome = AcquisitionOutput::Outcome;

struct World : AcquisitionWorld {
  explicit World(std::vector<StoredCell> stored = {}) : AcquisitionWorld(std::move(stored)) {
    for (const PeerId peer : {b, c, spare}) add(peer);
    own(b, west, {.index = 30});
    own(c, east, {.index = 33});
  }
  void adopt_among_all() { adopt(cell, {{west, b}, {east, c}}, spare); }
  void keep(std::uint64_t round) {
    nodes.at(spare).worker.rounds[cell] = {.index = round};
    nodes.at(spare).objects.on_kept(cell, Round{.index = round});
  }
  void check(const Commands& expected, bool adopted) {
    BOOST_TEST(commands == expected, boost::test_tools::per_element());
    BOOST_REQUIRE(results.size() == 1U);
    BOOST_TEST((results[0].outcome == Outcome::Started));
    BOOST_TEST(results[0].adopted == adopted);
  }
};

struct StoredWorld : World {
  StoredWorld() : World({{cell, {.index = 20}}, {cell, {.index = 25}}, {cell, {.index = 3}}}) {}
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_cell_of_which_nobody_has_anything_begins_fresh, AcquisitionWorld) {
  adopt(cell, {});
  BOOST_TEST(commands == Commands{"start 7 fresh"});
  BOOST_TEST((results[0].outcome == Outcome::Started));
  BOOST_TEST(!results[0].adopted);
}

BOOST_FIXTURE_TEST_CASE(a_fresh_start_beside_neighbours_that_went_on_is_an_adoption, World) {
  adopt_among_all();
  check({"start 7 fresh"}, true);
}

BOOST_FIXTURE_TEST_CASE(the_newest_snapshot_is_taken_and_jumps_to_the_furthest_neighbour, World) {
  hold(b, cell, 29, west);
  hold(c, cell, 31, east);
  adopt_among_all();
  check({"start 7 from snapshot of 7 jump 33"}, true);
  BOOST_TEST(nodes.at(c).worker.log == Commands{"snapshot of 7"});
  BOOST_TEST(nodes.at(b).worker.log.empty());
}

BOOST_FIXTURE_TEST_CASE(a_newer_snapshot_wins_over_the_understudys_copy, World) {
  hold(b, cell, 29, west);
  keep(28);
  adopt_among_all();
  check({"start 7 from snapshot of 7 jump 33"}, true);
}

BOOST_FIXTURE_TEST_CASE(a_complete_state_wins_over_a_snapshot_of_the_same_round, World) {
  hold(b, cell, 33, west);
  keep(33);
  adopt_among_all();
  check({"start 7 from state of 7"}, false);
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_wins_over_what_is_no_newer, StoredWorld) {
  hold(b, cell, 25, west);
  keep(25);
  adopt_among_all();
  check({"start 7 from checkpoint"}, true);
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_as_new_as_all_else_is_no_adoption, StoredWorld) {
  own(b, west, {.index = 25});
  own(c, east, {.index = 24});
  adopt_among_all();
  check({"start 7 from checkpoint"}, false);
}

BOOST_FIXTURE_TEST_CASE(a_checkpoint_that_is_written_later_counts_too, World) {
  tell(CellStored{.cell = cell, .round = {.index = 50}});
  adopt_among_all();
  check({"start 7 from checkpoint"}, false);
}

// It went on elsewhere in between: what was on the disk is of an earlier life.
BOOST_FIXTURE_TEST_CASE(a_cell_that_was_taken_over_has_no_earlier_checkpoint, StoredWorld) {
  nodes.at(b).worker.rounds[cell] = {.index = 10};
  own(b, cell, {.index = 10});
  ObjectsOutput out;
  nodes.at(b).objects.allow_handover(cell, gainer, out);
  take_over(cell, b);
  BOOST_REQUIRE_EQUAL(commands.size(), 1U);
  nodes.at(b).objects.on_released(cell);
  adopt_among_all();
  BOOST_TEST(commands.back() == "start 7 fresh");
}

BOOST_FIXTURE_TEST_CASE(a_torn_checkpoint_is_tried_once, StoredWorld) {
  refused = {"start 7 from checkpoint"};
  adopt_among_all();
  commands.clear();
  adopt_among_all();
  BOOST_TEST(commands == Commands{"start 7 fresh"});
}

BOOST_FIXTURE_TEST_CASE(a_newer_copy_wins_over_the_checkpoint, StoredWorld) {
  keep(28);
  adopt_among_all();
  check({"start 7 from state of 7"}, true);
}

BOOST_FIXTURE_TEST_CASE(what_cannot_be_fetched_makes_way_for_the_next_best, World) {
  hold(b, cell, 29, west);
  hold(c, cell, 31, east);
  keep(28);
  nodes.at(c).worker.is_empty = true;
  adopt_among_all();
  check({"start 7 from snapshot of 7 jump 33"}, true);
  BOOST_TEST(nodes.at(b).worker.log == Commands{"snapshot of 7"});
}

BOOST_FIXTURE_TEST_CASE(when_every_fetch_fails_the_checkpoint_and_then_fresh_is_left, World) {
  hold(b, cell, 29, west);
  keep(31);
  nodes.at(b).worker.is_empty = true;
  nodes.at(spare).worker.is_empty = true;
  adopt_among_all();
  check({"start 7 fresh"}, true);
}

// Its checkpoint is torn: what a neighbour holds is older, but whole.
BOOST_FIXTURE_TEST_CASE(what_does_not_start_makes_way_for_the_next_best, StoredWorld) {
  hold(b, cell, 24, west);
  keep(23);
  refused = {"start 7 from checkpoint", "start 7 from snapshot of 7 jump 33"};
  adopt_among_all();
  check(
      {"start 7 from checkpoint", "start 7 from snapshot of 7 jump 33", "start 7 from state of 7"},
      true);
}

BOOST_FIXTURE_TEST_CASE(a_cell_that_does_not_even_start_afresh_is_not_acquired, World) {
  refused = {"start 7 fresh"};
  adopt_among_all();
  BOOST_TEST(commands == Commands{"start 7 fresh"});
  BOOST_REQUIRE_EQUAL(results.size(), 1U);
  BOOST_TEST((results[0].outcome == Outcome::Refused));
}

BOOST_FIXTURE_TEST_CASE(a_yielded_state_that_does_not_start_is_no_acquisition, World) {
  ObjectsOutput out;
  nodes.at(b).objects.allow_handover(west, gainer, out);
  refused = {"start 6 from parked state of 6"};
  take_over(west, b);
  BOOST_TEST(commands == Commands{"start 6 from parked state of 6"});
  BOOST_REQUIRE_EQUAL(results.size(), 1U);
  BOOST_TEST((results[0].outcome == Outcome::Refused));
  refused.clear();
  take_over(west, b);
  BOOST_REQUIRE_EQUAL(results.size(), 2U);
  BOOST_TEST((results[1].outcome == Outcome::Started));
}

BOOST_FIXTURE_TEST_CASE(a_yielded_state_that_is_none_is_told_from_one_that_does_not_start, World) {
  for (const ErrorCode code : {ErrorCode::Corrupt, ErrorCode::Mismatch, ErrorCode::NotFinite}) {
    ObjectsOutput out;
    nodes.at(b).objects.allow_handover(west, gainer, out);
    refused = {"start 6 from parked state of 6"};
    refusal = code;
    take_over(west, b);
    BOOST_TEST((results.back().outcome == Outcome::NoState));
  }
}

BOOST_FIXTURE_TEST_CASE(a_state_that_is_older_than_what_was_known_is_an_adoption, World) {
  hold(b, cell, 29, west);
  keep(20);
  nodes.at(b).worker.is_empty = true;
  adopt_among_all();
  check({"start 7 from state of 7"}, true);
}

BOOST_FIXTURE_TEST_CASE(who_does_not_answer_is_waited_for_no_longer_than_the_patience, World) {
  hold(b, cell, 29, west);
  mute.insert(c);
  adopt_among_all();
  BOOST_TEST(commands.empty());
  run_acquisition_until(now + 2900ms);
  BOOST_TEST(commands.empty());
  run_acquisition_until(now + 200ms);
  check({"start 7 from snapshot of 7 jump 30"}, true);
  run_acquisition_until(now + 200s);  // its answer, that there was none, changes nothing
  BOOST_TEST(commands.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_unreachable_peer_costs_no_patience, World) {
  unreachable = {b, c, spare};
  adopt_among_all();
  check({"start 7 fresh"}, false);
}

BOOST_FIXTURE_TEST_CASE(this_peer_asks_itself_too, World) {
  own(gainer, {17}, {.index = 40});
  hold(gainer, cell, 39, {17});
  adopt(cell, {{{17}, gainer}, {west, b}}, gainer);
  check({"start 7 from snapshot of 7 jump 40"}, true);
}

// Whoever claims a cell is no spare any more: the understudy that is named then is somebody else.
BOOST_FIXTURE_TEST_CASE(an_understudy_that_takes_the_cell_begins_from_its_own_copy, World) {
  nodes.at(gainer).worker.rounds[cell] = {.index = 28};
  nodes.at(gainer).objects.on_kept(cell, Round{.index = 28});
  hold(b, cell, 27, west);
  adopt_among_all();
  check({"start 7 from state of 7"}, true);
}

// The cell reads what lies two away while what lies between is vacant.
BOOST_FIXTURE_TEST_CASE(what_this_peer_read_of_a_cell_that_is_no_neighbour_counts, World) {
  own(gainer, {17}, {.index = 40});
  hold(gainer, cell, 32, {17});
  adopt_among_all();
  check({"start 7 from snapshot of 7 jump 33"}, true);
}

BOOST_FIXTURE_TEST_CASE(each_owner_is_asked_once_for_the_cell, World) {
  own(b, east, {.index = 34});
  hold(b, cell, 29, west);
  adopt(cell, {{west, b}, {east, b}, {{17}, b}});
  check({"start 7 from snapshot of 7 jump 34"}, true);
  BOOST_TEST(dials == 1U);
}

BOOST_FIXTURE_TEST_CASE(no_more_than_so_many_adoptions_fetch_at_once, World) {
  constexpr std::uint32_t cells = Acquisition::adoption_fetches_max + 3;
  nodes.at(b).worker.is_slow = true;
  for (std::uint32_t i = 0; i < cells; ++i) {
    hold(b, {100 + i}, 5, west);
    adopt({100 + i}, {{west, b}});
  }
  auto& held_back = nodes.at(b).worker.held_back;
  BOOST_TEST(held_back.size() == Acquisition::adoption_fetches_max);
  while (!held_back.empty()) {
    const ObjectReady ready = held_back.front();
    held_back.erase(held_back.begin());
    report(b, ready);
    pump();
  }
  BOOST_TEST(commands.size() == cells);
  BOOST_TEST(commands.back() == "start 110 from snapshot of 110 jump 30");
}

BOOST_FIXTURE_TEST_CASE(a_yielded_cell_goes_on_from_its_donors_state, World) {
  ObjectsOutput out;
  nodes.at(b).objects.allow_handover(west, gainer, out);
  take_over(west, b);
  check({"start 6 from parked state of 6"}, false);
}

BOOST_FIXTURE_TEST_CASE(a_donor_that_is_gone_or_has_nothing_is_no_acquisition, World) {
  take_over(west, b);  // not yielded to this peer
  unreachable.insert(c);
  take_over(east, c);
  BOOST_TEST(commands.empty());
  BOOST_REQUIRE(results.size() == 2U);
  BOOST_TEST((results[0].outcome == Outcome::Missing));
  BOOST_TEST((results[1].outcome == Outcome::Missing));
  BOOST_TEST((results[1].cell == east));
}

BOOST_FIXTURE_TEST_CASE(what_was_abandoned_does_not_begin, World) {
  hold(b, cell, 29, west);
  mute.insert(c);
  adopt_among_all();
  acquisition.abandon(cell);
  nodes.at(b).worker.is_slow = true;
  ObjectsOutput out;
  nodes.at(b).objects.allow_handover(west, gainer, out);
  take_over(west, b);
  acquisition.abandon(west);
  report(b, nodes.at(b).worker.held_back.at(0));
  run_acquisition_until(now + 200s);
  BOOST_TEST(commands.empty());
  BOOST_TEST(results.empty());
}

BOOST_FIXTURE_TEST_CASE(a_cell_that_is_adopted_again_begins_once, World) {
  mute.insert(c);
  adopt_among_all();
  mute.clear();
  adopt_among_all();
  run_acquisition_until(now + 200s);
  BOOST_TEST(commands == Commands{"start 7 fresh"});
}

BOOST_AUTO_TEST_SUITE_END()

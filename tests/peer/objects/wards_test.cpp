// An understudy's copies: as new as they should be, one fetched at a time, kept past their ward.
#include "peer/objects/wards.hpp"

#include "peer/objects/acquisition_world.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using namespace std::chrono_literals;
using Commands = std::vector<std::string>;

BOOST_AUTO_TEST_SUITE(wards)

namespace {

constexpr CellIndex cell{7}, other{8};
constexpr PeerId b{2, 2}, c{3, 3};

constexpr Ward ward(CellIndex of, std::uint64_t round, PeerId owner = b) {
  return {.cell = of, .owner = owner, .round = {.index = round}};
}

struct World : AcquisitionWorld {
  World() {
    add(b);
    add(c);
    own(b, cell, {.index = 10});
  }
  void come_to(std::uint64_t round) {
    nodes.at(b).worker.rounds[cell] = {.index = round};
    report(b, CellPublished{.cell = cell, .round = {.index = round}});
    set_wards({ward(cell, round)});
  }
};

}  // namespace

BOOST_FIXTURE_TEST_CASE(a_copy_is_taken_every_so_many_rounds, World) {
  set_wards({ward(cell, 9)});
  BOOST_TEST(commands.empty());
  come_to(10);
  come_to(19);
  BOOST_TEST(commands == Commands{"keep 7 at 10: state of 7"});
  come_to(20);
  BOOST_TEST(commands.back() == "keep 7 at 20: state of 7");
  BOOST_TEST(commands.size() == 2U);
}

BOOST_FIXTURE_TEST_CASE(a_copy_is_served_to_who_asks_for_it, World) {
  come_to(10);
  ObjectsOutput out;
  nodes.at(c).objects.ask(gainer, wire::ObjectKind::State, cell, now, out);
  settle(c, std::move(out));
  BOOST_TEST(nodes.at(c).answers.at(0).found);
}

BOOST_FIXTURE_TEST_CASE(one_copy_is_fetched_at_a_time_and_each_has_its_turn, World) {
  own(b, other, {.index = 10});
  nodes.at(b).worker.is_slow = true;
  auto& held_back = nodes.at(b).worker.held_back;
  set_wards({ward(cell, 50), ward(other, 50)});
  BOOST_TEST(held_back.size() == 1U);
  report(b, held_back[0]);
  pump();
  // The first is due again, since its owner went on; but it is the other's turn.
  BOOST_REQUIRE(held_back.size() == 2U);
  BOOST_TEST((held_back[1].cell == other));
  report(b, held_back[1]);
  pump();
  BOOST_REQUIRE(held_back.size() == 3U);
  BOOST_TEST((held_back[2].cell == cell));
}

BOOST_FIXTURE_TEST_CASE(a_failed_copy_is_tried_again_after_a_while, World) {
  unreachable.insert(b);
  set_wards({ward(cell, 10)});
  BOOST_TEST(dials == 1U);
  tick();
  BOOST_TEST(dials == 1U);
  unreachable.clear();
  run_acquisition_until(now + Wards::retry_after);
  BOOST_TEST(commands == Commands{"keep 7 at 10: state of 7"});
}

BOOST_FIXTURE_TEST_CASE(a_state_that_is_no_newer_is_not_kept_again, World) {
  come_to(10);
  set_wards({ward(cell, 30)});  // it was said to be further than it is
  BOOST_TEST(commands.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(a_copy_outlives_its_ward_for_a_while, World) {
  come_to(10);
  set_wards({});
  run_acquisition_until(now + (Wards::keep_after - 1s));
  set_wards({});
  BOOST_TEST(commands.size() == 1U);
  run_acquisition_until(now + 2s);
  BOOST_TEST(commands.back() == "drop 7");
  ObjectsOutput out;
  nodes.at(c).objects.ask(gainer, wire::ObjectKind::State, cell, now, out);
  settle(c, std::move(out));
  BOOST_TEST(!nodes.at(c).answers.at(0).found);
}

BOOST_FIXTURE_TEST_CASE(a_ward_whose_owner_died_is_adopted_from_the_copy, World) {
  come_to(10);
  set_wards({});
  adopt(cell, {}, gainer);
  BOOST_TEST(commands.back() == "start 7 from state of 7");
}

BOOST_FIXTURE_TEST_CASE(a_ward_that_comes_back_keeps_its_copy, World) {
  come_to(10);
  set_wards({});
  set_wards({ward(cell, 12, c)});
  run_acquisition_until(now + 2 * Wards::keep_after);
  BOOST_TEST(commands.size() == 1U);
}

BOOST_FIXTURE_TEST_CASE(an_answer_for_a_ward_that_is_gone_is_not_kept, World) {
  nodes.at(b).worker.is_slow = true;
  set_wards({ward(cell, 10)});
  set_wards({});
  report(b, nodes.at(b).worker.held_back.at(0));
  pump();
  BOOST_TEST(commands.empty());
}

BOOST_FIXTURE_TEST_CASE(no_more_than_so_many_copies_are_kept, World) {
  std::vector<Ward> many;
  for (std::uint32_t i = 0; i < Wards::copies_max + 10; ++i) {
    own(b, {1000 + i}, {.index = 10});
    many.push_back(ward({1000 + i}, 10));
  }
  set_wards(many);
  BOOST_TEST(commands.size() == Wards::copies_max);
}

BOOST_AUTO_TEST_SUITE_END()

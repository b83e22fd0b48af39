// What a forger can make of statements: nothing that their subject could not mend with a word.
//
// Two peers whose clocks may differ: the victim, and one that believes what is said about it.
#include "peer/membership/roster.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdint>
#include <vector>

#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::Update;
using wire::UpdateKind;
using Outcome = Roster::Outcome;
using Source = Roster::Source;

BOOST_AUTO_TEST_SUITE(forgery)

namespace {

constexpr std::uint64_t clock_at_start = 1'700'000'000'000;  // in 2023
constexpr auto lead = static_cast<std::uint64_t>(incarnation_lead_max.count());
constexpr std::uint64_t hour = 3'600'000;  // as far as the simulator's clocks err
// The victim's and the believer's: a little off, or never set.
struct Clocks {
  std::uint64_t victim = clock_at_start;
  std::uint64_t believer = clock_at_start;
};
constexpr Clocks all_clocks[] = {{.believer = clock_at_start - hour},
                                 {},
                                 {.believer = clock_at_start + hour},
                                 {.victim = 1},
                                 {.believer = 1}};

struct Holder {
  Holder(std::uint32_t number, std::uint64_t clock)
      : roster({}, record_of(number, {.incarnation = clock}), pool), clock_now(clock) {
    roster.begin(now, out);
  }
  Outcome apply(const Update& update, Source source = Source::Member) {
    return roster.apply(update, source, now, out);
  }
  void pass(std::chrono::milliseconds time) {
    now = now + time;
    clock_now += static_cast<std::uint64_t>(time.count());
    roster.on_time(now, out);
  }
  MemberState state(PeerId id) const {
    BOOST_REQUIRE(roster.view().find(id) != nullptr);
    return roster.view().find(id)->state();
  }
  Update own() const { return Statement::alive(roster.self()).update(); }

  RecordPool pool;
  MembershipOutput out;
  TimePoint now = at(seconds(100));
  Roster roster;
  std::uint64_t clock_now;
};

// The victim is peer 7, the believer peer 1; they have met.
struct Pair {
  explicit Pair(std::uint64_t victims_clock = clock_at_start,
                std::uint64_t believers_clock = clock_at_start)
      : victim(7, victims_clock), believer(1, believers_clock) {
    believer.apply(victim.own());
  }
  void pass(std::chrono::milliseconds time) {
    victim.pass(time);
    believer.pass(time);
  }
  // Whether the believer holds the victim alive again once both have heard of the forgery.
  bool mends(const Update& forged) {
    victim.apply(forged);
    pass(milliseconds(1));
    believer.apply(victim.own());
    return believer.state(id_of(7)) == MemberState::Alive;
  }

  Holder victim;
  Holder believer;
};

}  // namespace

BOOST_AUTO_TEST_CASE(the_furthest_accusation_that_is_believed_can_be_refuted_for_ever) {
  for (const Clocks& clocks : all_clocks) {
    Pair pair(clocks.victim, clocks.believer);
    for (int time = 0; time < 100; ++time) {
      const Update forged = said(UpdateKind::Suspect, 7, pair.believer.clock_now + lead);
      BOOST_TEST(int(pair.believer.apply(forged)) == int(Outcome::News));
      BOOST_REQUIRE(pair.mends(forged));
      pair.pass(seconds(1));
    }
  }
}

// It is accused to its face of more than the other believes, and then to the other of what it says.
BOOST_AUTO_TEST_CASE(a_victim_that_is_driven_far_ahead_still_refutes) {
  for (const Clocks& clocks : all_clocks) {
    Pair pair(clocks.victim, clocks.believer);
    for (int time = 0; time < 100; ++time) {
      BOOST_REQUIRE(pair.mends(said(UpdateKind::Dead, 7, pair.victim.clock_now + 2 * lead)));
      const Update forged =
          said(UpdateKind::Suspect, 7, pair.victim.roster.self()->record.incarnation);
      BOOST_TEST(int(pair.believer.apply(forged)) == int(Outcome::News));
      BOOST_REQUIRE(pair.mends(forged));
      pair.pass(seconds(1));
    }
  }
}

BOOST_AUTO_TEST_CASE(the_furthest_record_that_is_believed_is_written_over) {
  Pair pair;
  for (int time = 0; time < 100; ++time) {
    const Update forged = alive(7, {.incarnation = pair.believer.clock_now + 3 * lead});
    BOOST_TEST(int(pair.believer.apply(forged)) == int(Outcome::News));
    BOOST_REQUIRE(pair.mends(forged));
    BOOST_REQUIRE(pair.believer.roster.view().find(id_of(7))->record->record ==
                  pair.victim.roster.self()->record);
    pair.pass(seconds(1));
  }
}

BOOST_AUTO_TEST_CASE(what_is_further_ahead_is_no_statement_to_anybody) {
  Pair pair;
  for (const UpdateKind kind : {UpdateKind::Suspect, UpdateKind::Dead, UpdateKind::Left}) {
    BOOST_TEST(int(pair.believer.apply(said(kind, 7, clock_at_start + lead + 1))) ==
               int(Outcome::Nothing));
    BOOST_TEST(int(pair.believer.apply(said(kind, 8, clock_at_start + lead + 1))) ==
               int(Outcome::Nothing));
    BOOST_TEST(int(pair.victim.apply(said(kind, 7, clock_at_start + 2 * lead + 1))) ==
               int(Outcome::Nothing));
  }
  const Update record = alive(7, {.incarnation = clock_at_start + 3 * lead + 1});
  BOOST_TEST(int(pair.believer.apply(record)) == int(Outcome::Nothing));
  BOOST_TEST(int(pair.victim.apply(record)) == int(Outcome::Nothing));
  BOOST_TEST(pair.victim.roster.refutations() == 0u);
  BOOST_TEST(int(pair.believer.state(id_of(7))) == int(MemberState::Alive));
  BOOST_TEST(pair.believer.roster.view().find(id_of(8)) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_victim_that_was_driven_far_ahead_still_dies_when_it_is_gone) {
  Pair pair;
  pair.victim.apply(said(UpdateKind::Suspect, 7, clock_at_start + 2 * lead));
  pair.pass(milliseconds(1));
  pair.believer.apply(pair.victim.own());
  const std::uint64_t incarnation = pair.victim.roster.self()->record.incarnation;
  BOOST_TEST(incarnation == clock_at_start + 2 * lead + 1);
  BOOST_TEST(int(pair.believer.apply(said(UpdateKind::Suspect, 7, incarnation))) ==
             int(Outcome::News));
  pair.pass(seconds(100));
  BOOST_TEST(int(pair.believer.state(id_of(7))) == int(MemberState::Dead));
}

BOOST_AUTO_TEST_CASE(a_peer_whose_clock_was_never_set_believes_and_is_believed) {
  Pair pair(0, clock_at_start);
  const Update suspected = said(UpdateKind::Suspect, 7, 0);
  BOOST_TEST(int(pair.believer.apply(suspected)) == int(Outcome::News));
  BOOST_TEST(pair.mends(suspected));
  BOOST_TEST(int(pair.victim.apply(pair.believer.own())) == int(Outcome::News));
  const std::uint64_t incarnation = pair.believer.roster.self()->record.incarnation;
  BOOST_TEST(int(pair.victim.apply(said(UpdateKind::Suspect, 1, incarnation))) ==
             int(Outcome::News));
}

BOOST_AUTO_TEST_CASE(that_somebody_left_is_doubted_when_a_stranger_says_so) {
  Pair pair;
  const Update forged = said(UpdateKind::Left, 7, clock_at_start);
  BOOST_TEST(int(pair.believer.apply(forged, Source::Stranger)) == int(Outcome::Doubted));
  BOOST_TEST(int(pair.believer.state(id_of(7))) == int(MemberState::Suspect));
  BOOST_TEST(pair.mends(*pair.believer.roster.accusation(id_of(7))));
  BOOST_TEST(int(pair.believer.apply(said(UpdateKind::Left, 7, clock_at_start + 1))) ==
             int(Outcome::News));
}

BOOST_AUTO_TEST_CASE(that_somebody_left_is_mended_when_it_hears_so) {
  Pair pair;
  pair.believer.apply(said(UpdateKind::Left, 7, clock_at_start));
  BOOST_REQUIRE(int(pair.believer.state(id_of(7))) == int(MemberState::Left));
  BOOST_REQUIRE(pair.believer.roster.accusation(id_of(7)).has_value());
  BOOST_TEST(pair.mends(*pair.believer.roster.accusation(id_of(7))));
}

BOOST_AUTO_TEST_SUITE_END()

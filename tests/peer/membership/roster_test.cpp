// What statements do to the view. The table is the rules of SWIM with what other systems left out
// of them; below it, this peer's own record, tombstones, addresses and the limits.
#include "peer/membership/roster.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "peer/membership/sample_records.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;
using wire::Update;
using wire::UpdateKind;
using Outcome = Roster::Outcome;
using Source = Roster::Source;

BOOST_AUTO_TEST_SUITE(roster)

namespace {

struct Holder {
  explicit Holder(MembershipOptions options = {}) : roster(options, record_of(1), pool) {
    roster.begin(now, out);
    out = {};
  }

  Outcome apply(const Update& update, Source source = Source::Member) {
    return roster.apply(update, source, now, out);
  }
  void pass(Duration time) {
    now = now + time;
    roster.on_time(now, out);
  }
  const Member* find(std::uint32_t number) const { return roster.view().find(id_of(number)); }
  MemberState state(std::uint32_t number) const {
    BOOST_REQUIRE(find(number) != nullptr);
    return find(number)->state();
  }
  // What gossip has to say, once.
  std::vector<Update> told() {
    std::vector<Update> updates;
    std::size_t room_bytes = 1 << 20;
    roster.broadcasts().pick(room_bytes, 100, updates);
    return updates;
  }
  bool tells(UpdateKind kind, std::uint32_t subject) {
    return std::ranges::any_of(told(), [&](const Update& update) {
      return update.kind == kind && update.subject == id_of(subject);
    });
  }

  RecordPool pool;
  MembershipOutput out;
  TimePoint now = at(seconds(100));
  Roster roster;
};

Update suspect(std::uint64_t incarnation, std::uint32_t accuser = 90) {
  return said(UpdateKind::Suspect, 7, incarnation, accuser);
}
Update dead(std::uint64_t incarnation) {
  return said(UpdateKind::Dead, 7, incarnation);
}
Update left(std::uint64_t incarnation) {
  return said(UpdateKind::Left, 7, incarnation);
}
Update lives(std::uint64_t incarnation, std::uint32_t version = 0) {
  return alive(7, {.incarnation = incarnation, .version = version});
}

struct Row {
  const char* rule;
  std::vector<Update> before;
  Update then;
  MemberState state;
  std::uint64_t incarnation;
  std::optional<std::uint32_t> version;  // of the record, where there is one
  Outcome outcome;
};

using enum MemberState;

std::vector<Row> rows_of_life() {
  return {
      {"a first word that it lives", {}, lives(5), Alive, 5, 0, Outcome::News},
      {"the same again", {lives(5)}, lives(5), Alive, 5, 0, Outcome::Nothing},
      {"a later version", {lives(5)}, lives(5, 1), Alive, 5, 1, Outcome::News},
      {"an earlier version", {lives(5, 2)}, lives(5, 1), Alive, 5, 2, Outcome::Nothing},
      {"a larger incarnation, with a smaller version",
       {lives(5, 9)},
       lives(6),
       Alive,
       6,
       0,
       Outcome::News},
      {"an incarnation of years later",
       {lives(5)},
       lives(5 + (1ULL << 40)),
       Alive,
       5 + (1ULL << 40),
       0,
       Outcome::News},
      {"a smaller incarnation", {lives(5)}, lives(4, 9), Alive, 5, 0, Outcome::Nothing},
  };
}

std::vector<Row> rows_of_suspicion() {
  return {
      {"a suspicion", {lives(5)}, suspect(5), Suspect, 5, 0, Outcome::News},
      {"a suspicion of a past incarnation", {lives(5)}, suspect(4), Alive, 5, 0, Outcome::Nothing},
      {"a suspicion of an incarnation that is news here",
       {lives(5)},
       suspect(6),
       Suspect,
       6,
       0,
       Outcome::News},
      {"the same accuser again",
       {lives(5), suspect(5)},
       suspect(5),
       Suspect,
       5,
       0,
       Outcome::Nothing},
      {"another accuser, where there are too few to wait for",
       {lives(5), suspect(5)},
       suspect(5, 91),
       Suspect,
       5,
       0,
       Outcome::Nothing},
      {"a suspect's newer record does not clear it",
       {lives(5), suspect(5)},
       lives(5, 1),
       Suspect,
       5,
       1,
       Outcome::News},
      {"a larger incarnation clears it",
       {lives(5), suspect(5)},
       lives(6),
       Alive,
       6,
       0,
       Outcome::News},
      {"but not one below the suspicion's",
       {lives(5), suspect(7)},
       lives(6),
       Suspect,
       7,
       0,
       Outcome::News},
  };
}

std::vector<Row> rows_of_death() {
  return {
      {"it left", {lives(5)}, left(5), Left, 5, {}, Outcome::News},
      {"it left in a past incarnation", {lives(5)}, left(4), Alive, 5, 0, Outcome::Nothing},
      {"after leaving, the same incarnation is a memory",
       {lives(5), left(5)},
       lives(5, 9),
       Left,
       5,
       {},
       Outcome::Outdated},
      {"a left one is not suspected",
       {lives(5), left(5)},
       suspect(5),
       Left,
       5,
       {},
       Outcome::Nothing},
      {"nor does it die", {lives(5), left(5)}, dead(5), Left, 5, {}, Outcome::Nothing},
      {"the largest incarnation is kept of the gone, too",
       {lives(5), left(5), dead(8)},
       lives(7),
       Left,
       8,
       {},
       Outcome::Outdated},
      {"beyond it, it lives", {lives(5), left(5), dead(8)}, lives(9), Alive, 9, 0, Outcome::News},

      {"the death of a stranger leaves a tombstone", {}, dead(5), Dead, 5, {}, Outcome::News},
      {"which a late word that it lived does not move",
       {dead(5)},
       lives(5),
       Dead,
       5,
       {},
       Outcome::Outdated},
      {"the death of an unsuspected one is doubted",
       {lives(5)},
       dead(5),
       Suspect,
       5,
       0,
       Outcome::Doubted},
      {"a death in a past incarnation", {lives(5)}, dead(4), Alive, 5, 0, Outcome::Nothing},
      {"an incarnation that is absurdly far ahead",
       {lives(5)},
       suspect(std::uint64_t{1} << 62),
       Alive,
       5,
       0,
       Outcome::Nothing},
      {"a kind of a later version",
       {lives(5)},
       said(UpdateKind::Unknown, 7, 9),
       Alive,
       5,
       0,
       Outcome::Nothing},
  };
}

void try_out(const Row& row) {
  Holder holder;
  for (const Update& update : row.before) holder.apply(update);
  BOOST_TEST(int(holder.apply(row.then)) == int(row.outcome));
  const Member* member = holder.find(7);
  BOOST_REQUIRE(member != nullptr);
  BOOST_TEST(int(member->state()) == int(row.state));
  BOOST_TEST(member->incarnation == row.incarnation);
  BOOST_TEST((member->record != nullptr) == row.version.has_value());
  if (row.version) BOOST_TEST(member->record->record.version == *row.version);
}

// Suspected, for long enough that a death is believed, and dead.
void die(Holder& holder, std::uint64_t incarnation) {
  holder.apply(lives(incarnation));
  holder.apply(suspect(incarnation));
  holder.now = holder.now + seconds(3);
  BOOST_REQUIRE(holder.apply(dead(incarnation)) == Outcome::News);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_statement_does_what_the_table_says) {
  for (const auto& rows : {rows_of_life(), rows_of_suspicion(), rows_of_death()})
    for (const Row& row : rows) BOOST_TEST_CONTEXT(row.rule) try_out(row);
}

BOOST_AUTO_TEST_CASE(a_suspicion_of_a_stranger_is_no_news) {
  Holder holder;
  BOOST_TEST(int(holder.apply(suspect(5))) == int(Outcome::Nothing));
  BOOST_TEST(holder.find(7) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_statement_whose_record_is_another_or_none_changes_nothing) {
  Holder holder;
  Update other = lives(5);
  other.subject = id_of(8);
  Update later = lives(5);
  later.incarnation = 6;
  Update version = lives(5);
  version.version = 3;
  Update damaged = lives(5);
  damaged.record.resize(20);
  for (const Update& update : {other, later, version, damaged})
    BOOST_TEST(int(holder.apply(update)) == int(Outcome::Nothing));
  BOOST_TEST(holder.roster.view().members().size() == 1u);
  BOOST_TEST(holder.out.changes.empty());
}

BOOST_AUTO_TEST_CASE(no_sequence_of_statements_takes_a_member_back) {
  using enum UpdateKind;
  constexpr UpdateKind kinds[] = {Alive, Suspect, Dead, Left};
  RandomStream random(stream_key(1, "statements", 0));
  for (int story = 0; story < 200; ++story) {
    Holder holder;
    std::pair<std::uint64_t, std::uint32_t> newest{};  // of the records that were held
    std::uint64_t gone_at = 0;                         // the largest incarnation that ended
    for (int step = 0; step < 60; ++step) {
      const std::uint64_t incarnation = 1 + random.below(6);
      const UpdateKind kind = kinds[random.below(4)];
      const Source source = random.below(3) == 0 ? Source::Sync : Source::Member;
      holder.apply(kind == Alive ? lives(incarnation, random.below(3))
                                 : said(kind, 7, incarnation, 80 + random.below(4)),
                   source);
      if (random.below(4) == 0) holder.pass(seconds(random.below(6)));
      const Member* member = holder.find(7);
      if (member == nullptr) continue;
      if (!is_live(member->state())) {
        gone_at = std::max(gone_at, member->incarnation);
        continue;
      }
      const wire::PeerRecord& record = member->record->record;
      const std::pair stand{record.incarnation, record.version};
      BOOST_REQUIRE(stand >= newest);
      BOOST_REQUIRE_GT(record.incarnation, gone_at);
      BOOST_REQUIRE_GE(member->incarnation, record.incarnation);
      newest = stand;
    }
  }
}

// --- From suspicion to death ---

BOOST_AUTO_TEST_CASE(a_suspect_that_does_not_refute_dies_in_time_and_everybody_is_told) {
  Holder holder;
  holder.apply(lives(5));
  holder.apply(suspect(5));
  BOOST_TEST(holder.tells(UpdateKind::Suspect, 7));
  BOOST_TEST((holder.roster.wake_at() == holder.now + seconds(4)));  // few members: no confirmation
  holder.out = {};
  holder.pass(seconds(4));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Dead));
  BOOST_TEST(holder.tells(UpdateKind::Dead, 7));
  BOOST_REQUIRE_EQUAL(holder.out.changes.size(), 1u);
  BOOST_TEST(holder.out.changes[0].before->record.incarnation == 5u);
  BOOST_TEST((holder.out.changes[0].after == nullptr));
}

BOOST_AUTO_TEST_CASE(other_accusers_shorten_a_suspicion_and_are_passed_on_until_there_are_enough) {
  Holder holder;
  for (std::uint32_t number = 2; number <= 10; ++number) holder.apply(alive(number));
  const auto accuse = [&](std::uint32_t accuser) {
    return holder.apply(said(UpdateKind::Suspect, 7, 100, accuser)) == Outcome::News;
  };
  BOOST_TEST(accuse(2));
  BOOST_TEST((holder.roster.wake_at() == holder.now + seconds(24)));
  BOOST_TEST(!accuse(2));
  BOOST_TEST(accuse(3));
  BOOST_TEST(accuse(4));
  BOOST_TEST((holder.roster.wake_at() == holder.now + seconds(4)));
  BOOST_TEST(!accuse(5));
}

BOOST_AUTO_TEST_CASE(a_refuted_suspicion_never_kills) {
  Holder holder;
  holder.apply(lives(5));
  holder.apply(suspect(5));
  holder.apply(lives(6));
  holder.pass(seconds(100));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Alive));
  BOOST_TEST(holder.tells(UpdateKind::Alive, 7));
}

BOOST_AUTO_TEST_CASE(a_death_is_believed_of_whom_this_peer_has_suspected_for_a_while) {
  Holder holder;
  die(holder, 5);
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Dead));
}

BOOST_AUTO_TEST_CASE(a_death_by_anti_entropy_or_from_a_stranger_is_doubted_and_not_passed_on) {
  for (const Source source : {Source::Stranger, Source::Sync}) {
    Holder holder;
    holder.apply(lives(5));
    holder.apply(suspect(5));
    holder.told();
    holder.now = holder.now + seconds(3);
    BOOST_TEST(int(holder.apply(dead(5), source)) == int(Outcome::Doubted));
    BOOST_TEST(int(holder.state(7)) == int(MemberState::Suspect));
    BOOST_TEST(!holder.tells(UpdateKind::Dead, 7));
  }
}

BOOST_AUTO_TEST_CASE(a_doubted_death_comes_true_when_nothing_refutes_it) {
  Holder holder;
  for (std::uint32_t number = 2; number < 12; ++number) holder.apply(alive(number));
  holder.apply(said(UpdateKind::Dead, 7, 100), Source::Sync);
  holder.pass(milliseconds(4'100));  // 4 * log10(11) seconds are 4.166, unconfirmed
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Suspect));
  holder.pass(milliseconds(100));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Dead));
}

BOOST_AUTO_TEST_CASE(that_somebody_left_is_believed_of_members_and_of_a_view) {
  for (const Source source : {Source::Member, Source::Sync}) {
    Holder holder;
    holder.apply(lives(5));
    BOOST_TEST(int(holder.apply(left(5), source)) == int(Outcome::News));
    BOOST_TEST(int(holder.state(7)) == int(MemberState::Left));
  }
}

// It can make up as many as it likes, and news of the gone goes before all other.
BOOST_AUTO_TEST_CASE(a_stranger_says_nothing_of_the_gone_that_were_never_heard_of) {
  for (const UpdateKind kind : {UpdateKind::Dead, UpdateKind::Left}) {
    Holder holder;
    BOOST_TEST(int(holder.apply(said(kind, 7, 100), Source::Stranger)) == int(Outcome::Nothing));
    BOOST_TEST(holder.find(7) == nullptr);
    BOOST_TEST(!holder.tells(kind, 7));
  }
}

BOOST_AUTO_TEST_CASE(when_a_quarter_is_suspected_this_peer_accuses_nobody_more) {
  Holder holder;
  for (std::uint32_t number = 2; number <= 40; ++number) holder.apply(alive(number));
  for (std::uint32_t number = 2; number <= 11; ++number)
    BOOST_TEST(holder.roster.accuse(id_of(number), holder.now, holder.out));
  BOOST_TEST(!holder.roster.accuse(id_of(12), holder.now, holder.out));
  BOOST_TEST(int(holder.state(12)) == int(MemberState::Alive));
  BOOST_TEST(holder.roster.accuse(id_of(11), holder.now, holder.out));  // is suspected already
  BOOST_TEST(int(holder.apply(said(UpdateKind::Suspect, 13))) == int(Outcome::News));
}

BOOST_AUTO_TEST_CASE(a_dead_one_that_was_called_and_lives_has_returned) {
  Holder holder;
  RandomStream random(stream_key(1, "calls", 0));
  die(holder, 5);
  BOOST_TEST(int(holder.apply(lives(6))) == int(Outcome::News));
  holder.now = holder.now + seconds(60);
  die(holder, 7);
  holder.roster.departed().call_any(holder.now, random);
  BOOST_TEST(int(holder.apply(lives(8))) == int(Outcome::Returned));
}

// --- The own record ---

BOOST_AUTO_TEST_CASE(an_accusation_is_refuted_by_a_larger_incarnation) {
  for (const UpdateKind kind : {UpdateKind::Suspect, UpdateKind::Dead, UpdateKind::Left}) {
    Holder holder;
    BOOST_TEST(int(holder.apply(said(kind, 1, 100))) == int(Outcome::Accused));
    BOOST_TEST(holder.roster.self()->record.incarnation == 101u);
    BOOST_TEST(int(holder.state(1)) == int(MemberState::Alive));
    BOOST_TEST(int(holder.apply(said(kind, 1, 500))) == int(Outcome::Accused));
    BOOST_TEST(holder.roster.self()->record.incarnation == 501u);
    BOOST_TEST(holder.roster.refutations() == 2u);
    BOOST_TEST(holder.told().front().subject == id_of(1));
  }
}

BOOST_AUTO_TEST_CASE(an_accusation_of_a_past_incarnation_changes_nothing) {
  Holder holder;
  BOOST_TEST(int(holder.apply(said(UpdateKind::Dead, 1, 99))) == int(Outcome::Accused));
  BOOST_TEST(holder.roster.self()->record.incarnation == 100u);
  BOOST_TEST(holder.out.changes.empty());
}

BOOST_AUTO_TEST_CASE(a_later_record_of_this_peer_that_it_never_wrote_is_written_over) {
  Holder holder;
  holder.apply(alive(1, {.incarnation = 100, .version = 4}));
  BOOST_TEST(holder.roster.self()->record.incarnation == 101u);
  BOOST_TEST(holder.roster.self()->record.version == 0u);
}

BOOST_AUTO_TEST_CASE(a_revision_is_a_new_version_and_a_refutation_keeps_what_was_revised) {
  Holder holder;
  holder.roster.revise([](wire::PeerRecord& record) { record.capacity = 9; }, holder.now,
                       holder.out);
  BOOST_TEST(holder.roster.self()->record.version == 1u);
  BOOST_REQUIRE_EQUAL(holder.out.changes.size(), 1u);
  BOOST_TEST(holder.out.changes[0].after->record.capacity == 9u);
  holder.apply(said(UpdateKind::Suspect, 1, 100));
  BOOST_TEST(holder.roster.self()->record.capacity == 9u);
  BOOST_TEST(holder.roster.self()->record.version == 0u);
}

BOOST_AUTO_TEST_CASE(who_has_left_refutes_nothing) {
  Holder holder;
  holder.roster.leave(holder.now, holder.out);
  BOOST_TEST(int(holder.state(1)) == int(MemberState::Left));
  BOOST_TEST(holder.roster.view().live_count() == 0u);
  BOOST_TEST(int(holder.apply(said(UpdateKind::Dead, 1, 100))) == int(Outcome::Nothing));
  BOOST_TEST(holder.tells(UpdateKind::Left, 1));
}

// --- One process to an address ---

BOOST_AUTO_TEST_CASE(a_newer_process_at_an_address_makes_the_older_a_suspect) {
  Holder holder;
  holder.apply(lives(5));
  wire::PeerRecord newer = record_of(8, {.incarnation = 50});
  newer.endpoints = {endpoint_of(7)};
  holder.apply(alive(newer));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Suspect));
  BOOST_TEST(int(holder.state(8)) == int(MemberState::Alive));
}

BOOST_AUTO_TEST_CASE(an_older_process_that_is_heard_of_late_is_a_suspect_from_the_start) {
  Holder holder;
  wire::PeerRecord newer = record_of(8, {.incarnation = 50});
  newer.endpoints = {endpoint_of(7)};
  holder.apply(alive(newer));
  holder.apply(lives(5));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Suspect));
  BOOST_TEST(int(holder.state(8)) == int(MemberState::Alive));
}

BOOST_AUTO_TEST_CASE(this_peers_own_former_process_is_a_suspect_and_itself_is_not) {
  Holder holder;
  wire::PeerRecord former = record_of(8, {.incarnation = 50});
  former.endpoints = {endpoint_of(1)};
  holder.apply(alive(former));
  BOOST_TEST(int(holder.state(8)) == int(MemberState::Suspect));
  wire::PeerRecord later = record_of(9, {.incarnation = 500});
  later.endpoints = {endpoint_of(1)};
  holder.apply(alive(later));
  BOOST_TEST(int(holder.state(1)) == int(MemberState::Alive));
}

BOOST_AUTO_TEST_CASE(a_member_that_moves_to_another_address_stays_the_same_member) {
  Holder holder;
  holder.apply(lives(5));
  wire::PeerRecord moved = record_of(7, {.incarnation = 5, .version = 1});
  moved.endpoints = {endpoint_of(70)};
  holder.apply(alive(moved));
  BOOST_TEST(holder.roster.view().live_count() == 2u);
  BOOST_TEST(holder.roster.view().find_live(endpoint_of(70))->id == id_of(7));
  BOOST_TEST(holder.roster.view().find_live(endpoint_of(7)) == nullptr);
}

BOOST_AUTO_TEST_CASE(two_that_both_prove_to_live_at_one_address_are_left_alone) {
  Holder holder;
  holder.apply(lives(5));
  wire::PeerRecord newer = record_of(8, {.incarnation = 50});
  newer.endpoints = {endpoint_of(7)};
  holder.apply(alive(newer));
  holder.apply(lives(6));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Alive));
  holder.apply(lives(6, 1));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Alive));
}

// --- Tombstones and limits ---

BOOST_AUTO_TEST_CASE(a_tombstone_is_forgotten_after_its_time_and_not_before) {
  Holder holder;
  die(holder, 5);
  holder.pass(std::chrono::hours(24) - milliseconds(1));
  BOOST_TEST(int(holder.apply(lives(5))) == int(Outcome::Outdated));
  holder.pass(milliseconds(1));
  BOOST_TEST(holder.find(7) == nullptr);
  BOOST_TEST(holder.roster.departed().size() == 1u);  // and is called, without a tombstone, too
  holder.apply(lives(6));
  BOOST_TEST(holder.roster.departed().empty());
}

BOOST_AUTO_TEST_CASE(who_left_is_forgotten_like_the_dead) {
  Holder holder;
  holder.apply(lives(5));
  holder.apply(left(5));
  holder.pass(std::chrono::hours(24));
  BOOST_TEST(holder.find(7) == nullptr);
  BOOST_TEST(!holder.roster.wake_at().has_value());
}

BOOST_AUTO_TEST_CASE(the_tombstone_of_one_that_came_back_does_not_bury_it) {
  Holder holder;
  die(holder, 5);
  holder.pass(std::chrono::hours(1));
  die(holder, 6);
  holder.pass(std::chrono::hours(23));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Dead));
  holder.apply(lives(8));
  holder.pass(std::chrono::hours(48));
  BOOST_TEST(int(holder.state(7)) == int(MemberState::Alive));
}

BOOST_AUTO_TEST_CASE(a_full_view_gives_up_its_oldest_tombstones_and_then_takes_nobody) {
  Holder holder;
  const auto full = static_cast<std::uint32_t>(wire::members_max);
  for (std::uint32_t number = 2; number <= full - 1; ++number) holder.apply(alive(number));
  holder.apply(said(UpdateKind::Left, full, 5));
  BOOST_TEST(holder.roster.view().members().size() == wire::members_max);
  BOOST_TEST(int(holder.apply(said(UpdateKind::Dead, full + 1, 5))) == int(Outcome::Nothing));
  BOOST_TEST(int(holder.apply(alive(full + 1))) == int(Outcome::News));
  BOOST_TEST(holder.find(full) == nullptr);
  BOOST_TEST(int(holder.apply(alive(full + 2))) == int(Outcome::Nothing));
  BOOST_TEST(holder.roster.view().members().size() == wire::members_max);
}

BOOST_AUTO_TEST_CASE(of_what_one_exchange_teaches_gossip_passes_on_so_much) {
  Holder holder;
  holder.told();
  holder.roster.begin_sync();
  for (std::uint32_t number = 2; number <= 200; ++number) holder.apply(alive(number), Source::Sync);
  BOOST_TEST(holder.roster.broadcasts().size() == 1 + sync_passes_on_max);
  holder.roster.begin_sync();
  holder.apply(alive(201), Source::Sync);
  BOOST_TEST(holder.roster.broadcasts().size() == 2 + sync_passes_on_max);
}

BOOST_AUTO_TEST_SUITE_END()

// The checker of I1, I5, I9 and I10 finds what it is there to find, in views made by hand.
#include "sim/view_history.hpp"

#include <boost/test/unit_test.hpp>
#include <memory>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(view_history)

namespace {

constexpr RunId run{.high = 1, .low = 1};
constexpr RunId other_run{.high = 1, .low = 2};
constexpr PeerId self{.high = 10, .low = 0};
constexpr PeerId friend_of_it{.high = 20, .low = 0};
constexpr PeerId stranger{.high = 30, .low = 0};

const ByteBuffer sent_bytes(50, std::byte{1});

peer::Member member_of(PeerId id, Edition edition,
                       peer::MemberState state = peer::MemberState::Alive) {
  peer::Member member{.id = id, .incarnation = edition.incarnation, .standing = {state, {}}};
  if (!peer::is_live(state)) return member;
  peer::StoredRecord stored;
  stored.record.id = id;
  stored.record.incarnation = edition.incarnation;
  stored.record.version = edition.version;
  stored.record.endpoints = {{}};
  stored.bytes = sent_bytes;
  member.record = peer::RecordRef(std::move(stored));
  return member;
}

// Host 0 is `self`; the friend has said everything up to edition 9.9.
struct Fixture {
  ViewHistory history{2};
  peer::View view;
  std::uint64_t owners_hash = 1;

  Fixture() {
    history.on_started(0, run, self);
    history.on_started(1, run, friend_of_it);
    history.on_own_record(1, friend_of_it, {.incarnation = 9, .version = 9}, sent_bytes);
  }
  std::string found(const peer::Member& member) {
    view.put(member);
    return found();
  }
  std::string found() {
    const auto violation = history.look(0, view, owners_hash);
    return violation ? violation->invariant : "";
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_record_that_grows_newer_is_fine) {
  Fixture f;
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 1})) == "");
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 2})) == "");
  BOOST_TEST(f.found(member_of(friend_of_it, {6, 0})) == "");
}

BOOST_AUTO_TEST_CASE(a_record_that_goes_back_breaks_i1) {
  Fixture f;
  f.found(member_of(friend_of_it, {5, 2}));
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 1})) == "I1");
}

BOOST_AUTO_TEST_CASE(an_owner_that_goes_back_breaks_i1) {
  Fixture f;
  BOOST_TEST(f.history.on_own_record(1, friend_of_it, {9, 8}, sent_bytes)->invariant == "I1");
}

BOOST_AUTO_TEST_CASE(an_edition_that_its_owner_never_said_breaks_i1) {
  Fixture f;
  BOOST_TEST(f.found(member_of(friend_of_it, {9, 10})) == "I1");
  Fixture g;
  BOOST_TEST(g.found(member_of(friend_of_it, {10, 0})) == "I1");
}

BOOST_AUTO_TEST_CASE(the_dead_may_come_back_with_a_higher_incarnation_only) {
  Fixture f;
  f.found(member_of(friend_of_it, {5, 2}));
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 2}, peer::MemberState::Dead)) == "");
  BOOST_TEST(f.found(member_of(friend_of_it, {6, 0})) == "");
  f.found(member_of(friend_of_it, {6, 0}, peer::MemberState::Dead));
  BOOST_TEST(f.found(member_of(friend_of_it, {6, 1})) == "I5");
}

BOOST_AUTO_TEST_CASE(the_incarnation_that_is_held_of_a_member_never_goes_down) {
  using enum peer::MemberState;
  Fixture f;
  f.found(member_of(friend_of_it, {6, 0}));
  BOOST_TEST(f.found(member_of(friend_of_it, {3, 0}, Dead)) == "I1");
  // Whatever was made of it in between, it does not come back with less than was held of it.
  Fixture g;
  g.found(member_of(friend_of_it, {6, 0}));
  g.view.put(member_of(friend_of_it, {3, 0}, Dead));
  BOOST_TEST(g.found(member_of(friend_of_it, {4, 0})) == "I1");
  // A tombstone that is pushed back does not change the hash; it is seen with the next change.
  Fixture h;
  h.found(member_of(friend_of_it, {6, 0}));
  BOOST_TEST(h.found(member_of(friend_of_it, {7, 0}, Left)) == "");
  BOOST_TEST(h.found(member_of(friend_of_it, {5, 0}, Left)) == "");
  BOOST_TEST(h.found(member_of(friend_of_it, {6, 0})) == "I5");
}

// An accusation may name a larger incarnation than the record has.
BOOST_AUTO_TEST_CASE(an_accusation_counts_as_what_is_held_of_a_member) {
  Fixture f;
  peer::Member suspect = member_of(friend_of_it, {5, 2});
  suspect.standing = {peer::MemberState::Suspect, {}};
  suspect.incarnation = 8;
  BOOST_TEST(f.found(suspect) == "");
  BOOST_TEST(f.found(member_of(friend_of_it, {7, 0}, peer::MemberState::Dead)) == "I1");
}

BOOST_AUTO_TEST_CASE(who_has_forgotten_a_tombstone_may_believe_anything_of_its_member) {
  Fixture f;
  f.found(member_of(friend_of_it, {6, 0}));
  f.found(member_of(friend_of_it, {6, 0}, peer::MemberState::Dead));
  f.view.forget(friend_of_it);
  BOOST_TEST(f.found() == "");
  BOOST_TEST(f.found(member_of(friend_of_it, {4, 0})) == "");
}

// It changes nothing among the living, and with them not the hash.
BOOST_AUTO_TEST_CASE(a_tombstone_of_somebody_who_never_was_breaks_i9) {
  Fixture f;
  f.found(member_of(friend_of_it, {5, 1}));
  BOOST_TEST(f.found(member_of(stranger, {1, 0}, peer::MemberState::Dead)) == "I9");
}

BOOST_AUTO_TEST_CASE(members_that_never_were_or_are_of_another_run_break_i9) {
  Fixture f;
  BOOST_TEST(f.found(member_of(stranger, {1, 1})) == "I9");
  Fixture g;
  g.history.on_started(1, other_run, friend_of_it);
  BOOST_TEST(g.found(member_of(friend_of_it, {1, 1})) == "I9");
}

BOOST_AUTO_TEST_CASE(equal_views_with_other_owners_break_i2) {
  Fixture f;
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 1})) == "");
  BOOST_TEST(!f.history.look(1, f.view, f.owners_hash));
  Fixture g;
  g.found(member_of(friend_of_it, {5, 1}));
  BOOST_TEST(g.history.look(1, g.view, g.owners_hash + 1)->invariant == "I2");
}

BOOST_AUTO_TEST_CASE(a_record_in_other_bytes_than_its_owner_sent_breaks_i10) {
  Fixture f;
  BOOST_TEST(f.found(member_of(friend_of_it, {9, 9})) == "");
  Fixture g;
  const peer::Member member = member_of(friend_of_it, {9, 9});
  peer::StoredRecord other = *member.record;
  other.bytes.pop_back();
  peer::Member changed = member;
  changed.record = peer::RecordRef(other);
  BOOST_TEST(g.found(changed) == "I10");
}

BOOST_AUTO_TEST_CASE(a_new_process_has_seen_nothing) {
  Fixture f;
  f.found(member_of(friend_of_it, {5, 2}));
  f.history.on_started(0, run, self);
  BOOST_TEST(f.found(member_of(friend_of_it, {5, 1})) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

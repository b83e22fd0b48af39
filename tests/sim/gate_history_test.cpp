// When a gate may have opened, in views made by hand: the rules of docs/placement.md.
#include "sim/gate_history.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <utility>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(gate_history)

namespace {

using std::chrono::milliseconds;

constexpr PeerId self{.high = 1, .low = 1};
constexpr PeerId other{.high = 2, .low = 1};
constexpr std::uint32_t cells = 4;

// One host; it started at 100 s, and was told of others.
struct Fixture {
  GateHistory history{1};
  peer::View view;
  bool is_watched = true;
  bool has_joined = true;

  Fixture() { start(true); }
  static TimePoint at(int ms) { return {std::chrono::seconds(100) + milliseconds(ms)}; }
  void start(bool is_given_seeds) { history.on_started(0, is_given_seeds, at(0)); }

  wire::PeerRecord record_of(PeerId id, std::uint32_t capacity) {
    return {.id = id, .incarnation = ++editions, .endpoints = {{}}, .capacity = capacity};
  }
  void know(const wire::PeerRecord& record) {
    peer::StoredRecord stored;
    stored.record = record;
    view.put({.id = record.id,
              .incarnation = record.incarnation,
              .record = peer::RecordRef(std::move(stored))});
  }
  void know(PeerId id, std::uint32_t capacity) { know(record_of(id, capacity)); }
  bool may_be_open(int ms) {
    history.look(0,
                 {.view = is_watched ? &view : nullptr, .cells = cells, .has_joined = has_joined},
                 at(ms));
    return history.may_be_open(0);
  }
  std::uint64_t editions = 0;
};

}  // namespace

BOOST_AUTO_TEST_CASE(twelve_seconds_after_the_start_it_may_be_open) {
  Fixture f;
  f.know(self, cells - 1);
  BOOST_TEST(!f.may_be_open(0));
  BOOST_TEST(!f.may_be_open(11'999));
  BOOST_TEST(f.may_be_open(12'000));
}

BOOST_AUTO_TEST_CASE(where_those_who_live_can_hold_the_grid_it_may_be_after_a_quiet_second) {
  Fixture f;
  f.know(self, cells - 1);
  BOOST_TEST(!f.may_be_open(0));
  BOOST_TEST(!f.may_be_open(2000));
  f.know(other, 1);
  BOOST_TEST(!f.may_be_open(2000));
  BOOST_TEST(!f.may_be_open(2999));
  BOOST_TEST(f.may_be_open(3000));
}

BOOST_AUTO_TEST_CASE(a_change_begins_the_second_anew) {
  Fixture f;
  f.know(self, cells);
  BOOST_TEST(!f.may_be_open(0));
  f.know(other, 1);
  BOOST_TEST(!f.may_be_open(900));
  BOOST_TEST(!f.may_be_open(1800));
  wire::PeerRecord claiming = f.record_of(other, 1);
  claiming.claims = {{.first = 2}};
  f.know(claiming);
  BOOST_TEST(!f.may_be_open(1800));
  BOOST_TEST(!f.may_be_open(2700));
  BOOST_TEST(f.may_be_open(2800));
}

BOOST_AUTO_TEST_CASE(a_refutation_is_no_change) {
  Fixture f;
  f.know(self, cells);
  BOOST_TEST(!f.may_be_open(0));
  f.know(self, cells);  // with a larger incarnation
  BOOST_TEST(!f.may_be_open(900));
  BOOST_TEST(f.may_be_open(1000));
}

// The gate stays open, whatever came after the quiet second.
BOOST_AUTO_TEST_CASE(a_second_that_was_quiet_counts_when_the_next_change_is_seen) {
  Fixture f;
  f.know(self, cells);
  BOOST_TEST(!f.may_be_open(0));
  f.know(other, 1);
  BOOST_TEST(f.may_be_open(1000));
  f.know(other, 2);
  BOOST_TEST(f.may_be_open(1100));
}

BOOST_AUTO_TEST_CASE(who_leaves_holds_nothing) {
  Fixture f;
  f.know(self, cells - 1);
  wire::PeerRecord leaver = f.record_of(other, cells);
  leaver.leaving = true;
  f.know(leaver);
  BOOST_TEST(!f.may_be_open(0));
  BOOST_TEST(!f.may_be_open(5000));
}

BOOST_AUTO_TEST_CASE(who_was_given_seeds_has_to_join_first) {
  Fixture f;
  f.has_joined = false;
  f.know(self, cells);
  BOOST_TEST(!f.may_be_open(0));
  BOOST_TEST(!f.may_be_open(20'000));
  f.has_joined = true;
  BOOST_TEST(f.may_be_open(20'100));
}

// It may know others from an earlier process: those may all be gone.
BOOST_AUTO_TEST_CASE(who_was_given_none_and_has_not_joined_waits_twelve_seconds) {
  Fixture f;
  f.start(false);
  f.has_joined = false;
  f.know(self, cells);
  BOOST_TEST(!f.may_be_open(0));
  BOOST_TEST(!f.may_be_open(11'999));
  BOOST_TEST(f.may_be_open(12'000));
}

BOOST_AUTO_TEST_CASE(where_nobody_looks_at_views_it_may_be_as_soon_as_the_host_has_joined) {
  Fixture f;
  f.is_watched = f.has_joined = false;
  BOOST_TEST(!f.may_be_open(20'000));
  f.has_joined = true;
  BOOST_TEST(f.may_be_open(20'100));
}

BOOST_AUTO_TEST_CASE(a_new_process_has_a_gate_of_its_own) {
  Fixture f;
  f.know(self, cells);
  BOOST_TEST(f.may_be_open(12'000));
  f.history.on_started(0, true, Fixture::at(12'000));
  BOOST_TEST(!f.may_be_open(12'000));
  BOOST_TEST(!f.may_be_open(12'999));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

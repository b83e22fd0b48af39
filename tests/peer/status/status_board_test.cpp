// What boards learn from each other, how often they pass it on, and how old they say it is.
#include "peer/status/status_board.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace std::chrono_literals;

BOOST_AUTO_TEST_SUITE(status_board)

namespace {

constexpr PeerId self{1, 1};
constexpr PeerId other{2, 2};
constexpr PeerId third{3, 3};

constexpr TimePoint at(Duration time) {
  return {1000s + time};
}

wire::CellStatus status(std::uint32_t cell, PeerId owner, std::uint32_t sequence,
                        std::uint64_t round = 7, std::uint16_t age_seconds = 0) {
  return {.cell = {cell},
          .owner = owner,
          .sequence = sequence,
          .round = round,
          .age_seconds = age_seconds,
          .device = wire::DeviceKind::Cpu,
          .phase = wire::CellPhase::Training};
}

StatusBoard board(std::size_t live_peers = 100, std::size_t cells = 100, PeerId owner = self) {
  StatusBoard board(owner);
  board.set_scale(live_peers, cells);
  return board;
}

// How many of the next `datagrams` carry the cell.
std::size_t sends_of(StatusBoard& board, std::uint32_t cell, std::size_t datagrams, TimePoint now) {
  std::size_t sends = 0;
  for (std::size_t i = 0; i < datagrams; ++i)
    for (const wire::CellStatus& picked : board.pick(wire::status_bytes_max, now))
      sends += picked.cell.value == cell ? 1 : 0;
  return sends;
}

}  // namespace

BOOST_AUTO_TEST_CASE(of_one_owner_the_larger_sequence_wins) {
  StatusBoard held = board();
  BOOST_TEST(held.merge(status(5, other, 3, 30), at(0s)));
  BOOST_TEST(!held.merge(status(5, other, 3, 99), at(1s)));
  BOOST_TEST(!held.merge(status(5, other, 2, 99), at(1s)));
  BOOST_TEST(held.find({5}, at(1s))->round == 30U);
  BOOST_TEST(held.merge(status(5, other, 4, 40), at(1s)));
  BOOST_TEST(held.find({5}, at(1s))->round == 40U);
}

BOOST_AUTO_TEST_CASE(an_owner_goes_on_after_whatever_was_said_in_its_name) {
  StatusBoard own = board();
  StatusBoard far = board(100, 100, other);
  const auto tells = [&](std::uint64_t round, TimePoint now) {
    own.set_own(status(5, {}, 0, round), now);
    bool news = false;
    for (const wire::CellStatus& picked : own.pick(wire::status_bytes_max, now))
      news = far.merge(picked, now) || news;
    return news;
  };
  BOOST_TEST(tells(1, at(0s)));
  const std::uint32_t said = far.find({5}, at(0s))->sequence;
  // Twice as far ahead as is believed, in two steps: behind where it began.
  for (const std::uint32_t ahead : {0x7FFFFFFFU, 0xFFFFFFFEU}) {
    const wire::CellStatus forged = status(5, self, said + ahead, 999);
    BOOST_TEST(far.merge(forged, at(1s)));
    BOOST_TEST(!own.merge(forged, at(1s)));
    BOOST_TEST(tells(2ULL + ahead, at(ahead == 0x7FFFFFFFU ? 100s : 200s)));
    BOOST_TEST(far.find({5}, at(200s))->round == 2ULL + ahead);
  }
}

// It reaches the owner only, who goes on from there: for all others that is half the circle away.
BOOST_AUTO_TEST_CASE(a_forged_count_silences_no_cell_for_long) {
  StatusBoard own = board();
  StatusBoard far = board(100, 100, other);
  const auto tells = [&](std::uint64_t round, TimePoint now) {
    for (const std::uint32_t cell : {5U, 6U}) own.set_own(status(cell, {}, 0, round), now);
    int news = 0;
    for (const wire::CellStatus& picked : own.pick(wire::status_bytes_max, now))
      news += far.merge(picked, now) ? 1 : 0;
    return news;
  };
  BOOST_TEST(tells(1, at(0s)) == 2);
  own.merge(status(5, self, far.find({6}, at(0s))->sequence + 0x7FFFFFFFU), at(1s));
  BOOST_TEST(tells(2, at(StatusBoard::count_life + 20s)) == 2);
  BOOST_TEST(far.find({6}, at(60s))->round == 2U);
}

BOOST_AUTO_TEST_CASE(what_a_former_owner_said_does_not_go_out_in_the_new_ones_name) {
  StatusBoard own = board();
  own.merge(status(5, other, 9), at(0s));
  own.merge(status(6, other, 9), at(0s));
  BOOST_TEST(own.pick(wire::cell_status_bytes, at(0s)).size() == 1U);  // 5 is to be repeated
  for (const std::uint32_t cell : {5U, 6U}) {
    wire::CellStatus acquiring = status(cell, {}, 0);
    acquiring.phase = wire::CellPhase::Acquiring;
    own.set_own(acquiring, at(0s));
    own.drop_own({cell});
  }
  BOOST_TEST(own.pick(wire::status_bytes_max, at(1s)).empty());
}

BOOST_AUTO_TEST_CASE(of_two_owners_the_one_who_spoke_later_wins) {
  StatusBoard held = board();
  BOOST_TEST(held.merge(status(5, other, 90, 30, 20), at(0s)));
  // The third spoke 10 s before the other did; its sequence says nothing.
  BOOST_TEST(!held.merge(status(5, third, 900, 31, 30), at(0s)));
  BOOST_TEST(held.merge(status(5, third, 1, 31, 5), at(0s)));
  BOOST_TEST((held.find({5}, at(0s))->owner == third));
}

BOOST_AUTO_TEST_CASE(two_owners_statuses_of_one_age_do_not_chase_each_other) {
  StatusBoard a = board(), b = board();
  BOOST_TEST(a.merge(status(5, other, 1, 7, 100), at(0s)));
  BOOST_TEST(b.merge(status(5, third, 1, 7, 101), at(0s)));
  // Half a second later the ages were rounded differently.
  BOOST_TEST(!b.merge(*a.find({5}, at(600ms)), at(600ms)));
  BOOST_TEST(!a.merge(*b.find({5}, at(400ms)), at(400ms)));
}

BOOST_AUTO_TEST_CASE(ages_grow_while_a_status_is_held_and_passed_on) {
  StatusBoard held = board();
  held.merge(status(5, other, 1, 7, 10), at(0s));
  BOOST_TEST(held.find({5}, at(0s))->age_seconds == 10U);
  const std::vector<wire::CellStatus> picked = held.pick(wire::status_bytes_max, at(25s));
  BOOST_REQUIRE(picked.size() == 1U);
  BOOST_TEST(picked[0].age_seconds == 35U);
  StatusBoard next = board(100, 100, third);
  next.merge(picked[0], at(25s));
  BOOST_TEST(next.find({5}, at(30s))->age_seconds == 40U);
}

BOOST_AUTO_TEST_CASE(an_age_ends_at_its_largest_value) {
  StatusBoard held = board();
  held.merge(status(5, other, 1, 7, 65535), at(0s));
  BOOST_TEST(held.find({5}, at(24h))->age_seconds == 65535U);
  BOOST_TEST(held.find({5}, at(-48h))->age_seconds == 0U);
}

BOOST_AUTO_TEST_CASE(news_is_passed_on_four_times_and_then_rests) {
  StatusBoard held = board();
  held.merge(status(5, other, 1), at(0s));
  BOOST_TEST(sends_of(held, 5, 100, at(1s)) == 4U);
  BOOST_TEST(!held.merge(status(5, other, 1), at(2s)));
  BOOST_TEST(sends_of(held, 5, 100, at(2s)) == 0U);
  held.merge(status(5, other, 2), at(3s));
  BOOST_TEST(sends_of(held, 5, 100, at(3s)) == 4U);
}

BOOST_AUTO_TEST_CASE(news_that_replaces_news_on_its_way_starts_the_count_again) {
  StatusBoard held = board();
  held.merge(status(5, other, 1), at(0s));
  BOOST_TEST(sends_of(held, 5, 3, at(0s)) == 3U);
  held.merge(status(5, other, 2), at(0s));
  BOOST_TEST(sends_of(held, 5, 100, at(0s)) == 4U);
}

BOOST_AUTO_TEST_CASE(two_peers_tell_each_other_twice_at_most) {
  StatusBoard held = board(2);
  held.merge(status(5, other, 1), at(0s));
  BOOST_TEST(sends_of(held, 5, 100, at(1s)) == 2U);
}

BOOST_AUTO_TEST_CASE(a_datagram_never_carries_a_cell_twice_nor_more_than_its_bytes) {
  StatusBoard held = board();
  for (std::uint32_t sequence = 1; sequence < 50; ++sequence) {
    for (std::uint32_t cell = 0; cell <= sequence % 3; ++cell)
      held.merge(status(cell, other, sequence), at(0s));
    std::vector<wire::CellStatus> picked = held.pick(wire::status_bytes_max, at(0s));
    BOOST_TEST(picked.size() * wire::cell_status_bytes <= wire::status_bytes_max);
    std::ranges::sort(picked, {}, &wire::CellStatus::cell);
    BOOST_TEST((std::ranges::adjacent_find(picked, {}, &wire::CellStatus::cell) == picked.end()));
  }
  BOOST_TEST(held.pick(wire::cell_status_bytes - 1, at(0s)).empty());
}

BOOST_AUTO_TEST_CASE(what_was_never_sent_goes_before_what_was) {
  StatusBoard held = board();
  for (std::uint32_t cell = 0; cell < 6; ++cell) held.merge(status(cell, other, 1), at(0s));
  std::vector<std::uint32_t> order;
  const auto note = [&] {
    for (const wire::CellStatus& picked : held.pick(wire::status_bytes_max, at(0s)))
      order.push_back(picked.cell.value);
  };
  note();
  note();
  held.merge(status(9, other, 1), at(0s));
  note();
  BOOST_TEST(order == (std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 9, 0, 1}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(own_cells_are_said_at_once_and_then_at_the_interval) {
  StatusBoard own = board();  // 100 cells: 8 s
  BOOST_TEST((own.interval() == Duration(8s)));
  own.set_own(status(5, {}, 0, 1), at(0s));
  BOOST_TEST(sends_of(own, 5, 100, at(0s)) == 4U);
  std::size_t announcements = 0;
  std::uint32_t sequence = own.find({5}, at(0s))->sequence;
  for (Duration time = 0s; time < 800s; time += 100ms) {
    own.set_own(status(5, {}, 0, 2), at(time));  // far more often than it is said
    own.pick(wire::status_bytes_max, at(time));
    const std::uint32_t now = own.find({5}, at(time))->sequence;
    announcements += now - sequence;
    sequence = now;
  }
  BOOST_TEST(announcements >= 90U);
  BOOST_TEST(announcements <= 110U);
  BOOST_TEST((own.find({5}, at(0s))->owner == self));
}

// At the interval of a large run they would be news of long ago.
BOOST_AUTO_TEST_CASE(a_phase_that_changes_is_said_at_once_even_of_a_cell_that_is_given_up) {
  StatusBoard held = board();
  held.set_own(status(5, self, 0), at(0s));
  BOOST_TEST(sends_of(held, 5, 20, at(0s)) == 4U);
  held.set_own(status(5, self, 0), at(1s));
  BOOST_TEST(sends_of(held, 5, 20, at(1s)) == 0U);
  wire::CellStatus changed = status(5, self, 0);
  changed.phase = wire::CellPhase::Done;
  held.set_own(changed, at(1s));
  BOOST_TEST(sends_of(held, 5, 20, at(1s)) == 4U);
  changed.phase = wire::CellPhase::Acquiring;
  held.set_own(changed, at(1s));
  BOOST_TEST(sends_of(held, 5, 20, at(2s)) == 0U);
  BOOST_TEST(sends_of(held, 5, 20, at(3s)) == 4U);
  changed.phase = wire::CellPhase::Failed;
  held.set_own(changed, at(4s));
  held.drop_own({5});
  BOOST_TEST(sends_of(held, 5, 20, at(4s)) == 4U);
}

BOOST_AUTO_TEST_CASE(the_interval_grows_with_the_cells_and_has_a_least) {
  BOOST_TEST((board(4, 4).interval() == Duration(2s)));
  BOOST_TEST((board(10'000, 10'000).interval() == Duration(800s)));
  BOOST_TEST((board(10, 5'000'000).interval() ==
              Duration(std::chrono::seconds(wire::cells_max * 4ULL / 50))));
}

BOOST_AUTO_TEST_CASE(nobody_else_speaks_for_an_own_cell) {
  StatusBoard own = board();
  own.set_own(status(5, {}, 0, 1), at(0s));
  own.pick(wire::status_bytes_max, at(0s));
  BOOST_TEST(!own.merge(status(5, other, 1, 9), at(60s)));
  BOOST_TEST(!own.merge(status(5, self, 1000, 9), at(60s)));
  BOOST_TEST(!own.merge(status(6, self, 1000, 9), at(60s)));
  BOOST_TEST(own.find({5}, at(60s))->round == 1U);
}

BOOST_AUTO_TEST_CASE(a_cell_that_was_given_up_is_the_next_owners) {
  StatusBoard own = board();
  own.set_own(status(5, {}, 0, 1), at(0s));
  own.pick(wire::status_bytes_max, at(0s));
  own.drop_own({5});
  own.drop_own({5});
  BOOST_TEST(sends_of(own, 5, 100, at(1000s)) == 3U);  // what was left; not announced again
  BOOST_TEST(own.merge(status(5, other, 1, 9), at(60s)));
  BOOST_TEST((own.find({5}, at(60s))->owner == other));
}

BOOST_AUTO_TEST_CASE(a_cell_that_comes_back_goes_on_with_its_sequence) {
  StatusBoard own = board();
  StatusBoard far = board(100, 100, other);
  const auto tell = [&](TimePoint now) {
    bool news = false;
    for (const wire::CellStatus& picked : own.pick(wire::status_bytes_max, now))
      news = far.merge(picked, now) || news;
    return news;
  };
  own.set_own(status(5, {}, 0, 1), at(0s));
  BOOST_TEST(tell(at(0s)));
  own.drop_own({5});
  own.merge(status(5, third, 1, 2), at(10s));
  own.set_own(status(5, {}, 0, 3), at(20s));
  BOOST_TEST(tell(at(20s)));
  BOOST_TEST(far.find({5}, at(20s))->round == 3U);
}

BOOST_AUTO_TEST_CASE(a_cell_beyond_the_largest_grid_is_refused) {
  StatusBoard held = board();
  BOOST_TEST(!held.merge(status(wire::cells_max, other, 1), at(0s)));
  BOOST_TEST(!held.merge(status(0xFFFFFFFF, other, 1), at(0s)));
  BOOST_TEST(!held.find({wire::cells_max}, at(0s)).has_value());
  BOOST_TEST(held.merge(status(wire::cells_max - 1, other, 1), at(0s)));
  BOOST_TEST(held.all(at(0s)).size() == 1U);
}

BOOST_AUTO_TEST_CASE(all_are_listed_by_cell) {
  StatusBoard held = board();
  for (const std::uint32_t cell : {70U, 3U, 12U}) held.merge(status(cell, other, 1), at(0s));
  held.set_own(status(4, {}, 0), at(0s));
  std::vector<std::uint32_t> cells;
  for (const wire::CellStatus& each : held.all(at(0s))) cells.push_back(each.cell.value);
  BOOST_TEST(cells == (std::vector<std::uint32_t>{3, 4, 12, 70}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(changes_are_noted_once_and_only_while_somebody_watches) {
  StatusBoard held = board();
  held.merge(status(5, other, 1), at(0s));
  BOOST_TEST(held.take_changed().empty());
  held.set_watched(true);
  held.merge(status(9, other, 1), at(0s));
  held.merge(status(5, other, 2), at(0s));
  held.merge(status(5, other, 3), at(0s));
  wire::CellStatus own = status(2, {}, 0);
  own.score = std::nanf("");
  held.set_own(own, at(0s));
  BOOST_TEST((held.take_changed() == std::vector<CellIndex>{{2}, {5}, {9}}));
  held.set_own(own, at(5s));  // nothing new but its age
  BOOST_TEST(held.take_changed().empty());
  held.merge(status(5, other, 4), at(0s));
  held.set_watched(false);
  held.set_watched(true);
  BOOST_TEST(held.take_changed().empty());
}

// The design's promise, on a model of the gossip: everybody tells 3 random others 5 times a second.
BOOST_AUTO_TEST_CASE(a_fleet_stays_within_its_budget_and_knows_nearly_all) {
  constexpr std::size_t peers = 64;
  std::vector<StatusBoard> fleet;
  for (std::size_t i = 0; i < peers; ++i) {
    fleet.emplace_back(PeerId{i + 1, i * 77 + 1});
    fleet[i].set_scale(peers, peers);
  }
  RandomStream random(stream_key(1, "status test", 0));
  std::size_t sent = 0;
  constexpr std::size_t ticks = 600;
  for (std::size_t tick = 0; tick < ticks; ++tick) {
    const TimePoint now = at(200ms * tick);
    for (std::uint32_t i = 0; i < peers; ++i) fleet[i].set_own(status(i, {}, 0, tick), now);
    for (std::size_t i = 0; i < peers * 3; ++i) {
      for (const wire::CellStatus& each : fleet[i % peers].pick(wire::status_bytes_max, now)) {
        ++sent;
        fleet[random.below(peers)].merge(each, now);
      }
    }
  }
  const double per_second = static_cast<double>(sent) / peers / (0.2 * ticks);
  BOOST_TEST(per_second <= 1.1 * StatusBoard::sends_per_second);
  std::size_t known = 0;
  for (const StatusBoard& each : fleet) known += each.all(at(120s)).size();
  BOOST_TEST(known == peers * peers);
}

BOOST_AUTO_TEST_SUITE_END()

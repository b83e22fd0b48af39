// The map of owners: whatever the order of the news, it is what a look at all claims gives.
#include "peer/placement/owner_map.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>
#include <map>
#include <vector>

#include "base/random.hpp"
#include "peer/placement/claim.hpp"
#include "peer/placement/records.hpp"
#include "peer/placement/takers.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(owner_maps)

namespace {

constexpr TimePoint start{std::chrono::seconds(1000)};
constexpr TimePoint later{std::chrono::seconds(1010)};

GrowthRule fixed(std::uint16_t rows, std::uint16_t columns) {
  const Grid grid{.epoch = {.epoch = 0, .rows = rows, .columns = columns}, .stride = columns};
  return {.genesis = grid, .growth = Growth::Fixed, .largest = grid};
}

std::optional<std::uint64_t> owner(const OwnerMap& map, std::uint32_t position) {
  const PeerSlot slot = map.owner(position);
  if (slot == no_peer) return std::nullopt;
  return map.peers().id(slot).low;
}

void set(OwnerMap& map, const Record& record, TimePoint now = start) {
  map.set((*record).id, record, now);
}

Record random_record(std::uint64_t number, std::uint32_t cells, RandomStream& random) {
  Record record(number, 1 + random.below(9));
  for (std::uint32_t at = random.below(6); at < cells; at += random.below(8)) {
    const std::uint32_t count = 1 + random.below(4);
    record.claims(at, count, 1 + random.below(3));
    if (random.below(3) == 0) record.yields(at, count, random.below(12));
    at += count;
  }
  return record;
}

// The owner of each cell by looking at every claim.
std::optional<std::uint64_t> best_of(const std::map<std::uint64_t, Record>& records,
                                     CellIndex cell) {
  const wire::PeerRecord* best = nullptr;
  for (const auto& [number, record] : records)
    if (claim_on(*record, cell.value) && (!best || ranks_before(*record, *best, cell)))
      best = &*record;
  if (!best) return std::nullopt;
  return best->id.low;
}

}  // namespace

BOOST_AUTO_TEST_CASE(at_first_every_cell_is_vacant) {
  OwnerMap map(fixed(3, 4));
  map.start(start);
  BOOST_TEST(map.vacant_count() == 12U);
  BOOST_TEST((map.oldest_vacancy() == start));
}

BOOST_AUTO_TEST_CASE(a_cell_goes_back_to_the_next_best_claim_when_its_owner_is_gone) {
  OwnerMap map(fixed(1, 4));
  set(map, Record(1).claims(0, 2, 1));
  set(map, Record(2).claims(0, 4, 2));
  BOOST_TEST((owner(map, 0) == 1U));
  BOOST_TEST((owner(map, 3) == 2U));
  map.set(peer_id(1), nullptr, later);
  BOOST_TEST((owner(map, 0) == 2U));
  BOOST_TEST(map.changes().size() == 2U);
  map.set(peer_id(2), nullptr, later);
  BOOST_TEST(map.vacant_count() == 4U);
  BOOST_TEST((map.oldest_vacancy() == later));
}

BOOST_AUTO_TEST_CASE(the_map_is_what_a_look_at_all_claims_gives) {
  constexpr std::uint32_t cells = 40;
  OwnerMap map(fixed(5, 8));
  std::map<std::uint64_t, Record> records;
  RandomStream random(stream_key(2, "map", 0));
  for (int i = 0; i < 3000; ++i) {
    const std::uint64_t number = random.below(12);
    records.erase(number);
    if (random.below(4) == 0) {
      map.set(peer_id(number), nullptr, start);
    } else {
      const Record record = random_record(number, cells, random);
      records.emplace(number, record);
      set(map, record);
    }
    std::uint32_t vacant = 0;
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      const auto expected = best_of(records, {cell});
      BOOST_TEST_REQUIRE((owner(map, cell) == expected));
      vacant += expected ? 0 : 1;
    }
    BOOST_TEST_REQUIRE(map.vacant_count() == vacant);
  }
  for (std::uint64_t number = 0; number < 12; ++number) map.set(peer_id(number), nullptr, start);
  BOOST_TEST(map.losing_count() == 0U);
  BOOST_TEST(map.hash() == OwnerMap(fixed(5, 8)).hash());
  BOOST_TEST(map.capacity() == 0U);
  BOOST_TEST(map.taker_count() == 0U);
}

BOOST_AUTO_TEST_CASE(equal_views_have_equal_hashes_whatever_the_order) {
  RandomStream random(stream_key(3, "map", 0));
  std::vector<Record> records;
  for (std::uint64_t number = 0; number < 20; ++number)
    records.push_back(random_record(number, 100, random));
  std::vector<std::uint32_t> order(records.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::optional<std::uint64_t> hash;
  for (int trial = 0; trial < 20; ++trial) {
    random.shuffle(order);
    OwnerMap map(fixed(10, 10));
    for (const std::uint32_t i : order) {
      set(map, random_record(i, 100, random));  // something older
      set(map, records[i]);
    }
    BOOST_TEST((!hash || *hash == map.hash()));
    hash = map.hash();
  }
  OwnerMap other(fixed(10, 10));
  for (std::uint32_t i = 1; i < records.size(); ++i) set(other, records[i]);
  BOOST_TEST(other.hash() != *hash);
}

BOOST_AUTO_TEST_CASE(a_record_says_what_its_change_means) {
  OwnerMap map(fixed(2, 2));
  const auto told = [&](const Record& record) { return map.set((*record).id, record, start); };
  using enum OwnerMap::Shift;
  BOOST_TEST((told(Record(1).claims(0, 1, 1)) == Members));
  const std::uint64_t version = map.version();
  BOOST_TEST((told(Record(1).claims(0, 1, 1).version(2)) == None));
  BOOST_TEST(map.version() == version);
  BOOST_TEST((told(Record(1).claims(0, 2, 1)) == Claims));
  BOOST_TEST((told(Record(1).claims(0, 2, 1).yields(0, 1, 2)) == Claims));
  BOOST_TEST((told(Record(1, 65).claims(0, 2, 1).yields(0, 1, 2)) == Members));
  BOOST_TEST((told(Record(1, 65).claims(0, 2, 1).leaving()) == Members));
  BOOST_TEST((map.set(peer_id(1), nullptr, start) == Members));
  BOOST_TEST((map.set(peer_id(1), nullptr, start) == None));
}

BOOST_AUTO_TEST_CASE(a_yielded_cell_counts_as_its_targets_load) {
  OwnerMap map(fixed(2, 5));
  set(map, Record(1).claims(0, 6, 1).yields(4, 2, 2).yields(0, 1, 3));
  set(map, Record(2).claims(6, 1, 1));
  const PeerSlot donor = map.peers().find(peer_id(1));
  const PeerSlot target = map.peers().find(peer_id(2));
  // What it yields to a peer that nobody knows is still its own.
  BOOST_TEST(map.loads()[donor] == 4U);
  BOOST_TEST(map.loads()[target] == 3U);
  set(map, Record(2).claims(4, 1, 9).claims(6, 1, 1));  // it took one of them
  BOOST_TEST(map.loads()[donor] == 4U);
  BOOST_TEST(map.loads()[target] == 3U);
}

BOOST_AUTO_TEST_CASE(whose_records_yield_is_known_in_order) {
  OwnerMap map(fixed(2, 5));
  const auto yielders = [&] {
    std::vector<std::uint64_t> peers;
    for (const PeerSlot slot : map.yielders()) peers.push_back(map.peers().id(slot).low);
    return peers;
  };
  for (const std::uint64_t peer : {1, 2, 3}) set(map, Record(peer));
  for (const std::uint64_t peer : {3, 1, 2, 1})
    set(map, Record(peer)
                 .claims(static_cast<std::uint32_t>(peer), 1, 1)
                 .yields(static_cast<std::uint32_t>(peer), 1, 9));
  BOOST_TEST(yielders() == (std::vector<std::uint64_t>{1, 2, 3}), boost::test_tools::per_element());
  set(map, Record(2).claims(2, 1, 1));
  map.set(peer_id(3), nullptr, start);
  BOOST_TEST(yielders() == std::vector<std::uint64_t>{1}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(who_can_be_given_cells_has_its_capacity_in_its_row) {
  OwnerMap map(fixed(8, 8));
  const auto capacity_of = [&](const Record& record) {
    map.set((*record).id, record, start);
    return map.peers()[map.peers().find((*record).id)].capacity;
  };
  BOOST_TEST(capacity_of(Record(1, 5)) == 5U);
  BOOST_TEST(capacity_of(Record(1, 6)) == 6U);
  BOOST_TEST(capacity_of(Record(1, 6).leaving()) == 0U);
  BOOST_TEST(capacity_of(Record(1, 6)) == 6U);
  BOOST_TEST(capacity_of(Record(2, 0)) == 0U);
  Record crowded(3, 60);
  for (std::uint32_t run = 0; run < wire::claim_runs_max; ++run) crowded.claims(2 * run, 1, 1);
  BOOST_TEST(capacity_of(crowded) == 0U);
  BOOST_TEST(takers_with_room(map) == 1U);
  Record full(1, 6);
  for (std::uint32_t cell = 1; cell < 12; cell += 2) full.claims(cell, 1, 1);
  set(map, full);
  BOOST_TEST(takers_with_room(map) == 0U);
}

BOOST_AUTO_TEST_CASE(the_oldest_vacancy_is_exact_once_tightened) {
  OwnerMap map(fixed(1, 3));
  map.start(start);
  set(map, Record(1).claims(0, 3, 1));
  set(map, Record(1).claims(1, 2, 1), later);
  set(map, Record(1).claims(2, 1, 1), later + std::chrono::seconds(5));
  BOOST_TEST((map.oldest_vacancy() == later));
  set(map, Record(2).claims(0, 1, 2), later + std::chrono::seconds(6));
  map.tighten();
  BOOST_TEST((map.oldest_vacancy() == later + std::chrono::seconds(5)));
  BOOST_TEST((map.vacant_since(1) == later + std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(claims_outside_the_grid_are_nobodys) {
  OwnerMap map(fixed(2, 2));
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  set(map, Record(1).claims(3, most, 1).yields(3, most, 2));
  BOOST_TEST((owner(map, 3) == 1U));
  BOOST_TEST(map.vacant_count() == 3U);
  set(map, Record(2).claims(most, most, 1));
  BOOST_TEST(map.vacant_count() == 3U);
  map.set(peer_id(1), nullptr, start);
  BOOST_TEST(map.vacant_count() == 4U);
}

BOOST_AUTO_TEST_CASE(runs_that_overlap_or_are_out_of_order_come_and_go_without_a_trace) {
  OwnerMap map(fixed(4, 4));
  const std::uint64_t empty = map.hash();
  RandomStream random(stream_key(4, "map", 0));
  for (int i = 0; i < 500; ++i) {
    Record record(1);
    for (int run = 0; run < 5; ++run) record.claims(random.below(18), random.below(9), 1);
    set(map, record);
    if (random.below(2) == 0) continue;
    map.set(peer_id(1), nullptr, start);
    BOOST_TEST_REQUIRE(map.hash() == empty);
    BOOST_TEST_REQUIRE(map.vacant_count() == 16U);
  }
}

BOOST_AUTO_TEST_CASE(a_vacant_cell_was_given_up_by_who_let_go_of_it_and_stays) {
  OwnerMap map(fixed(1, 4));
  set(map, Record(1).claims(0, 4, 1));
  set(map, Record(1).claims(0, 3, 1));
  BOOST_TEST((map.given_up_by(3) == peer_id(1)));
  BOOST_TEST(!map.given_up_by(0));
  set(map, Record(2).claims(2, 2, 2));
  BOOST_TEST(!map.given_up_by(3));
  set(map, Record(1).claims(0, 2, 1));  // which had been the second's as well
  BOOST_TEST((owner(map, 2) == 2U));
  map.set(peer_id(2), nullptr, later);
  BOOST_TEST(!map.given_up_by(3));
  set(map, Record(1).leaving());
  BOOST_TEST(map.vacant_count() == 4U);
  BOOST_TEST(!map.given_up_by(0));
}

BOOST_AUTO_TEST_CASE(a_grid_that_grows_keeps_the_owners_and_its_new_cells_are_vacant) {
  GrowthRule rule = fixed(2, 2);
  rule.genesis.stride = 3;
  rule.growth = Growth::Columns;
  rule.largest = {.epoch = {.epoch = 1, .rows = 2, .columns = 3}, .stride = 3};
  OwnerMap map(rule);
  map.start(start);
  set(map, Record(1).claims(0, 5, 1).grid({.epoch = 0, .rows = 2, .columns = 2}));
  BOOST_TEST(map.vacant_count() == 0U);
  map.grow(*rule.next(rule.genesis), later);
  // The run 0 to 4 went past index 2, which was no cell when it was claimed.
  const std::optional<std::uint64_t> expected[] = {1, 1, {}, 1, 1, {}};
  for (std::uint32_t position = 0; position < 6; ++position)
    BOOST_TEST((owner(map, position) == expected[position]), position);
  BOOST_TEST(map.vacant_count() == 2U);
  BOOST_TEST((map.vacant_since(2) == later));
  // Under the new grid the same run covers it.
  set(map, Record(1).claims(0, 5, 1).grid({.epoch = 1, .rows = 2, .columns = 3}));
  BOOST_TEST((owner(map, 2) == 1U));
  BOOST_TEST(map.vacant_count() == 1U);
}

BOOST_AUTO_TEST_SUITE_END()

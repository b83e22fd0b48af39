// Whose understudy each spare is: what everybody who knows the same peers works out alike.
#include "peer/placement/understudies.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <limits>
#include <map>

#include "peer/placement/records.hpp"
#include "peer/placement/rendezvous.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(understudies_of_cells)

namespace {

constexpr TimePoint now{std::chrono::seconds(1000)};
using Cells = std::vector<CellIndex>;
using Numbers = std::vector<std::uint64_t>;

// Peer 1 owns the upper half of a grid of 4 x 4; the lower one is vacant.
struct Troupe {
  explicit Troupe(GrowthRule rule = fixed()) : owners(rule) { hear(Record(1).claims(0, 8, 1)); }
  static GrowthRule fixed() {
    const Grid grid{.epoch = {.epoch = 0, .rows = 4, .columns = 4}, .stride = 4};
    return {.genesis = grid, .growth = Growth::Fixed, .largest = grid};
  }

  void hear(const Record& record) { owners.set((*record).id, record, now); }
  void gone(std::uint64_t number) { owners.set(peer_id(number), nullptr, now); }
  std::optional<PeerId> of(std::uint32_t cell) { return understudies.of({cell}, owners); }
  Cells cells_of(std::uint64_t number) { return understudies.cells_of(peer_id(number), owners); }

  OwnerMap owners;
  Understudies understudies;
};

PeerId first_of(const Numbers& spares, std::uint32_t cell) {
  return peer_id(std::ranges::max(spares, {}, [&](std::uint64_t number) {
    return rendezvous_weight({cell}, peer_id(number));
  }));
}

// Each cell has the first of these spares, and cells_of() says the same.
void check_cast(Troupe& troupe, const Numbers& spares) {
  std::map<std::uint64_t, Cells> expected;
  for (std::uint32_t position = 0; position < troupe.owners.grid().cell_count(); ++position) {
    const CellIndex cell = troupe.owners.grid().cell_at(position);
    const PeerId first = first_of(spares, cell.value);
    BOOST_TEST((troupe.of(cell.value) == first));
    expected[first.low].push_back(cell);
  }
  for (const std::uint64_t number : spares)
    BOOST_TEST((troupe.cells_of(number) == expected[number]));
}

}  // namespace

BOOST_AUTO_TEST_CASE(where_nobody_is_spare_there_is_no_understudy) {
  Troupe troupe;
  BOOST_TEST(!troupe.of(0));
  BOOST_TEST(troupe.cells_of(1).empty());
  BOOST_TEST(troupe.cells_of(77).empty());  // of whom nothing is known
}

BOOST_AUTO_TEST_CASE(the_only_spare_is_that_of_every_cell_owned_or_vacant) {
  Troupe troupe;
  troupe.hear(Record(2));
  check_cast(troupe, {2});
  BOOST_TEST(troupe.cells_of(2).size() == 16U);
  BOOST_TEST(troupe.cells_of(1).empty());
}

BOOST_AUTO_TEST_CASE(of_several_the_first_by_rendezvous_is) {
  Troupe troupe;
  for (std::uint64_t number = 2; number < 7; ++number) troupe.hear(Record(number));
  check_cast(troupe, {2, 3, 4, 5, 6});
}

BOOST_AUTO_TEST_CASE(a_spare_lives_and_stays_and_has_room_and_owns_nothing) {
  Troupe troupe;
  troupe.hear(Record(2));
  troupe.hear(Record(3));
  troupe.gone(3);
  troupe.hear(Record(4).leaving());
  troupe.hear(Record(5, 0));
  troupe.hear(Record(6).claims(8, 1, 1));
  check_cast(troupe, {2});
  for (const std::uint64_t other : {3U, 4U, 5U, 6U}) BOOST_TEST(troupe.cells_of(other).empty());
}

// Whatever it claims: a claim that loses makes nobody an owner.
BOOST_AUTO_TEST_CASE(who_claims_and_wins_nothing_is_spare) {
  constexpr std::uint64_t latest = std::numeric_limits<std::uint64_t>::max();
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  Troupe troupe;
  troupe.hear(Record(2).claims(0, 8, latest));
  troupe.hear(Record(3, most).claims(16, most - 16, 0));
  check_cast(troupe, {2, 3});
}

BOOST_AUTO_TEST_CASE(a_change_of_the_map_is_seen_at_once) {
  Troupe troupe;
  troupe.hear(Record(2));
  troupe.hear(Record(3));
  check_cast(troupe, {2, 3});
  troupe.hear(Record(2).claims(8, 1, 1));
  check_cast(troupe, {3});
  BOOST_TEST(troupe.cells_of(2).empty());
  troupe.hear(Record(2));
  check_cast(troupe, {2, 3});
  troupe.hear(Record(3, 0));
  check_cast(troupe, {2});
  troupe.gone(2);
  BOOST_TEST(!troupe.of(0));
}

// The place of one that went may be another's.
BOOST_AUTO_TEST_CASE(who_comes_after_one_that_went_is_not_taken_for_it) {
  Troupe troupe;
  troupe.hear(Record(2));
  check_cast(troupe, {2});
  troupe.gone(2);
  troupe.hear(Record(3).claims(8, 1, 1));
  BOOST_TEST(!troupe.of(0));
  troupe.hear(Record(4));
  check_cast(troupe, {4});
}

BOOST_AUTO_TEST_CASE(one_that_goes_changes_nothing_among_the_others) {
  Troupe troupe;
  for (std::uint64_t number = 2; number < 7; ++number) troupe.hear(Record(number));
  std::map<std::uint64_t, Cells> before;
  for (std::uint64_t number = 2; number < 7; ++number) before[number] = troupe.cells_of(number);
  troupe.gone(4);
  for (const std::uint64_t number : {2U, 3U, 5U, 6U})
    for (const CellIndex cell : before[number])
      BOOST_TEST((troupe.of(cell.value) == peer_id(number)));
  check_cast(troupe, {2, 3, 5, 6});
}

BOOST_AUTO_TEST_CASE(a_grid_with_gaps_is_counted_by_its_cells) {
  GrowthRule rule = Troupe::fixed();
  rule.genesis.stride = 6;
  rule.growth = Growth::Columns;
  rule.largest = {.epoch = {.epoch = 2, .rows = 4, .columns = 6}, .stride = 6};
  Troupe troupe(rule);
  troupe.hear(Record(2));
  troupe.hear(Record(3));
  check_cast(troupe, {2, 3});
  troupe.owners.grow(*rule.next(rule.genesis), now);
  check_cast(troupe, {2, 3});
  BOOST_TEST(troupe.cells_of(2).size() + troupe.cells_of(3).size() == 20U);
}

BOOST_AUTO_TEST_CASE(a_cell_beyond_the_grid_has_the_first_spare_too) {
  Troupe troupe;
  troupe.hear(Record(2));
  troupe.hear(Record(3));
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  BOOST_TEST((troupe.of(most) == first_of({2, 3}, most)));
}

BOOST_AUTO_TEST_SUITE_END()

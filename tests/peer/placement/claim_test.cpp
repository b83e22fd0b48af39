// How claims rank, and what of a record changed.
#include "peer/placement/claim.hpp"

#include <boost/test/unit_test.hpp>
#include <limits>

#include "peer/placement/records.hpp"
#include "peer/placement/rendezvous.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(claims)

namespace {

std::vector<std::pair<std::uint64_t, std::uint64_t>> changes(const Record* before,
                                                             const Record* after) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;
  for (const IndexRange& range :
       differing(before ? &**before : nullptr, after ? &**after : nullptr))
    ranges.emplace_back(range.first, range.end);
  return ranges;
}
using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_claim_covers_its_run_and_no_more) {
  const Record record = Record(1).claims(2, 3, 7).claims(9, 1, 8);
  BOOST_TEST(!claim_on(*record, 1));
  BOOST_TEST((claim_on(*record, 2) == Claim{.yielding = false, .stamp = 7}));
  BOOST_TEST((claim_on(*record, 4) == Claim{.yielding = false, .stamp = 7}));
  BOOST_TEST(!claim_on(*record, 5));
  BOOST_TEST((claim_on(*record, 9) == Claim{.yielding = false, .stamp = 8}));
  BOOST_TEST(!claim_on(*record, 10));
}

BOOST_AUTO_TEST_CASE(the_older_claim_wins) {
  BOOST_TEST(ranks_before(*Record(1).claims(0, 1, 3), *Record(2).claims(0, 1, 4), {0}));
  BOOST_TEST(!ranks_before(*Record(2).claims(0, 1, 4), *Record(1).claims(0, 1, 3), {0}));
}

BOOST_AUTO_TEST_CASE(who_yields_a_cell_loses_it_to_any_claim) {
  const Record donor = Record(1).claims(0, 2, 3).yields(1, 1, 2);
  const Record other = Record(9).claims(0, 2, 4);
  BOOST_TEST(ranks_before(*donor, *other, {0}));
  BOOST_TEST(ranks_before(*other, *donor, {1}));
}

BOOST_AUTO_TEST_CASE(a_yield_to_oneself_is_none) {
  const Record record = Record(1).claims(0, 1, 3).yields(0, 1, 1);
  BOOST_TEST(!claim_on(*record, 0)->yielding);
  BOOST_TEST(!yields_to(*record, {0}, peer_id(1)));
}

BOOST_AUTO_TEST_CASE(equal_stamps_are_told_apart_by_rendezvous) {
  int wins = 0;
  for (std::uint32_t cell = 0; cell < 100; ++cell) {
    const Record a = Record(1).claims(cell, 1, 5);
    const Record b = Record(2).claims(cell, 1, 5);
    const bool first = ranks_before(*a, *b, {cell});
    BOOST_TEST(first != ranks_before(*b, *a, {cell}));
    BOOST_TEST(first ==
               (rendezvous_weight({cell}, peer_id(1)) > rendezvous_weight({cell}, peer_id(2))));
    wins += first ? 1 : 0;
  }
  BOOST_TEST(wins > 30);  // each wins about half: three standard deviations are 15
  BOOST_TEST(wins < 70);
}

// Peers of all versions must agree on it: schemas/README.md, "Hashes".
BOOST_AUTO_TEST_CASE(the_weight_is_the_one_of_the_protocol) {
  BOOST_TEST(rendezvous_weight({5}, {.high = 0xA11CE, .low = 1}) == 0x0949F587EF731629U);
}

BOOST_AUTO_TEST_CASE(a_record_that_only_refutes_changes_nothing) {
  const Record before = Record(1).claims(0, 4, 1).yields(2, 1, 5);
  const Record after = Record(1).claims(0, 4, 1).yields(2, 1, 5).version(9);
  BOOST_TEST(changes(&before, &after).empty());
}

BOOST_AUTO_TEST_CASE(only_what_differs_is_named) {
  const Record before = Record(1).claims(0, 10, 1);
  const Record shorter = Record(1).claims(0, 8, 1);
  const Record yielding = Record(1).claims(0, 10, 1).yields(4, 2, 5);
  const Record restamped = Record(1).claims(0, 3, 1).claims(3, 7, 2);
  BOOST_TEST((changes(&before, &shorter) == Ranges{{8, 10}}));
  BOOST_TEST((changes(&before, &yielding) == Ranges{{4, 6}}));
  BOOST_TEST((changes(&before, &restamped) == Ranges{{3, 10}}));
  BOOST_TEST((changes(nullptr, &before) == Ranges{{0, 10}}));
  BOOST_TEST((changes(&before, nullptr) == Ranges{{0, 10}}));
}

BOOST_AUTO_TEST_CASE(a_run_past_all_indices_is_read_without_overflow) {
  constexpr std::uint32_t most = std::numeric_limits<std::uint32_t>::max();
  const Record record = Record(1).claims(most, most, 1);
  BOOST_TEST(claim_on(*record, most).has_value());
  BOOST_TEST(!claim_on(*record, 0));
  BOOST_TEST((changes(nullptr, &record) == Ranges{{most, std::uint64_t{most} + most}}));
}

BOOST_AUTO_TEST_SUITE_END()

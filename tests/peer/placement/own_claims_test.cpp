// Own claims as runs, up to as many as a record has room for.
#include "peer/placement/own_claims.hpp"

#include <boost/test/unit_test.hpp>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(own_claims)

namespace {

using Run = OwnClaims::Run;
using Runs = std::vector<Run>;

// Every second cell, each under its own stamp: as many runs as there can be.
OwnClaims full(std::uint32_t distance = 2) {
  OwnClaims claims;
  for (std::uint32_t i = 0; i < OwnClaims::runs_max; ++i)
    BOOST_TEST_REQUIRE(claims.add(i * distance, 10 + i));
  return claims;
}

}  // namespace

BOOST_AUTO_TEST_CASE(neighbours_of_one_stamp_are_one_run_in_whatever_order) {
  OwnClaims claims;
  for (const std::uint32_t position : {4U, 2U, 5U, 3U}) BOOST_TEST(claims.add(position, 1));
  BOOST_TEST((claims.runs() == Runs{{.first = 2, .count = 4, .stamp = 1}}));
  BOOST_TEST(claims.add(6, 2));
  BOOST_TEST((claims.runs() ==
              Runs{{.first = 2, .count = 4, .stamp = 1}, {.first = 6, .count = 1, .stamp = 2}}));
  BOOST_TEST(claims.count() == 5U);
}

BOOST_AUTO_TEST_CASE(a_cell_that_goes_from_the_middle_leaves_two_runs) {
  OwnClaims claims;
  for (std::uint32_t position = 0; position < 5; ++position) claims.add(position, 1);
  claims.remove(2);
  BOOST_TEST((claims.runs() ==
              Runs{{.first = 0, .count = 2, .stamp = 1}, {.first = 3, .count = 2, .stamp = 1}}));
  claims.remove(0);
  claims.remove(4);
  BOOST_TEST((claims.runs() ==
              Runs{{.first = 1, .count = 1, .stamp = 1}, {.first = 3, .count = 1, .stamp = 1}}));
}

BOOST_AUTO_TEST_CASE(a_claim_that_would_make_one_run_too_many_is_not_made) {
  OwnClaims claims = full();
  const Runs before = claims.runs();
  BOOST_TEST(!claims.add(1000, 99));
  BOOST_TEST((claims.runs() == before));
  BOOST_TEST(claims.count() == before.size());
}

BOOST_AUTO_TEST_CASE(runs_that_touch_are_joined_under_the_younger_stamp_for_a_claim_more) {
  OwnClaims claims = full(3);  // 0, 3, 6 ... under 10, 11, 12 ...
  BOOST_TEST(claims.add(4, 11));
  claims.remove(3 * (OwnClaims::runs_max - 1));  // the last
  BOOST_TEST(claims.add(5, 50));                 // touches 4 (stamp 11) and 6 (stamp 12)
  BOOST_TEST(claims.runs().size() == OwnClaims::runs_max);
  BOOST_TEST(claims.add(1000, 99));
  BOOST_TEST(claims.runs().size() == OwnClaims::runs_max);
  BOOST_TEST(claims.contains(5));
  // Of the two pairs the one whose stamps are nearer: 12 and 50.
  BOOST_TEST((claims.runs()[2] == Run{.first = 5, .count = 2, .stamp = 50}));
}

BOOST_AUTO_TEST_CASE(when_a_loss_breaks_a_run_too_many_the_shortest_is_given_up) {
  OwnClaims claims;
  for (std::uint32_t i = 0; i < OwnClaims::runs_max - 1; ++i) {
    claims.add(i * 4, 1);
    claims.add(i * 4 + 1, 1);
  }
  for (std::uint32_t position = 500; position < 505; ++position) claims.add(position, 1);
  claims.remove(501);  // 500 alone is the shortest now
  BOOST_TEST((claims.fit() == std::vector<std::uint32_t>{500}));
  BOOST_TEST(claims.runs().size() == OwnClaims::runs_max);
  BOOST_TEST(claims.fit().empty());
}

BOOST_AUTO_TEST_CASE(the_count_is_that_of_the_cells) {
  OwnClaims claims;
  RandomStream random(stream_key(1, "claims", 0));
  std::vector<bool> expected(200);
  for (int i = 0; i < 5000; ++i) {
    const std::uint32_t position = random.below(200);
    if (claims.contains(position)) {
      claims.remove(position);
      expected[position] = false;
      for (const std::uint32_t given_up : claims.fit()) expected[given_up] = false;
    } else {
      expected[position] = claims.add(position, random.below(4));
    }
    std::uint32_t count = 0;
    for (std::uint32_t k = 0; k < 200; ++k) {
      BOOST_TEST_REQUIRE(claims.contains(k) == expected[k]);
      count += expected[k] ? 1 : 0;
    }
    BOOST_TEST_REQUIRE(claims.count() == count);
    BOOST_TEST_REQUIRE(claims.runs().size() <= OwnClaims::runs_max);
  }
}

BOOST_AUTO_TEST_CASE(a_run_goes_over_the_gaps_of_a_grid) {
  const Grid narrow{.epoch = {.epoch = 0, .rows = 3, .columns = 2}, .stride = 4};
  OwnClaims claims;
  for (std::uint32_t position = 1; position < 5; ++position) claims.add(position, 7);
  // Cells 1, 4, 5 and 8.
  const auto runs = claims.encode(narrow);
  BOOST_TEST_REQUIRE(runs.size() == 1U);
  BOOST_TEST((runs[0] == wire::ClaimRun{.first = 1, .count = 8, .stamp = 7}));
}

BOOST_AUTO_TEST_CASE(a_column_more_breaks_runs_up_by_rows) {
  const Grid narrow{.epoch = {.epoch = 0, .rows = 3, .columns = 2}, .stride = 4};
  const Grid wide{.epoch = {.epoch = 1, .rows = 3, .columns = 3}, .stride = 4};
  OwnClaims claims;
  for (std::uint32_t position = 1; position < 5; ++position) claims.add(position, 7);
  claims.renumber(narrow, wide);
  const std::vector<wire::ClaimRun> expected = {{.first = 1, .count = 1, .stamp = 7},
                                                {.first = 4, .count = 2, .stamp = 7},
                                                {.first = 8, .count = 1, .stamp = 7}};
  BOOST_TEST((claims.encode(wide) == expected));
  BOOST_TEST(claims.count() == 4U);
}

BOOST_AUTO_TEST_SUITE_END()

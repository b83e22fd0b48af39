// The checker of I4 finds what it is there to find, in claims made by hand.
#include "sim/claim_history.hpp"

#include <boost/test/unit_test.hpp>
#include <string>

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(claim_history)

namespace {

struct Fixture {
  ClaimHistory history{1, 2};  // a host that can hold two cells
  std::uint32_t capacity = 2;  // and says so
  std::set<CellIndex> failed_here;

  std::string found(std::set<CellIndex> cells, bool gate_may_be_open = true,
                    bool is_leaving = false) {
    const auto violation = history.look(0, {.cells = std::move(cells),
                                            .capacity = capacity,
                                            .failed_here = failed_here,
                                            .gate_may_be_open = gate_may_be_open,
                                            .is_leaving = is_leaving});
    return violation ? violation->invariant : "";
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_host_may_claim_what_it_can_hold_and_not_a_cell_more) {
  Fixture f;
  BOOST_TEST(f.found({{1}, {2}}) == "");
  BOOST_TEST(f.found({{1}, {2}, {3}}) == "I4");
}

BOOST_AUTO_TEST_CASE(a_host_may_claim_no_more_than_it_says) {
  Fixture f;
  f.capacity = 1;
  BOOST_TEST(f.found({{1}}) == "");
  BOOST_TEST(f.found({{1}, {2}}) == "I4");
}

BOOST_AUTO_TEST_CASE(what_failed_on_a_host_is_not_claimed_there_again) {
  Fixture f;
  f.failed_here = {{1}};
  BOOST_TEST(f.found({{2}}) == "");
  BOOST_TEST(f.found({{1}}) == "I4");
}

BOOST_AUTO_TEST_CASE(before_the_gate_opens_nothing_may_be_claimed) {
  Fixture f;
  BOOST_TEST(f.found({}, false) == "");
  BOOST_TEST(f.found({{1}}, false) == "I4");
}

BOOST_AUTO_TEST_CASE(who_leaves_may_give_cells_up_and_gain_none) {
  Fixture f;
  f.found({{1}, {2}});
  BOOST_TEST(f.found({{2}}, true, true) == "");
  BOOST_TEST(f.found({{1}, {2}}, true, true) == "I4");
}

BOOST_AUTO_TEST_CASE(a_cell_gained_with_the_word_of_leaving_is_one_too_many) {
  Fixture f;
  f.found({{1}});
  BOOST_TEST(f.found({{1}, {2}}, true, true) == "I4");
}

BOOST_AUTO_TEST_CASE(a_new_process_has_no_claims_to_keep) {
  Fixture f;
  f.found({{1}});
  f.history.on_started(0);
  BOOST_TEST(f.found({{1}}, true, true) == "I4");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

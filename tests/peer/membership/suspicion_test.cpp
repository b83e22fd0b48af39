// How long a suspect has, and how local health stretches probes.
#include "peer/membership/suspicion.hpp"

#include <boost/test/unit_test.hpp>

#include "base/time.hpp"
#include "peer/membership/awareness.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(suspicion)

namespace {

const MembershipOptions options;
constexpr SuspicionTerms terms = {
    .shortest = seconds(4), .longest = seconds(24), .confirmations = 2};

}  // namespace

BOOST_AUTO_TEST_CASE(time_grows_with_the_logarithm_of_the_number_of_members) {
  const struct {
    std::size_t live_count;
    int shortest_seconds, longest_seconds;
    std::uint32_t confirmations;
  } rows[] = {
      {1, 4, 24, 0},   {3, 4, 24, 0},     {4, 4, 24, 2},       {10, 4, 24, 2},
      {100, 8, 48, 2}, {1000, 12, 72, 2}, {10'000, 16, 96, 2},
  };
  for (const auto& row : rows) {
    BOOST_TEST_CONTEXT(row.live_count << " members") {
      const SuspicionTerms given = suspicion_terms(options, row.live_count);
      BOOST_TEST((given.shortest == seconds(row.shortest_seconds)));
      BOOST_TEST((given.longest == seconds(row.longest_seconds)));
      BOOST_TEST(given.confirmations == row.confirmations);
    }
  }
}

BOOST_AUTO_TEST_CASE(each_confirmation_shortens_it_by_less) {
  Suspicion suspicion(terms, id_of(1), at(seconds(0)));
  BOOST_TEST(in_seconds(suspicion.deadline().since_start) == 24.0);
  BOOST_TEST(suspicion.confirm(id_of(2)));
  // 24 - 20 * ln 2 / ln 3, in whole milliseconds.
  BOOST_TEST(in_seconds(suspicion.deadline().since_start) == 11.381);
  BOOST_TEST(suspicion.confirm(id_of(3)));
  BOOST_TEST(in_seconds(suspicion.deadline().since_start) == 4.0);
}

BOOST_AUTO_TEST_CASE(one_accuser_counts_once_and_more_than_enough_do_not_count) {
  Suspicion suspicion(terms, id_of(1), at(seconds(0)));
  BOOST_TEST(!suspicion.confirm(id_of(1)));
  BOOST_TEST(suspicion.confirm(id_of(2)));
  BOOST_TEST(!suspicion.confirm(id_of(2)));
  BOOST_TEST(suspicion.confirm(id_of(3)));
  BOOST_TEST(!suspicion.confirm(id_of(4)));
}

BOOST_AUTO_TEST_CASE(without_others_to_confirm_it_is_short_from_the_start) {
  Suspicion suspicion({.shortest = seconds(4), .longest = seconds(24), .confirmations = 0},
                      id_of(1), at(seconds(1)));
  BOOST_TEST(in_seconds(suspicion.deadline().since_start) == 5.0);
  BOOST_TEST(!suspicion.confirm(id_of(2)));
}

BOOST_AUTO_TEST_CASE(those_that_are_due_come_in_the_order_of_their_deadlines) {
  Suspicions suspicions;
  suspicions.begin(id_of(1), Suspicion(terms, id_of(9), at(seconds(0))));
  suspicions.begin(id_of(2), Suspicion(terms, id_of(9), at(seconds(1))));
  suspicions.begin(id_of(3), Suspicion(terms, id_of(9), at(seconds(2))));
  suspicions.confirm(id_of(3), id_of(8));
  suspicions.end(id_of(1));
  BOOST_TEST((suspicions.next_deadline() == at(milliseconds(13'381))));
  BOOST_TEST(!suspicions.take_due(at(seconds(13))).has_value());
  BOOST_TEST(suspicions.take_due(at(seconds(60))).value() == id_of(3));
  BOOST_TEST(suspicions.take_due(at(seconds(60))).value() == id_of(2));
  BOOST_TEST(!suspicions.take_due(at(seconds(60))).has_value());
  BOOST_TEST(suspicions.size() == 0u);
}

BOOST_AUTO_TEST_CASE(a_postponed_one_waits_and_a_later_one_stays_as_it_was) {
  Suspicions suspicions;
  suspicions.begin(id_of(1), Suspicion(terms, id_of(9), at(seconds(0))));
  suspicions.begin(id_of(2), Suspicion(terms, id_of(9), at(seconds(20))));
  suspicions.postpone_all(at(seconds(30)));
  BOOST_TEST(!suspicions.take_due(at(seconds(29))).has_value());
  BOOST_TEST(suspicions.take_due(at(seconds(30))).value() == id_of(1));
  BOOST_TEST((suspicions.next_deadline() == at(seconds(44))));
  suspicions.end(id_of(2));
  BOOST_TEST(!suspicions.next_deadline().has_value());
}

BOOST_AUTO_TEST_CASE(local_health_stays_within_its_levels_and_stretches_time) {
  Awareness awareness(8);
  awareness.improve();
  BOOST_TEST(awareness.score() == 0u);
  BOOST_TEST((awareness.scaled(seconds(1)) == seconds(1)));
  awareness.worsen(2);
  BOOST_TEST((awareness.scaled(seconds(1)) == seconds(3)));
  awareness.worsen(100);
  BOOST_TEST(awareness.score() == 7u);
  awareness.improve();
  BOOST_TEST(awareness.score() == 6u);
}

BOOST_AUTO_TEST_SUITE_END()

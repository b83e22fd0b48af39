// Calls to those out of sight: the list of the dead, and the budget of what is sent unasked.
#include <boost/test/unit_test.hpp>
#include <map>

#include "peer/membership/departed.hpp"
#include "peer/membership/reply_budget.hpp"
#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(departed_list)

namespace {

Departed departed(std::uint32_t number, int second) {
  return {.id = id_of(number),
          .endpoint = endpoint_of(number),
          .since = at(seconds(second)),
          .called = std::nullopt};
}

}  // namespace

BOOST_AUTO_TEST_CASE(those_who_died_lately_are_counted_and_called) {
  DepartedList list;
  RandomStream random(stream_key(1, "calls", 0));
  for (int number = 1; number <= 6; ++number)
    list.add(departed(static_cast<std::uint32_t>(number), number));
  BOOST_TEST(list.count_after(at(seconds(4))) == 2u);
  BOOST_TEST(list.count_after(at(seconds(6))) == 0u);
  std::map<std::uint64_t, int> calls;
  for (int call = 0; call < 100; ++call)
    ++calls[list.call_recent(2, at(seconds(7)), random).id.low];
  BOOST_TEST(calls.size() == 2u);
  BOOST_TEST(calls[5] > 20);
  BOOST_TEST(calls[6] > 20);
}

BOOST_AUTO_TEST_CASE(who_returns_is_known_to_have_been_called_or_not) {
  DepartedList list;
  RandomStream random(stream_key(1, "calls", 1));
  list.add(departed(1, 1));
  BOOST_TEST(!list.remove(id_of(2)).has_value());
  BOOST_TEST(list.call_any(at(seconds(9)), random).id == id_of(1));
  const auto returned = list.remove(id_of(1));
  BOOST_REQUIRE(returned.has_value());
  BOOST_TEST((returned->called == at(seconds(9))));
  BOOST_TEST(list.empty());
}

BOOST_AUTO_TEST_CASE(a_full_list_gives_up_the_longest_dead) {
  DepartedList list;
  for (std::uint32_t number = 0; number <= departed_max; ++number) list.add(departed(number, 1));
  BOOST_TEST(list.size() == departed_max);
  BOOST_TEST(!list.remove(id_of(0)).has_value());
  BOOST_TEST(list.remove(id_of(departed_max)).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(reply_budget)

BOOST_AUTO_TEST_CASE(it_is_used_up_at_once_and_earned_again_slowly) {
  ReplyBudget budget;
  TimePoint now = at(seconds(100));
  for (int reply = 0; reply < replies_at_once_max; ++reply) BOOST_REQUIRE(budget.take(now));
  BOOST_TEST(!budget.take(now));
  BOOST_TEST(!budget.take(now + milliseconds(15)));
  BOOST_TEST(budget.take(now + reply_interval));
  BOOST_TEST(!budget.take(now + reply_interval));
}

BOOST_AUTO_TEST_CASE(a_long_rest_earns_no_more_than_it_holds) {
  ReplyBudget budget;
  BOOST_TEST(budget.take(at(seconds(1))));
  int taken = 0;
  while (budget.take(at(std::chrono::hours(48)))) ++taken;
  BOOST_TEST(taken == replies_at_once_max);
}

BOOST_AUTO_TEST_SUITE_END()

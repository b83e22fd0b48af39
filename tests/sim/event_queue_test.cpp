// The order of events, on which all determinism rests.
#include "sim/event_queue.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

#include "base/random.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(event_queue)

namespace {

TimePoint at(std::int64_t nanoseconds) {
  return {Duration(nanoseconds)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_earliest_event_comes_first) {
  EventQueue queue;
  queue.push(at(30), {.subject = 3});
  queue.push(at(10), {.subject = 1});
  queue.push(at(20), {.subject = 2});
  BOOST_TEST(queue.pop().event.subject == 1U);
  BOOST_TEST(queue.pop().event.subject == 2U);
  BOOST_TEST(queue.pop().event.subject == 3U);
  BOOST_TEST(queue.empty());
}

BOOST_AUTO_TEST_CASE(events_of_one_moment_keep_the_order_in_which_they_were_scheduled) {
  EventQueue queue;
  for (std::uint32_t subject = 0; subject < 100; ++subject) queue.push(at(7), {.subject = subject});
  for (std::uint32_t subject = 0; subject < 100; ++subject)
    BOOST_TEST(queue.pop().event.subject == subject);
}

BOOST_AUTO_TEST_CASE(a_million_events_at_random_times_come_in_order) {
  EventQueue queue;
  RandomStream random(1);
  constexpr int kept = 1000;
  for (int count = 0; count < kept; ++count) queue.push(at(random.below(1'000'000)), {});
  EventQueue::Entry last;
  for (int count = 0; count < 1'000'000; ++count) {
    const EventQueue::Entry next = queue.pop();
    const bool in_order = last.time < next.time ||
                          (last.time == next.time && last.sequence < next.sequence) || count == 0;
    if (!in_order) BOOST_TEST_REQUIRE(in_order, "event " << count);
    last = next;
    queue.push(next.time + Duration(random.below(1'000'000)), {});
  }
  BOOST_TEST(queue.size() == static_cast<std::size_t>(kept));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

// When views are compared, and how many streams that may take.
#include "peer/membership/comparison_schedule.hpp"

#include <boost/test/unit_test.hpp>

#include "peer/membership/sample_records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(comparison_schedule)

namespace {

struct Begun {
  RandomStream random{stream_key(1, "comparisons", 0)};
  ComparisonSchedule schedule{seconds(10)};
  Begun() { schedule.begin(at(seconds(100)), random); }

  // The time from one comparison to the next.
  Duration next(std::size_t live_count = 10) {
    const TimePoint now = *schedule.wake_at();
    BOOST_REQUIRE(!schedule.take_due(live_count, now + -milliseconds(1), random));
    BOOST_REQUIRE(schedule.take_due(live_count, now, random));
    return *schedule.wake_at() - now;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_quiet_view_is_compared_every_ten_seconds_or_so) {
  Begun begun;
  Duration sum{};
  for (int comparison = 0; comparison < 200; ++comparison) {
    const Duration pause = begun.next();
    BOOST_REQUIRE((pause >= seconds(5) && pause <= seconds(15)));
    sum += pause;
  }
  BOOST_TEST((sum / 200 > seconds(9) && sum / 200 < seconds(11)));
}

BOOST_AUTO_TEST_CASE(many_changes_hurry_the_next_comparisons_and_then_it_is_quiet_again) {
  Begun begun;
  const TimePoint now = at(seconds(101));
  begun.schedule.on_changes(changes_to_hurry - 1, 10, now, begun.random);
  BOOST_TEST((*begun.schedule.wake_at() > now + seconds(2)));
  begun.schedule.on_changes(changes_to_hurry, 10, now, begun.random);
  BOOST_TEST((*begun.schedule.wake_at() < now + seconds(2)));
  for (std::uint32_t round = 0; round < hurried_rounds; ++round)
    BOOST_TEST((begun.next() < seconds(2)));
  BOOST_TEST((begun.next() >= seconds(5)));
}

BOOST_AUTO_TEST_CASE(changes_now_and_then_are_no_hurry) {
  Begun begun;
  TimePoint now = at(seconds(100));
  for (std::uint64_t change = 1; change <= 20 * changes_to_hurry; ++change) {
    now = now + 2 * hurry_window / changes_to_hurry;
    begun.schedule.on_changes(change, 10, now, begun.random);
  }
  begun.next();
  BOOST_TEST((begun.next() >= seconds(5)));
}

BOOST_AUTO_TEST_CASE(the_more_there_is_to_exchange_the_less_hurry) {
  Begun begun;
  begun.schedule.on_changes(100, 5000, at(seconds(101)), begun.random);
  const Duration pause = begun.next(5000);
  BOOST_TEST((pause >= milliseconds(2500) && pause <= milliseconds(7500)));
}

BOOST_AUTO_TEST_CASE(one_stream_is_open_at_a_time_and_not_in_close_succession) {
  ComparisonSchedule schedule{seconds(10)};
  const wire::Endpoint to = endpoint_of(2);
  BOOST_TEST(schedule.begin_sync(to, at(seconds(1))));
  BOOST_TEST(!schedule.begin_sync(to, at(seconds(20))));
  schedule.end_sync(to);
  BOOST_TEST(schedule.begin_sync(to, at(seconds(20))));
  schedule.end_sync(to);
  BOOST_TEST(!schedule.begin_sync(to, at(seconds(20)) + sync_spacing + -milliseconds(1)));
  BOOST_TEST(schedule.begin_sync(to, at(seconds(20)) + sync_spacing));
}

BOOST_AUTO_TEST_CASE(the_end_of_another_stream_makes_no_room) {
  ComparisonSchedule schedule{seconds(10)};
  BOOST_TEST(schedule.begin_sync(endpoint_of(2), at(seconds(1))));
  schedule.end_sync(endpoint_of(3));
  BOOST_TEST(!schedule.begin_sync(endpoint_of(3), at(seconds(20))));
}

BOOST_AUTO_TEST_CASE(a_stream_that_nobody_reports_on_counts_as_over_after_a_while) {
  ComparisonSchedule schedule{seconds(10)};
  const wire::Endpoint to = endpoint_of(2);
  BOOST_TEST(schedule.begin_sync(to, at(seconds(1))));
  BOOST_TEST(!schedule.begin_sync(to, at(seconds(30))));
  BOOST_TEST(schedule.begin_sync(to, at(seconds(1)) + sync_time_max));
}

BOOST_AUTO_TEST_SUITE_END()

// When a minority holds back.
#include "peer/placement/minority_brake.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(minority_brakes)

namespace {

constexpr MinorityBrake::Options options = {
    .enabled = true, .memory = std::chrono::minutes(10), .time = std::chrono::minutes(5)};

TimePoint at(int seconds) {
  return {std::chrono::seconds(seconds)};
}

}  // namespace

BOOST_AUTO_TEST_CASE(it_holds_for_its_time_when_more_than_half_are_gone) {
  MinorityBrake brake(options);
  brake.note(10, at(0));
  brake.note(5, at(100));
  BOOST_TEST(!brake.holds(at(100)));  // half is no minority
  brake.note(4, at(101));
  BOOST_TEST(brake.holds(at(101)));
  BOOST_TEST(brake.holds(at(400)));
  BOOST_TEST(!brake.holds(at(401)));
}

BOOST_AUTO_TEST_CASE(it_is_released_when_enough_are_back) {
  MinorityBrake brake(options);
  brake.note(10, at(0));
  brake.note(3, at(100));
  brake.note(6, at(110));
  BOOST_TEST(!brake.holds(at(110)));
  BOOST_TEST(!brake.released_at());
}

BOOST_AUTO_TEST_CASE(what_is_longer_ago_than_its_memory_does_not_count) {
  MinorityBrake brake(options);
  brake.note(10, at(0));
  brake.note(6, at(10));
  brake.note(4, at(10 + 601));
  BOOST_TEST(!brake.holds(at(611)));
}

BOOST_AUTO_TEST_CASE(the_largest_counts_until_it_ended_not_since_it_began) {
  MinorityBrake brake(options);
  brake.note(10, at(0));
  brake.note(4, at(5000));
  BOOST_TEST(brake.holds(at(5000)));
}

BOOST_AUTO_TEST_CASE(it_is_off_unless_asked_for) {
  MinorityBrake brake({});
  brake.note(10, at(0));
  brake.note(1, at(1));
  BOOST_TEST(!brake.holds(at(1)));
}

BOOST_AUTO_TEST_CASE(it_remembers_so_many_peaks_and_no_more) {
  MinorityBrake brake(options);
  for (int i = 0; i < 10'000; ++i) {
    brake.note(static_cast<std::size_t>(20'000 - i), {std::chrono::milliseconds(i * 100)});
    BOOST_TEST_REQUIRE(brake.peak_count() <= MinorityBrake::peaks_max);
  }
  BOOST_TEST(brake.peak_count() > 1U);
}

BOOST_AUTO_TEST_SUITE_END()

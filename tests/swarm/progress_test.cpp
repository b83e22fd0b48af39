// A long run shows that it goes on, and how far it is.
#include "swarm/progress.hpp"

#include <boost/test/unit_test.hpp>

namespace quadrille::swarm {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct SmallWorld {
  SmallWorld() : world({.hosts = 3, .grid = {1, 3}, .capacity = 2}) {
    world.start(0);
    world.start(1);
    world.run_until({milliseconds(12'900)});
  }
  std::string text(Duration so_far) const { return progress_text(world, so_far); }

  sim::World world;
  TimePoint begin{seconds(1000)};
};

}  // namespace

BOOST_FIXTURE_TEST_SUITE(progress, SmallWorld)

BOOST_AUTO_TEST_CASE(it_says_how_far_the_world_is) {
  const std::string events = std::to_string(world.event_count());
  BOOST_TEST_REQUIRE(events.size() <= 3U);
  BOOST_TEST(text(seconds(9)) ==
             "virtual time 12 s, 2 of 3 peers up, " + events + " events, 9s so far");
  BOOST_TEST(text(seconds(125)).ends_with(", 2m05s so far"));
  world.run_until({seconds(1234)});
  BOOST_TEST(text(seconds(9)).starts_with("virtual time 1,234 s, "));
}

BOOST_AUTO_TEST_CASE(elsewhere_than_on_a_terminal_it_is_a_line_every_half_minute) {
  Progress progress({}, begin);
  BOOST_TEST(!progress.at(begin + milliseconds(29'999), world));
  BOOST_TEST(progress.at(begin + seconds(30), world).value() == text(seconds(30)) + "\n");
  BOOST_TEST(!progress.at(begin + milliseconds(59'999), world));
  BOOST_TEST(progress.at(begin + seconds(60), world).has_value());
  BOOST_TEST(progress.end() == "");
}

BOOST_AUTO_TEST_CASE(on_a_terminal_it_is_drawn_over_and_gone_in_the_end) {
  Progress progress(100, begin);
  BOOST_TEST(progress.at(begin, world).value() == "\r\033[K" + text({}));
  BOOST_TEST(!progress.at(begin + milliseconds(499), world));
  BOOST_TEST(progress.at(begin + milliseconds(500), world).value() ==
             "\r\033[K" + text(milliseconds(500)));
  BOOST_TEST(progress.end() == "\r\033[K");
  BOOST_TEST(progress.end() == "");
}

BOOST_AUTO_TEST_CASE(what_was_never_drawn_is_not_taken_away) {
  Progress progress(100, begin);
  BOOST_TEST(progress.end() == "");
}

BOOST_AUTO_TEST_CASE(a_narrow_terminal_does_not_scroll) {
  Progress progress(20, begin);
  BOOST_TEST(progress.at(begin + seconds(1), world).value() ==
             "\r\033[K" + text(seconds(1)).substr(0, 19));
}

// Whoever looks at a world leaves its history alone.
BOOST_AUTO_TEST_CASE(the_pulse_comes_every_so_many_events_and_changes_none) {
  const auto run = [](bool is_looked_at) {
    sim::World other({.hosts = 3, .grid = {1, 3}, .capacity = 2});
    std::uint64_t pulses = 0;
    if (is_looked_at)
      other.set_pulse([&] {
        ++pulses;
        progress_text(other, {});
      });
    for (sim::NodeIndex node = 0; node < 3; ++node) other.start(node);
    other.run_until({seconds(300)});
    if (is_looked_at) {
      BOOST_TEST(pulses > 1U);
      BOOST_TEST(pulses == other.event_count() / sim::World::pulse_events);
    }
    return other.history_hash();
  };
  BOOST_TEST(run(false) == run(true));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::swarm

// A watched world gives a recording that reads back, also when the watched peer is lost.
#include "sim/watcher.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <map>

#include "sim/scenario.hpp"
#include "sim/world.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::sim {
BOOST_AUTO_TEST_SUITE(watcher)

namespace {

using std::chrono::seconds;

struct Fixture {
  Fixture() : world(make_options()) {
    world.attach_watcher(
        [&](Bytes bytes) { recording.insert(recording.end(), bytes.begin(), bytes.end()); });
    schedule_starts(world, 6, seconds(1));
  }
  static WorldOptions make_options() {
    WorldOptions options = options_of(*find_scenario("steady"), 1, 6);
    options.capacity = 4;
    return options;
  }
  // How many frames of each type there are.
  std::map<wire::FrameType, int> read() {
    std::map<wire::FrameType, int> counts;
    auto reader = peer::RecordingReader::open(recording);
    BOOST_REQUIRE(reader);
    for (;;) {
      const auto entry = reader->next();
      BOOST_REQUIRE(entry);
      if (!*entry) break;
      ++counts[(*entry)->type];
    }
    BOOST_TEST(!reader->is_cut_off());
    return counts;
  }

  World world;
  ByteBuffer recording;
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_recording_holds_members_statuses_and_events) {
  Fixture f;
  f.world.run_for(seconds(30));
  BOOST_TEST(f.world.is_ok());
  auto counts = f.read();
  BOOST_TEST(counts[wire::FrameType::WatchBegin] == 1);
  BOOST_TEST(counts[wire::FrameType::WatchMembers] > 0);
  BOOST_TEST(counts[wire::FrameType::WatchStatuses] > 10);
  BOOST_TEST(counts[wire::FrameType::WatchEvents] > 0);
}

BOOST_AUTO_TEST_CASE(when_the_watched_peer_is_lost_the_next_is_watched) {
  Fixture f;
  f.world.run_for(seconds(10));
  f.world.lose_machine(0);
  f.world.run_for(seconds(60));
  BOOST_TEST(f.world.is_ok());
  BOOST_TEST(f.read()[wire::FrameType::WatchBegin] == 2);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::sim

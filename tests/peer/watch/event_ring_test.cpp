// Events are numbered, bounded, and cut to a line.
#include "peer/watch/event_ring.hpp"

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "wire/limits.hpp"

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(event_ring)

namespace {

wire::WatchEvent event(const std::string& text) {
  return {.kind = wire::EventKind::Notice, .peer = {1, 1}, .cell = CellIndex{2}, .text = text};
}

}  // namespace

BOOST_AUTO_TEST_CASE(events_are_numbered_from_one_and_given_from_any_number_on) {
  EventRing ring;
  BOOST_TEST(ring.since(0, 10).empty());
  for (const char* text : {"a", "b", "c"}) ring.add(event(text));
  BOOST_TEST(ring.next_sequence() == 4U);
  const std::vector<wire::WatchEvent> all = ring.since(0, 10);
  BOOST_REQUIRE(all.size() == 3U);
  BOOST_TEST(all[0].sequence == 1U);
  BOOST_TEST(all[2].text == "c");
  BOOST_TEST(ring.since(2, 1).at(0).text == "b");
  BOOST_TEST(ring.since(4, 10).empty());
  BOOST_TEST(ring.since(400, 10).empty());
}

BOOST_AUTO_TEST_CASE(the_oldest_make_way_and_leave_a_gap) {
  EventRing ring;
  for (std::size_t i = 1; i <= EventRing::events_max + 100; ++i) ring.add(event(std::to_string(i)));
  const std::vector<wire::WatchEvent> all = ring.since(1, 5000);
  BOOST_REQUIRE(all.size() == EventRing::events_max);
  BOOST_TEST(all.front().sequence == 101U);
  BOOST_TEST(all.front().text == "101");
  BOOST_TEST(all.back().sequence == EventRing::events_max + 100);
}

BOOST_AUTO_TEST_CASE(a_text_is_cut_to_a_line_that_fits) {
  EventRing ring;
  ring.add(event("two\nlines" + std::string(1000, 'x')));
  const std::string text = ring.since(1, 1).at(0).text;
  BOOST_TEST(text.size() == wire::reason_bytes_max);
  BOOST_TEST(text.substr(0, 9) == "two?lines");
}

BOOST_AUTO_TEST_SUITE_END()

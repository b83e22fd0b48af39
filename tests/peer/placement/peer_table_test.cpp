// Slots: found by identity, kept while the peer lives, used again afterwards.
#include "peer/placement/peer_table.hpp"

#include <boost/test/unit_test.hpp>
#include <map>

#include "base/random.hpp"
#include "peer/placement/records.hpp"

using namespace quadrille;
using namespace quadrille::peer;
using namespace quadrille::peer::test;

BOOST_AUTO_TEST_SUITE(peer_tables)

BOOST_AUTO_TEST_CASE(a_table_finds_what_it_was_given_and_nothing_else) {
  PeerTable table;
  BOOST_TEST(table.find(peer_id(1)) == no_peer);
  const PeerSlot slot = table.insert(Record(1));
  BOOST_TEST(table.find(peer_id(1)) == slot);
  BOOST_TEST(table.find(peer_id(2)) == no_peer);
  table.erase(slot);
  BOOST_TEST(table.find(peer_id(1)) == no_peer);
  BOOST_TEST(table.size() == 0U);
}

BOOST_AUTO_TEST_CASE(slots_last_and_are_used_again) {
  PeerTable table;
  const PeerSlot first = table.insert(Record(1));
  const PeerSlot second = table.insert(Record(2));
  table.erase(first);
  for (std::uint64_t i = 3; i < 100; ++i) table.insert(Record(i));
  BOOST_TEST(table.find(peer_id(2)) == second);
  BOOST_TEST(table.find(peer_id(3)) == first);
  BOOST_TEST(table.slots_end() == 98U);
}

// Three are expected and more come.
BOOST_AUTO_TEST_CASE(a_table_agrees_with_a_map_through_thousands_of_changes) {
  PeerTable table(3);
  std::map<std::uint64_t, PeerSlot> expected;
  RandomStream random(stream_key(1, "table", 0));
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t number = random.below(300);
    const auto found = expected.find(number);
    BOOST_TEST_REQUIRE(table.find(peer_id(number)) ==
                       (found == expected.end() ? no_peer : found->second));
    if (found == expected.end()) {
      expected[number] = table.insert(Record(number));
    } else {
      table.erase(found->second);
      expected.erase(found);
    }
    BOOST_TEST_REQUIRE(table.size() == expected.size());
  }
}

BOOST_AUTO_TEST_CASE(identities_that_fall_on_one_place_are_all_found) {
  PeerTable table;
  const auto twin = [](std::uint64_t low) {
    StoredRecord stored;
    stored.record.id = {.high = low, .low = low};  // which hash alike
    return RecordRef(std::move(stored));
  };
  for (std::uint64_t i = 1; i <= 20; ++i) table.insert(twin(i));
  for (std::uint64_t i = 1; i <= 20; i += 2) table.erase(table.find({.high = i, .low = i}));
  for (std::uint64_t i = 1; i <= 20; ++i)
    BOOST_TEST((table.find({.high = i, .low = i}) != no_peer) == (i % 2 == 0));
}

BOOST_AUTO_TEST_SUITE_END()

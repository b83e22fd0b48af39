// The table finds what stands in the array, through growth, erasure and exchange, even where all
// hashes fall into a few slots.
#include "peer/membership/place_table.hpp"

#include <boost/test/unit_test.hpp>
#include <vector>

#include "base/random.hpp"

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(place_table)

namespace {

// An array of distinct numbers with a table over it, checked against a search through all.
struct Numbers {
  std::vector<std::uint64_t> values{};
  PlaceTable table{};
  std::uint64_t hash_mask = ~std::uint64_t{0};

  std::uint64_t hash(std::uint64_t value) const {
    return (value * 0x9E3779B97F4A7C15U) & hash_mask;
  }
  auto hash_at() const {
    return [this](PlaceTable::Place place) { return hash(values[place]); };
  }
  PlaceTable::Place find(std::uint64_t value) const {
    return table.find(hash(value), [&](PlaceTable::Place place) { return values[place] == value; });
  }
  void add(std::uint64_t value) {
    values.push_back(value);
    table.insert(hash(value), static_cast<PlaceTable::Place>(values.size() - 1), hash_at());
  }
  void remove(PlaceTable::Place place) {
    table.erase(hash(values[place]), place, hash_at());
    const auto last = static_cast<PlaceTable::Place>(values.size() - 1);
    if (place != last) table.move(hash(values[last]), last, place);
    values[place] = values[last];
    values.pop_back();
  }
  void swap(PlaceTable::Place a, PlaceTable::Place b) {
    table.exchange(hash(values[a]), a, hash(values[b]), b);
    std::swap(values[a], values[b]);
  }
  bool consistent() const {
    for (std::size_t place = 0; place < values.size(); ++place)
      if (find(values[place]) != place) return false;
    return true;
  }
};

void shake(Numbers numbers, std::uint64_t seed) {
  RandomStream random(stream_key(seed, "numbers", 0));
  std::uint64_t next = 1;
  for (int step = 0; step < 3000; ++step) {
    const auto count = static_cast<std::uint32_t>(numbers.values.size());
    switch (random.below(count < 100 ? 4 : 3)) {
      case 0:
        if (count > 0) numbers.remove(random.below(count));
        break;
      case 1:
        if (count > 0) numbers.swap(random.below(count), random.below(count));
        break;
      default:
        numbers.add(next++);
    }
    BOOST_REQUIRE(numbers.consistent());
    BOOST_REQUIRE(numbers.find(next) == PlaceTable::none);
  }
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_empty_table_has_nothing) {
  BOOST_TEST(Numbers{}.find(1) == PlaceTable::none);
}

BOOST_AUTO_TEST_CASE(what_is_added_moved_and_removed_at_random_is_found) {
  shake({}, 1);
}

BOOST_AUTO_TEST_CASE(hashes_that_collide_are_told_apart) {
  shake({.hash_mask = 3}, 2);
  shake({.hash_mask = 0}, 3);
}

BOOST_AUTO_TEST_CASE(a_place_takes_four_bytes_and_the_table_is_three_quarters_full_at_most) {
  Numbers numbers;
  for (std::uint64_t value = 0; value < 10'000; ++value) numbers.add(value);
  BOOST_TEST(numbers.table.bytes_held() == 16384u * 4);
}

BOOST_AUTO_TEST_CASE(a_table_does_not_grow_before_it_holds_what_was_reserved) {
  for (const std::size_t count : {0U, 1U, 6U, 7U, 12U, 13U, 1000U}) {
    Numbers numbers;
    numbers.table.reserve(count);
    const std::size_t bytes = numbers.table.bytes_held();
    for (std::uint64_t value = 1; value <= count; ++value) numbers.add(value);
    BOOST_TEST(numbers.table.bytes_held() == bytes, count);
    for (std::uint64_t value = count + 1; value <= 2 * count + 20; ++value) numbers.add(value);
    BOOST_TEST(numbers.consistent(), count);
  }
}

BOOST_AUTO_TEST_SUITE_END()

// Small value types: order, printing, hashing, time.
#include "base/ids.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>

#include "base/bytes.hpp"
#include "base/time.hpp"

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(values)

BOOST_AUTO_TEST_CASE(rounds_order_by_index_then_subround) {
  BOOST_TEST((Round{1, 9} < Round{2, 0}));
  BOOST_TEST((Round{2, 0} < Round{2, 1}));
  BOOST_TEST((Round{2, 1} == Round{2, 1}));
}

BOOST_AUTO_TEST_CASE(they_print_as_people_write_them) {
  std::ostringstream out;
  out << CellIndex{7} << ' ' << Round{12, 3};
  BOOST_TEST(out.str() == "7 12.3");
}

BOOST_AUTO_TEST_CASE(a_grid_counts_its_cells) {
  BOOST_TEST((GridShape{3, 4}.cell_count()) == 12u);
  BOOST_TEST(GridShape{}.cell_count() == 1u);
}

BOOST_AUTO_TEST_CASE(time_points_add_and_subtract) {
  const TimePoint start{std::chrono::seconds(5)};
  const TimePoint later = start + std::chrono::milliseconds(1500);
  BOOST_TEST((start < later));
  BOOST_TEST((later - start).count() == 1'500'000'000);
}

BOOST_AUTO_TEST_CASE(bytes_of_views_the_memory_of_values) {
  const std::uint16_t values[] = {0x0201, 0x0403};
  const Bytes bytes = bytes_of(std::span<const std::uint16_t>(values));
  BOOST_REQUIRE_EQUAL(bytes.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(std::to_integer<std::size_t>(bytes[i]) == i + 1);
}

BOOST_AUTO_TEST_SUITE_END()

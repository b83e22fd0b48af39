// Cells, indices and positions, with and without gaps; neighbours around the torus.
#include "peer/placement/grid.hpp"

#include <boost/test/unit_test.hpp>

using namespace quadrille;
using namespace quadrille::peer;

BOOST_AUTO_TEST_SUITE(grids)

namespace {

// 3 rows of 4 cells, with room for 6 in a row:  0 1 2 3 . . / 6 7 8 9 . . / 12 13 14 15 . .
constexpr Grid gappy = {.epoch = {.epoch = 0, .rows = 3, .columns = 4}, .stride = 6};

}  // namespace

BOOST_AUTO_TEST_CASE(a_grid_without_gaps_numbers_its_cells_from_zero) {
  const Grid grid{.epoch = {.epoch = 0, .rows = 2, .columns = 3}, .stride = 3};
  BOOST_TEST(grid.cell_count() == 6U);
  BOOST_TEST(grid.index_end() == 6U);
  for (std::uint32_t i = 0; i < 6; ++i) {
    BOOST_TEST(grid.cell_at(i) == CellIndex{i});
    BOOST_TEST(grid.position_of({i}) == i);
  }
  BOOST_TEST(!grid.contains({6}));
}

BOOST_AUTO_TEST_CASE(positions_leave_the_gaps_out) {
  BOOST_TEST(gappy.cell_count() == 12U);
  BOOST_TEST(gappy.index_end() == 16U);
  BOOST_TEST(gappy.contains({3}));
  BOOST_TEST(!gappy.contains({4}));
  BOOST_TEST(!gappy.contains({18}));
  BOOST_TEST(gappy.cell_at(4) == CellIndex{6});
  for (std::uint32_t i = 0; i < gappy.cell_count(); ++i)
    BOOST_TEST(gappy.position_of(gappy.cell_at(i)) == i);
}

BOOST_AUTO_TEST_CASE(an_index_in_a_gap_or_past_the_end_has_the_cells_before_it_below) {
  BOOST_TEST(gappy.cells_below(5) == 4U);
  BOOST_TEST(gappy.cells_below(7) == 5U);
  BOOST_TEST(gappy.cells_below(16) == 12U);
  BOOST_TEST(gappy.cells_below(std::uint64_t{1} << 33) == 12U);
}

BOOST_AUTO_TEST_CASE(a_step_wraps_around_the_torus) {
  BOOST_TEST(step(gappy, {6}, Direction::West) == CellIndex{9});
  BOOST_TEST(step(gappy, {9}, Direction::East) == CellIndex{6});
  BOOST_TEST(step(gappy, {2}, Direction::North) == CellIndex{14});
  BOOST_TEST(step(gappy, {14}, Direction::South) == CellIndex{2});
}

BOOST_AUTO_TEST_CASE(every_step_there_has_a_step_back) {
  for (std::uint32_t i = 0; i < gappy.cell_count(); ++i) {
    const CellIndex cell = gappy.cell_at(i);
    BOOST_TEST(step(gappy, step(gappy, cell, Direction::West), Direction::East) == cell);
    BOOST_TEST(step(gappy, step(gappy, cell, Direction::North), Direction::South) == cell);
  }
}

BOOST_AUTO_TEST_CASE(on_a_ring_of_one_a_step_leads_nowhere) {
  const Grid column{.epoch = {.epoch = 0, .rows = 3, .columns = 1}, .stride = 1};
  BOOST_TEST(step(column, {1}, Direction::West) == CellIndex{1});
  BOOST_TEST(step(column, {1}, Direction::South) == CellIndex{2});
}

BOOST_AUTO_TEST_SUITE_END()

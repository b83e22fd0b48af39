// Whose snapshots a cell reads, on every small grid.
#include "train/lipizzaner/neighbourhood.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(lipizzaner_neighbourhood)

namespace {

std::vector<std::uint32_t> neighbours(std::uint32_t cell, GridShape grid,
                                      Neighbourhood neighbourhood = {}) {
  std::vector<std::uint32_t> values;
  for (const CellIndex neighbour : neighbours_of({cell}, grid, neighbourhood))
    values.push_back(neighbour.value);
  return values;
}

using Cells = std::vector<std::uint32_t>;

// Every relation that a run can choose; a transposed cross only on a square grid.
std::vector<Neighbourhood> all_kinds() {
  std::vector<Neighbourhood> kinds{
      {NeighbourhoodKind::Cross}, {NeighbourhoodKind::Moore}, {NeighbourhoodKind::TransposedCross}};
  for (std::uint32_t radius = 1; radius <= 5; ++radius)
    kinds.push_back({NeighbourhoodKind::Ring, radius});
  return kinds;
}

template <class Visit>
void on_every_small_grid(Visit visit) {
  for (std::uint32_t rows = 1; rows <= 6; ++rows)
    for (std::uint32_t columns = 1; columns <= 6; ++columns)
      for (const Neighbourhood& kind : all_kinds())
        if (kind.kind != NeighbourhoodKind::TransposedCross || rows == columns)
          visit(GridShape{rows, columns}, kind);
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_cross_is_west_north_east_south) {
  BOOST_TEST(neighbours(4, {3, 3}) == (Cells{3, 1, 5, 7}));
}

BOOST_AUTO_TEST_CASE(an_off_diagonal_cell_has_its_own_neighbours_and_not_its_mirror_images) {
  // The original's transposed mask gave cell 1 the neighbours of cell 3.
  BOOST_TEST(neighbours(1, {3, 3}) == (Cells{0, 7, 2, 4}));
  BOOST_TEST(neighbours(2, {2, 4}) == (Cells{1, 6, 3}));
}

BOOST_AUTO_TEST_CASE(the_torus_wraps_at_every_edge) {
  BOOST_TEST(neighbours(0, {3, 4}) == (Cells{3, 8, 1, 4}));
  BOOST_TEST(neighbours(11, {3, 4}) == (Cells{10, 7, 8, 3}));
}

BOOST_AUTO_TEST_CASE(directions_that_meet_in_one_cell_count_once) {
  BOOST_TEST(neighbours(0, {1, 1}).empty());
  BOOST_TEST(neighbours(0, {1, 2}) == (Cells{1}));
  BOOST_TEST(neighbours(1, {1, 4}) == (Cells{0, 2}));
  BOOST_TEST(neighbours(0, {2, 2}) == (Cells{1, 2}));
  BOOST_TEST(neighbours(0, {2, 3}) == (Cells{2, 3, 1}));
}

BOOST_AUTO_TEST_CASE(moore_adds_the_diagonals_after_the_cross) {
  BOOST_TEST(neighbours(5, {4, 4}, {NeighbourhoodKind::Moore}) == (Cells{4, 1, 6, 9, 0, 2, 10, 8}));
  BOOST_TEST(neighbours(0, {2, 2}, {NeighbourhoodKind::Moore}) == (Cells{1, 2, 3}));
}

BOOST_AUTO_TEST_CASE(a_ring_runs_through_the_grid_in_row_major_order) {
  BOOST_TEST(neighbours(3, {2, 4}, {NeighbourhoodKind::Ring, 1}) == (Cells{2, 4}));
  BOOST_TEST(neighbours(0, {2, 4}, {NeighbourhoodKind::Ring, 2}) == (Cells{7, 1, 6, 2}));
}

BOOST_AUTO_TEST_CASE(a_ring_whose_radius_exceeds_it_holds_every_other_cell_once) {
  BOOST_TEST(neighbours(0, {1, 4}, {NeighbourhoodKind::Ring, 100}) == (Cells{3, 1, 2}));
}

BOOST_AUTO_TEST_CASE(a_neighbourhood_counts_each_cell_once_on_small_grids) {
  using enum NeighbourhoodKind;
  BOOST_TEST(neighbourhood_size({1, 1}, {Cross}) == 1);
  BOOST_TEST(neighbourhood_size({1, 2}, {Cross}) == 2);
  BOOST_TEST(neighbourhood_size({2, 2}, {Cross}) == 3);
  BOOST_TEST(neighbourhood_size({2, 3}, {Cross}) == 4);
  BOOST_TEST(neighbourhood_size({3, 3}, {Cross}) == 5);
  BOOST_TEST(neighbourhood_size({3, 3}, {TransposedCross}) == 5);
  BOOST_TEST(neighbourhood_size({2, 3}, {Moore}) == 6);
  BOOST_TEST(neighbourhood_size({5, 5}, {Moore}) == 9);
  BOOST_TEST(neighbourhood_size({1, 8}, {Ring, 2}) == 5);
  BOOST_TEST(neighbourhood_size({2, 2}, {Ring, 2}) == 4);
}

BOOST_AUTO_TEST_CASE(a_transposed_cross_has_its_size_on_a_grid_without_mirror_images_too) {
  BOOST_TEST(neighbourhood_size({2, 3}, {NeighbourhoodKind::TransposedCross}) == 4);
}

BOOST_AUTO_TEST_CASE(neighbours_are_reciprocal_on_every_grid) {
  on_every_small_grid([](GridShape grid, const Neighbourhood& kind) {
    for (std::uint32_t i = 0; i < grid.cell_count(); ++i)
      for (const std::uint32_t j : neighbours(i, grid, kind)) {
        const Cells back = neighbours(j, grid, kind);
        BOOST_TEST(std::ranges::count(back, i) == 1,
                   grid.rows << "x" << grid.columns << ": " << i << " reads " << j);
      }
  });
}

BOOST_AUTO_TEST_CASE(no_cell_lists_itself_or_another_twice_and_all_have_equally_many) {
  on_every_small_grid([](GridShape grid, const Neighbourhood& kind) {
    const std::size_t expected = neighbours(0, grid, kind).size();
    for (std::uint32_t i = 0; i < grid.cell_count(); ++i) {
      const Cells listed = neighbours(i, grid, kind);
      const std::set<std::uint32_t> once(listed.begin(), listed.end());
      BOOST_TEST(once.size() == listed.size());
      BOOST_TEST(!once.contains(i));
      BOOST_TEST(listed.size() == expected);
    }
  });
}

BOOST_AUTO_TEST_CASE(a_transposed_cross_is_that_of_the_mirrored_cell) {
  const Neighbourhood transposed{NeighbourhoodKind::TransposedCross};
  BOOST_TEST(neighbours(4, {3, 3}, transposed) ==
             neighbours(4, {3, 3}, {NeighbourhoodKind::Cross}));
  BOOST_TEST(neighbours(1, {3, 3}, transposed) ==
             neighbours(3, {3, 3}, {NeighbourhoodKind::Cross}));
  BOOST_TEST(neighbours(1, {3, 3}, transposed) == (Cells{5, 0, 4, 6}));
  BOOST_TEST(neighbours(6, {3, 3}, transposed) == (Cells{1, 8, 0, 5}));
}

BOOST_AUTO_TEST_SUITE_END()

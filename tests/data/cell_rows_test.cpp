// Shares of the data: what covers, what is disjoint, and what is the same every time.
#include "data/cell_rows.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <cmath>
#include <limits>
#include <set>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(cell_rows)

using test::says;

namespace {

Dataset labelled(std::size_t count, std::size_t classes) {
  Dataset dataset;
  dataset.name = "made";
  dataset.count = count;
  dataset.bytes.resize(count);
  for (std::size_t row = 0; row < count; ++row)
    dataset.labels.push_back(static_cast<std::uint8_t>(row % classes));
  dataset.class_count = classes;
  return dataset;
}

std::vector<std::uint32_t> rows_of(const Dataset& dataset, const CellShare& share) {
  auto rows = rows_of_cell(dataset, share);
  BOOST_REQUIRE(rows.has_value());
  BOOST_TEST(std::ranges::is_sorted(*rows));
  BOOST_TEST((std::ranges::adjacent_find(*rows) == rows->end()));
  return std::move(*rows);
}

CellShare share_of(std::uint32_t cell, std::uint32_t cell_count) {
  return {.seed = 5, .cell = {cell}, .cell_count = cell_count};
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_cell_draws_from_the_whole_set_by_default) {
  const Dataset dataset = labelled(50, 10);
  const auto rows = rows_of(dataset, share_of(3, 4));
  BOOST_TEST(rows.size() == 50U);
  BOOST_TEST(rows.back() == 49U);
}

BOOST_AUTO_TEST_CASE(a_fraction_gives_each_cell_its_own_random_subset) {
  const Dataset dataset = labelled(1000, 10);
  CellShare share = share_of(0, 4);
  share.fraction = 0.25;
  const auto first = rows_of(dataset, share);
  BOOST_TEST(first.size() == 250U);
  BOOST_TEST((first == rows_of(dataset, share)));
  share.cell = {1};
  const auto second = rows_of(dataset, share);
  BOOST_TEST((first != second));
  std::vector<std::uint32_t> common;
  std::ranges::set_intersection(first, second, std::back_inserter(common));
  // Independent subsets share 62.5 rows in the mean, with a standard deviation of 6.
  BOOST_TEST(std::abs(static_cast<double>(common.size()) - 62.5) < 30);
  share.seed = 6;
  BOOST_TEST((second != rows_of(dataset, share)));
}

BOOST_AUTO_TEST_CASE(subsets_do_not_depend_on_the_size_of_the_grid) {
  const Dataset dataset = labelled(100, 10);
  CellShare share = share_of(1, 4);
  share.fraction = 0.5;
  const auto of_four = rows_of(dataset, share);
  share.cell_count = 9;
  BOOST_TEST((of_four == rows_of(dataset, share)));
}

BOOST_AUTO_TEST_CASE(every_row_is_equally_likely_in_a_subset) {
  const Dataset dataset = labelled(20, 2);
  std::vector<int> drawn(20);
  for (std::uint32_t cell = 0; cell < 2000; ++cell) {
    CellShare share = share_of(cell, 2000);
    share.fraction = 0.25;
    for (const std::uint32_t row : rows_of(dataset, share)) ++drawn[row];
  }
  // Binomial(2000, 1/4): mean 500, standard deviation 19.4; five of them.
  for (const int times : drawn) BOOST_TEST(std::abs(times - 500) < 97);
}

BOOST_AUTO_TEST_CASE(the_smallest_fraction_leaves_one_row) {
  CellShare share = share_of(0, 1);
  share.fraction = 1e-9;
  BOOST_TEST(rows_of(labelled(100, 10), share).size() == 1U);
}

BOOST_AUTO_TEST_CASE(with_no_more_cells_than_classes_each_class_has_one_owner) {
  const Dataset dataset = labelled(100, 10);
  for (const std::uint32_t cells : {1U, 3U, 4U, 10U}) {
    std::set<std::uint32_t> seen;
    std::size_t total = 0;
    for (std::uint32_t cell = 0; cell < cells; ++cell) {
      CellShare share = share_of(cell, cells);
      share.partition_by_label = true;
      const std::size_t owned = classes_of_cell(dataset, share).size();
      BOOST_TEST(owned >= 10 / cells);
      BOOST_TEST(owned <= (10 + cells - 1) / cells);
      const auto rows = rows_of(dataset, share);
      BOOST_TEST(rows.size() == owned * 10);
      total += rows.size();
      seen.insert(rows.begin(), rows.end());
    }
    BOOST_TEST(total == 100U);
    BOOST_TEST(seen.size() == 100U);
  }
}

BOOST_AUTO_TEST_CASE(with_more_cells_than_classes_each_cell_owns_one_and_none_is_left_out) {
  const Dataset dataset = labelled(60, 3);
  std::vector<int> owners(3);
  for (std::uint32_t cell = 0; cell < 7; ++cell) {
    CellShare share = share_of(cell, 7);
    share.partition_by_label = true;
    const auto classes = classes_of_cell(dataset, share);
    BOOST_REQUIRE(classes.size() == 1U);
    ++owners[classes[0]];
    const auto rows = rows_of(dataset, share);
    BOOST_TEST(rows.size() == 20U);
    for (const std::uint32_t row : rows) BOOST_TEST(dataset.labels[row] == classes[0]);
  }
  for (const int count : owners) BOOST_TEST((count == 2 || count == 3));
}

BOOST_AUTO_TEST_CASE(labels_without_images_are_owned_by_nobody) {
  Dataset dataset = labelled(30, 3);
  for (std::uint8_t& label : dataset.labels) ++label;  // as EMNIST letters: 1 to 26, no 0
  dataset.class_count = 4;
  for (std::uint32_t cell = 0; cell < 3; ++cell) {
    CellShare share = share_of(cell, 3);
    share.partition_by_label = true;
    BOOST_TEST(rows_of(dataset, share).size() == 10U);
  }
}

BOOST_AUTO_TEST_CASE(a_fraction_is_taken_of_the_cells_own_classes) {
  const Dataset dataset = labelled(100, 10);
  CellShare share = share_of(2, 5);
  share.partition_by_label = true;
  share.fraction = 0.5;
  const auto classes = classes_of_cell(dataset, share);
  const auto rows = rows_of(dataset, share);
  BOOST_TEST(rows.size() == 10U);
  for (const std::uint32_t row : rows)
    BOOST_TEST((std::ranges::find(classes, dataset.labels[row]) != classes.end()));
}

BOOST_AUTO_TEST_CASE(wrong_shares_are_told) {
  Dataset dataset = labelled(100, 10);
  CellShare share = share_of(0, 1);
  for (const double fraction : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    share.fraction = fraction;
    const auto rows = rows_of_cell(dataset, share);
    BOOST_REQUIRE(!rows.has_value());
    BOOST_TEST((rows.error().code == ErrorCode::Config));
    BOOST_TEST(says(rows.error().detail, {"data_fraction is", "at most 1"}));
  }
  share.fraction = 1;
  share.partition_by_label = true;
  dataset.labels.clear();
  const auto rows = rows_of_cell(dataset, share);
  BOOST_REQUIRE(!rows.has_value());
  BOOST_TEST(says(rows.error().detail, {"partition is \"label\"", "\"made\" has no labels"}));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data

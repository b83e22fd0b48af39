#include "data/cell_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "base/random.hpp"

namespace quadrille::data {
namespace {

std::vector<std::uint32_t> classes_present(const Dataset& dataset) {
  std::array<bool, 256> present{};
  for (const std::uint8_t label : dataset.labels) present[label] = true;
  std::vector<std::uint32_t> classes;
  for (std::uint32_t label = 0; label < present.size(); ++label)
    if (present[label]) classes.push_back(label);
  return classes;
}

std::vector<std::uint32_t> rows_of_classes(const Dataset& dataset,
                                           const std::vector<std::uint8_t>& classes) {
  std::array<bool, 256> owned{};
  for (const std::uint8_t label : classes) owned[label] = true;
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < dataset.count; ++row)
    if (owned[dataset.labels[row]]) rows.push_back(row);
  return rows;
}

// The first `count` places of a Fisher-Yates shuffle, sorted: every subset is equally likely.
void keep_random(std::vector<std::uint32_t>& rows, std::size_t count, RandomStream random) {
  for (std::size_t place = 0; place < count; ++place) {
    const auto remaining = static_cast<std::uint32_t>(rows.size() - place);
    std::swap(rows[place], rows[place + random.below(remaining)]);
  }
  rows.resize(count);
  std::ranges::sort(rows);
}

Result<void> check_share(const Dataset& dataset, const CellShare& share) {
  if (!(share.fraction > 0 && share.fraction <= 1)) {
    std::ostringstream value;
    value << share.fraction;
    return failure(ErrorCode::Config, "data_fraction is " + std::move(value).str() +
                                          "; a cell needs more than 0 and at most 1 of the data");
  }
  if (share.partition_by_label && dataset.labels.empty())
    return failure(ErrorCode::Config,
                   "partition is \"label\", but the data set \"" + dataset.name +
                       "\" has no labels; use partition = \"all\", or add its labels file");
  return {};
}

}  // namespace

std::vector<std::uint8_t> classes_of_cell(const Dataset& dataset, const CellShare& share) {
  CHECK(share.cell.value < share.cell_count, share.cell, share.cell_count);
  std::vector<std::uint32_t> order = classes_present(dataset);
  if (share.partition_by_label && !order.empty()) {
    RandomStream(stream_key(share.seed, "data/class order", 0)).shuffle(order);
    std::vector<std::uint32_t> owned;
    for (std::size_t place = share.cell.value % order.size(); place < order.size();
         place += share.cell_count)
      owned.push_back(order[place]);
    std::ranges::sort(owned);
    order = std::move(owned);
  }
  return {order.begin(), order.end()};
}

Result<std::vector<std::uint32_t>> rows_of_cell(const Dataset& dataset, const CellShare& share) {
  TRY_VOID(check_share(dataset, share));
  CHECK(dataset.count > 0);
  CHECK(dataset.count <= std::numeric_limits<std::uint32_t>::max(), dataset.count);
  std::vector<std::uint32_t> rows;
  if (share.partition_by_label) {
    rows = rows_of_classes(dataset, classes_of_cell(dataset, share));
  } else {
    rows.resize(dataset.count);
    for (std::uint32_t row = 0; row < dataset.count; ++row) rows[row] = row;
  }
  if (share.fraction < 1) {
    const double wanted = std::round(share.fraction * static_cast<double>(rows.size()));
    keep_random(rows, std::max<std::size_t>(1, static_cast<std::size_t>(wanted)),
                RandomStream(stream_key(share.seed, "data/subset", share.cell.value)));
  }
  return rows;
}

}  // namespace quadrille::data

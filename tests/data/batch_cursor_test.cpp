// Mini-batches: every epoch a new order, no row twice in it, and the same again from two numbers.
#include "data/batch_cursor.hpp"

#include <boost/test/unit_test.hpp>
#include <set>

#include "data/made_files.hpp"

namespace quadrille::data {

BOOST_AUTO_TEST_SUITE(batch_cursor)

using test::says;

namespace {

std::vector<std::uint32_t> some_rows(std::uint32_t count) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < count; ++row) rows.push_back(3 * row);
  return rows;
}

BatchCursor cursor_over(std::uint32_t count, std::size_t batch_size, PhiloxKey key = 42) {
  auto cursor = BatchCursor::create(some_rows(count), batch_size, key);
  BOOST_REQUIRE(cursor.has_value());
  return std::move(*cursor);
}

std::vector<std::uint32_t> drawn(BatchCursor& cursor, std::size_t batches) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < batches; ++i) {
    const auto batch = cursor.next();
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(an_epoch_visits_every_row_once) {
  BatchCursor cursor = cursor_over(20, 5);
  BOOST_TEST(cursor.batches_per_epoch() == 4U);
  const auto rows = drawn(cursor, 4);
  BOOST_TEST(
      (std::set(rows.begin(), rows.end()) == std::set(cursor.rows().begin(), cursor.rows().end())));
  BOOST_TEST((cursor.state() == CursorState{.epoch = 0, .position = 4}));
}

BOOST_AUTO_TEST_CASE(epochs_and_keys_have_orders_of_their_own) {
  BatchCursor cursor = cursor_over(20, 20);
  const auto first = drawn(cursor, 1);
  const auto second = drawn(cursor, 1);
  BOOST_TEST((first != second));
  BOOST_TEST((cursor.state() == CursorState{.epoch = 1, .position = 1}));
  BatchCursor other = cursor_over(20, 20, 43);
  BOOST_TEST((drawn(other, 1) != first));
}

BOOST_AUTO_TEST_CASE(rows_that_do_not_fill_a_batch_are_skipped_and_others_each_time) {
  BatchCursor cursor = cursor_over(11, 4);
  BOOST_TEST(cursor.batches_per_epoch() == 2U);
  std::set<std::uint32_t> ever;
  for (int epoch = 0; epoch < 20; ++epoch) {
    const auto rows = drawn(cursor, 2);
    BOOST_TEST(std::set(rows.begin(), rows.end()).size() == 8U);
    ever.insert(rows.begin(), rows.end());
  }
  BOOST_TEST(ever.size() == 11U);
}

BOOST_AUTO_TEST_CASE(a_restored_cursor_goes_on_with_the_same_rows_from_any_point) {
  for (std::size_t before = 0; before < 13; ++before) {
    BatchCursor unbroken = cursor_over(17, 4);
    drawn(unbroken, before);
    BatchCursor resumed = cursor_over(17, 4);
    drawn(resumed, 7);  // wherever it was
    BOOST_REQUIRE(resumed.restore(unbroken.state()).has_value());
    BOOST_TEST((resumed.state() == unbroken.state()));
    BOOST_TEST((drawn(resumed, 10) == drawn(unbroken, 10)), "after " << before << " batches");
  }
}

BOOST_AUTO_TEST_CASE(far_epochs_are_reached_in_no_time_and_have_their_own_order) {
  BatchCursor cursor = cursor_over(50, 50);
  const auto first = drawn(cursor, 1);
  BOOST_REQUIRE(cursor.restore({.epoch = (1U << 30) - 1, .position = 0}).has_value());
  BOOST_TEST((drawn(cursor, 1) != first));
}

BOOST_AUTO_TEST_CASE(a_batch_larger_than_the_data_is_told_with_both_numbers) {
  const auto cursor = BatchCursor::create(some_rows(60), 100, 1);
  BOOST_REQUIRE(!cursor.has_value());
  BOOST_TEST((cursor.error().code == ErrorCode::Config));
  BOOST_TEST(says(cursor.error().detail, {"batch_size is 100", "60 rows", "lower"}));
  BOOST_TEST(BatchCursor::create(some_rows(60), 60, 1).has_value());
  BOOST_TEST(!BatchCursor::create(some_rows(60), 0, 1).has_value());
  BOOST_TEST(!BatchCursor::create({}, 1, 1).has_value());
}

BOOST_AUTO_TEST_CASE(a_state_of_other_data_is_refused_and_changes_nothing) {
  BatchCursor cursor = cursor_over(20, 5);
  drawn(cursor, 3);
  const CursorState before = cursor.state();
  const auto refused = cursor.restore({.epoch = 0, .position = 5});
  BOOST_REQUIRE(!refused.has_value());
  BOOST_TEST((refused.error().code == ErrorCode::Mismatch));
  BOOST_TEST(says(refused.error().detail, {"batch 5 of epoch 0", "4 batches"}));
  BOOST_TEST(!cursor.restore({.epoch = ~std::uint64_t{0}, .position = 0}).has_value());
  BOOST_TEST((cursor.state() == before));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::data

// Which generations become checkpoints: by the schedule, when the last cell has reached them, and
// none that a cell or the disk withheld.
#include "node/run/checkpoint_writer.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "node/file_size_limit.hpp"
#include "node/toy_learners.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(checkpoint_writer)

namespace {

namespace fs = std::filesystem;
using test::ScratchDirectory;

const CheckpointOwner owner{
    .run_id = "0123456789abcdef0123456789abcdef",
    .trained_on = {.data = "letters", .fingerprint = "abc", .grid = {2, 3}}};

// Two cells of a toy learner, and an exchange that holds a snapshot of each.
struct Saved {
  explicit Saved(CheckpointWriter::Schedule schedule)
      : store(scratch.path(), owner, 10),
        learner(2),
        exchange(1, {}),
        writer(store, {.cell_count = 2}, schedule) {}

  Result<void> written(std::uint32_t cell, std::uint64_t generation) {
    const float value = 1;
    const Round round{generation};
    BOOST_REQUIRE(exchange.publish(
        {.cell = {cell}, .round = round, .values = std::span(&value, 1), .exact = {}}));
    return writer.published({cell}, generation, learner, exchange);
  }
  Result<void> published(std::uint32_t cell, std::uint64_t generation) {
    const Result<void> saved = written(cell, generation);
    const Result<void> ended = writer.ended(generation);
    return saved ? ended : saved;
  }
  void both_published(std::uint64_t generation) {
    for (const std::uint32_t cell : {0U, 1U}) BOOST_REQUIRE(published(cell, generation));
  }

  ScratchDirectory scratch;
  CheckpointStore store;
  testing::AllReduceLearner learner;
  LocalExchange exchange;
  CheckpointWriter writer;
};

}  // namespace

BOOST_AUTO_TEST_CASE(generations_are_saved_by_schedule_and_at_the_end) {
  Saved saved({.every = 3, .last = 7});
  for (std::uint64_t generation = 0; generation <= 7; ++generation)
    saved.both_published(generation);
  for (const auto* name : {"000003", "000006", "000007"})
    BOOST_TEST(fs::exists(saved.scratch / name), name);
  BOOST_TEST(saved.scratch.entry_count() == 9u);
  BOOST_TEST(saved.writer.newest_complete().value() == 7u);
}

BOOST_AUTO_TEST_CASE(with_no_schedule_only_the_end_is_saved_or_where_the_run_stops) {
  Saved saved({.every = 0, .last = 7});
  saved.both_published(1);
  saved.writer.also_at(2);
  saved.both_published(2);
  saved.both_published(3);
  BOOST_TEST(saved.writer.newest_complete().value() == 2u);
  BOOST_TEST(saved.scratch.entry_count() == 3u);
}

BOOST_AUTO_TEST_CASE(a_generation_is_complete_when_the_last_cell_has_reached_it) {
  Saved saved({.every = 1, .last = 7});
  BOOST_REQUIRE(saved.published(0, 1));
  BOOST_REQUIRE(saved.published(0, 2));  // one cell may be ahead
  BOOST_TEST(!saved.writer.newest_complete().has_value());
  BOOST_REQUIRE(saved.published(1, 1));
  BOOST_TEST(saved.writer.newest_complete().value() == 1u);
  BOOST_REQUIRE(saved.published(1, 2));
  BOOST_TEST(saved.writer.newest_complete().value() == 2u);
}

BOOST_AUTO_TEST_CASE(a_generation_that_lacks_a_cell_is_no_checkpoint_and_removes_none) {
  Saved saved({.every = 1, .last = 7});
  saved.both_published(1);
  BOOST_REQUIRE(saved.written(0, 2));
  BOOST_REQUIRE(saved.writer.ended(2));
  const Result<void> ended = saved.writer.ended(2);  // of a cell that was never published
  BOOST_TEST_REQUIRE(!ended.has_value());
  BOOST_TEST(ended.error().detail.find("000002: only 1 of 2 cells were saved") !=
             std::string::npos);
  BOOST_TEST(!fs::exists(saved.scratch / "000002"));
  BOOST_TEST(!fs::exists(saved.scratch / "000002.partial"));
  BOOST_TEST(saved.writer.newest_complete().value() == 1u);
  saved.both_published(3);
  BOOST_TEST(saved.writer.newest_complete().value() == 3u);
}

BOOST_AUTO_TEST_CASE(a_generation_that_the_disk_refused_is_given_up_whole) {
  Saved saved({.every = 1, .last = 7});
  saved.both_published(1);
  BOOST_REQUIRE(saved.published(0, 2));
  {
    const testing::FileSizeLimit limit(100);
    BOOST_TEST(!saved.published(1, 2).has_value());
    BOOST_TEST(!saved.published(1, 3).has_value());
  }
  BOOST_TEST(!fs::exists(saved.scratch / "000002.partial"));
  // The other cell of a generation given up says nothing, and fills no disk.
  BOOST_TEST(saved.published(0, 3).has_value());
  BOOST_TEST(!fs::exists(saved.scratch / "000003.partial"));
  BOOST_TEST(saved.writer.newest_complete().value() == 1u);
  saved.both_published(4);
  BOOST_TEST(saved.writer.newest_complete().value() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

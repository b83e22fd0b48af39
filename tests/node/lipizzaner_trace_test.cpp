// The traces of the real Lipizzaner learner under the local driver: what passes between a cell and
// its driver, line by line, in both modes and through the adoption of a cell whose owner died.
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <memory>
#include <string>
#include <vector>

#include "base/worker_pool.hpp"
#include "compute/cpu/cpu_backend.hpp"
#include "data/synthetic.hpp"
#include "node/kept_snapshots.hpp"
#include "node/manual_clock.hpp"
#include "node/recording_learner.hpp"
#include "node/run/local_driver.hpp"
#include "node/run/local_exchange.hpp"
#include "train/lipizzaner/learner.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(lipizzaner_traces)

using testing::ManualClock;
using testing::RecordingLearner;
using Lines = std::vector<std::string>;

namespace {

struct SilentObserver final : DriverObserver {
  void on_published(CellIndex, Round) override {}
  void on_status(const peer::Status&) override {}
  void on_notice(const peer::Notice& notice) override { notices.push_back(notice.text); }
  Lines notices;
};

train::LipizzanerOptions tiny_options(bool sync) {
  train::LipizzanerOptions options;
  options.sync = sync;
  options.batch_size = 5;
  options.batches_per_generation = 2;
  options.fitness_sample_size = 10;
  options.score = train::ScoreKind::None;
  options.model = "toy";
  options.latent_size = 2;
  return options;
}

data::Dataset ring_of_points() {
  data::SyntheticOptions options;
  options.count = 100;
  return std::move(data::make_synthetic("ring8", options).value().dataset);
}

std::size_t floats_of(const peer::Learner& learner) {
  std::size_t count = 0;
  for (const peer::Section& section : learner.sections()) count += section.float_count;
  return count;
}

// A grid in one process, watched at two cells.
struct World {
  World(const train::RunFacts& run, const train::LipizzanerOptions& options, CellIndex first,
        CellIndex second)
      : inner(std::move(
            train::make_lipizzaner(run, options, *backend, pool, dataset, nullptr).value())),
        second_watch(*inner, second),
        first_watch(second_watch, first),
        exchange(floats_of(*inner), {}),
        driver(first_watch, exchange, clock, observer) {
    for (std::uint32_t cell = 0; cell < run.grid.cell_count(); ++cell) start({cell});
  }

  void start(CellIndex cell, const peer::Origin& origin = peer::Fresh{}) {
    const Result<void> started = first_watch.start(cell, origin);
    BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().detail));
    driver.add(cell);
  }
  void lose(CellIndex cell) {
    first_watch.release(cell);
    driver.remove(cell);
  }
  // From the newest snapshot that the exchange holds, to the round of the foremost neighbour.
  void adopt(CellIndex cell) {
    Round jump_to;
    for (const CellIndex neighbour : first_watch.neighbours(cell))
      jump_to = std::max(jump_to, round_of(neighbour));
    start(cell, peer::Adopted{.newest = exchange.newest({.source = cell, .reader = cell}).value(),
                              .jump_to = jump_to});
  }
  // Of its newest snapshot; round 0 before it has published any.
  Round round_of(CellIndex cell) const {
    const auto newest = exchange.newest({.source = cell, .reader = cell});
    return newest ? newest->round : Round{};
  }

  void run_until(CellIndex cell, std::uint64_t round) {
    while (!exchange.newest({.source = cell, .reader = cell}) || round_of(cell).index < round)
      BOOST_TEST_REQUIRE(driver.turn());
  }
  void run() {
    while (driver.turn()) {
    }
  }

  WorkerPool pool{1};
  std::unique_ptr<compute::Backend> backend = compute::make_cpu_backend(pool);
  data::Dataset dataset = ring_of_points();
  std::unique_ptr<peer::Learner> inner;
  RecordingLearner second_watch, first_watch;
  ManualClock clock;
  SilentObserver observer;
  LocalExchange exchange;
  LocalDriver driver;
};

// What was said since the last call. Pauses within a generation are left out: where they fall is
// the driver's choice.
Lines story(RecordingLearner& learner, std::size_t& seen) {
  learner.finish();
  Lines lines;
  bool silent = false;  // the advance before said nothing: it only paused
  for (; seen < learner.transcript().size(); ++seen) {
    const std::string& line = learner.transcript()[seen];
    const bool advance = line.starts_with("advance");
    if (!(silent && line == "advance")) lines.push_back(line);
    silent = advance;
  }
  return lines;
}

Lines story(RecordingLearner& learner) {
  std::size_t seen = 0;
  return story(learner, seen);
}

void check_story(const Lines& told, const Lines& expected) {
  BOOST_TEST(told == expected, boost::test_tools::per_element());
}

}  // namespace

// 0 1    The neighbours of 0 are 1 (west, east) and 2 (north, south).
// 2 3
BOOST_AUTO_TEST_CASE(an_asynchronous_cell_takes_the_newest_of_each_neighbour) {
  World world({.grid = {2, 2}, .generations = 2}, tiny_options(false), {0}, {3});
  world.run();
  check_story(story(world.first_watch),
              {"advance", "  publish 0.0", "  need newest", "advance 1@0.0 2@0.0", "  publish 1.0",
               "  status 1.0", "  need newest", "advance 1@1.0 2@1.0", "  publish 2.0",
               "  status 2.0", "  done"});
  check_story(story(world.second_watch),
              {"advance", "  publish 0.0", "  need newest", "advance 2@0.0 1@0.0", "  publish 1.0",
               "  status 1.0", "  need newest", "advance 2@1.0 1@1.0", "  publish 2.0",
               "  status 2.0", "  done"});
}

BOOST_AUTO_TEST_CASE(an_asynchronous_cell_goes_on_with_the_last_word_of_a_lost_neighbour) {
  World world({.grid = {2, 2}, .generations = 3}, tiny_options(false), {0}, {3});
  world.run_until({1}, 1);
  world.lose({1});
  world.run();
  check_story(
      story(world.first_watch),
      {"advance", "  publish 0.0", "  need newest", "advance 1@0.0 2@0.0", "  publish 1.0",
       "  status 1.0", "  need newest", "advance 1@1.0 2@1.0", "  publish 2.0", "  status 2.0",
       "  need newest", "advance 1@1.0 2@2.0", "  publish 3.0", "  status 3.0", "  done"});
}

// Cell 1 is lost after its round 2. Its neighbours 0 and 3 end round 3 and wait; there it is
// adopted.
BOOST_AUTO_TEST_CASE(a_synchronous_cell_is_adopted_at_the_round_of_its_neighbours) {
  World world({.grid = {2, 2}, .generations = 5}, tiny_options(true), {0}, {1});
  world.run_until({1}, 2);
  world.lose({1});
  world.run();
  BOOST_TEST(world.driver.stuck() == std::vector<CellIndex>({{0}, {2}, {3}}),
             boost::test_tools::per_element());
  std::size_t seen_of_neighbour = 0, seen_of_lost = 0;
  check_story(story(world.first_watch, seen_of_neighbour),
              {"advance", "  publish 0.0", "  need 1@0.0 2@0.0", "advance 1@0.0 2@0.0",
               "  publish 1.0", "  status 1.0", "  need 1@1.0 2@1.0", "advance 1@1.0 2@1.0",
               "  publish 2.0", "  status 2.0", "  need 1@2.0 2@2.0", "advance 1@2.0 2@2.0",
               "  publish 3.0", "  status 3.0", "  need 1@3.0 2@3.0"});
  check_story(story(world.second_watch, seen_of_lost),
              {"advance", "  publish 0.0", "  need 0@0.0 3@0.0", "advance 0@0.0 3@0.0",
               "  publish 1.0", "  status 1.0", "  need 0@1.0 3@1.0", "advance 0@1.0 3@1.0",
               "  publish 2.0", "  status 2.0", "  need 0@2.0 3@2.0"});

  world.adopt({1});
  world.run();
  BOOST_TEST(world.driver.stuck().empty());
  check_story(story(world.first_watch, seen_of_neighbour),
              {"advance 1@3.0 2@3.0", "  publish 4.0", "  status 4.0", "  need 1@4.0 2@4.0",
               "advance 1@4.0 2@4.0", "  publish 5.0", "  status 5.0", "  done"});
  check_story(story(world.second_watch, seen_of_lost),
              {"advance", "  notice", "  publish 3.0", "  need 0@3.0 3@3.0", "advance 0@3.0 3@3.0",
               "  publish 4.0", "  status 4.0", "  need 0@4.0 3@4.0", "advance 0@4.0 3@4.0",
               "  publish 5.0", "  status 5.0", "  done"});
  check_story(world.observer.notices,
              {"adopted from its snapshot of round 2 with fresh moments; it goes on at round 3"});
}

// A row of six. Cell 3 is lost after its round 1: 2 and 4 stop at 2, 1 and 5 at 3, 0 at 4. Then 1
// is lost, whose round 3 reached cell 0 alone. Adopted, it jumps over round 3, for which 2 asks
// later.
BOOST_AUTO_TEST_CASE(a_need_for_a_round_that_was_skipped_is_met_by_the_next_one) {
  World world({.grid = {1, 6}, .generations = 6}, tiny_options(true), {2}, {1});
  world.run_until({3}, 1);
  world.lose({3});
  world.run();
  const std::uint64_t rounds[] = {4, 3, 2, 1, 2, 3};
  for (std::uint32_t cell = 0; cell < 6; ++cell)
    BOOST_TEST(world.round_of({cell}).index == rounds[cell]);
  std::size_t seen_of_neighbour = 0, seen_of_lost = 0;
  story(world.first_watch, seen_of_neighbour);
  story(world.second_watch, seen_of_lost);

  world.lose({1});
  std::vector<PublishedSnapshot> known = testing::snapshots_in(world.exchange, {1});
  std::erase_if(known, [](const PublishedSnapshot& snapshot) { return snapshot.round.index > 2; });
  BOOST_REQUIRE(world.exchange.restore({1}, known));
  world.adopt({3});
  world.adopt({1});
  world.run();
  BOOST_TEST(world.driver.stuck().empty());
  check_story(story(world.second_watch, seen_of_lost),
              {"advance", "  notice", "  publish 4.0", "  need 0@4.0 2@4.0", "advance 0@4.0 2@4.0",
               "  publish 5.0", "  status 5.0", "  need 0@5.0 2@5.0", "advance 0@5.0 2@5.0",
               "  publish 6.0", "  status 6.0", "  done"});
  check_story(story(world.first_watch, seen_of_neighbour),
              {"advance 1@2.0 3@2.0", "  publish 3.0", "  status 3.0", "  need 1@3.0 3@3.0",
               "advance 1@4.0 3@3.0", "  publish 4.0", "  status 4.0", "  need 1@4.0 3@4.0",
               "advance 1@4.0 3@4.0", "  publish 5.0", "  status 5.0", "  need 1@5.0 3@5.0",
               "advance 1@5.0 3@5.0", "  publish 6.0", "  status 6.0", "  done"});
  check_story(world.observer.notices,
              {"adopted from its snapshot of round 2 with fresh moments; it goes on at round 4",
               "adopted from its snapshot of round 1 with fresh moments; it goes on at round 2"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

// The life of a cell as its driver sees it: what it publishes, needs and says, and what happens to
// its networks in a generation.
#include "nn/optimizer.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

using namespace quadrille;
using namespace quadrille::train;
using test::Grid;
using test::measure;
using test::tensor;

BOOST_AUTO_TEST_SUITE(lipizzaner_cell)

namespace {

// The actions of one advance of cell 0.
std::vector<peer::Action> advance(peer::Learner& learner, std::uint32_t steps = 1000) {
  const std::vector<peer::CellInput> inputs{{.cell = {0}, .snapshots = {}, .chunks = {}}};
  std::vector<peer::Action> actions;
  learner.advance(inputs, {.steps = steps}, actions);
  return actions;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_fresh_cell_publishes_round_0_and_needs_that_of_its_neighbours) {
  Grid grid({});
  grid.start({0});
  const auto actions = advance(grid.learner());
  BOOST_REQUIRE(actions.size() == 2);
  const auto& publish = std::get<peer::Publish>(actions[0]);
  BOOST_TEST(publish.round == Round{});
  BOOST_TEST(publish.values.size() ==
             grid.learner().sections()[0].float_count + grid.learner().sections()[1].float_count);
  const auto& need = std::get<peer::Need>(actions[1]);
  BOOST_TEST(!need.newest);
  BOOST_TEST((need.snapshots == std::vector<peer::Need::Item>{{{1}, {0}}, {{2}, {0}}}));
}

BOOST_AUTO_TEST_CASE(an_asynchronous_cell_takes_whatever_is_the_newest) {
  LipizzanerOptions options = test::small_options();
  options.sync = false;
  Grid grid({.options = options});
  grid.start({0});
  const auto first = advance(grid.learner());
  BOOST_TEST(std::get<peer::Need>(first[1]).newest);
  BOOST_TEST(std::get<peer::Need>(first[1]).snapshots.empty());
  // Nothing came: it trains alone, and says that it heard of nobody.
  const auto second = advance(grid.learner());
  const auto& status = std::get<peer::Status>(second[1]);
  BOOST_TEST(status.round == Round{1});
  const std::vector<double> fitness = measure(status, "generator_member_fitness");
  BOOST_REQUIRE(fitness.size() == 3);
  BOOST_TEST(std::isfinite(fitness[0]));
  BOOST_TEST(std::isnan(fitness[1]));
}

BOOST_AUTO_TEST_CASE(a_generation_ends_with_publish_status_and_need_and_the_last_with_done) {
  RunFacts run = test::small_run();
  LipizzanerOptions options = test::small_options();
  options.sync = false;
  run.generations = 2;
  Grid grid({.run = run, .options = options});
  grid.start({0});
  advance(grid.learner());
  const auto first = advance(grid.learner());
  BOOST_REQUIRE(first.size() == 3);
  BOOST_TEST(std::get<peer::Publish>(first[0]).round == Round{1});
  BOOST_TEST(std::get<peer::Status>(first[1]).round == Round{1});
  BOOST_TEST(std::holds_alternative<peer::Need>(first[2]));
  const auto last = advance(grid.learner());
  BOOST_TEST(std::get<peer::Publish>(last[0]).round == Round{2});
  BOOST_TEST(std::holds_alternative<peer::Done>(last[2]));
}

BOOST_AUTO_TEST_CASE(a_cell_whose_quantum_is_used_up_says_nothing) {
  RunFacts run = test::small_run();
  LipizzanerOptions options = test::small_options();
  run.grid = {1, 1};
  Grid grid({.run = run, .options = options});
  grid.start({0});
  BOOST_TEST(advance(grid.learner(), 1).size() == 1);  // round 0; a single cell needs nobody
  int silent = 0;
  while (advance(grid.learner(), 1).empty()) ++silent;
  BOOST_TEST(silent > 3);
}

BOOST_DATA_TEST_CASE(a_single_cell_trains_with_selection_on, test::every_backend(), backend) {
  RunFacts run = test::small_run();
  LipizzanerOptions options = test::small_options();
  run.grid = {1, 1};
  Grid grid({.run = run, .options = options, .backend = backend});
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == 1);
  BOOST_TEST(grid.status(0).round == Round{3});
  BOOST_TEST(measure(grid.status(0), "mixture_weights") == std::vector{1.0},
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(grids_of_every_small_shape_train_to_the_end) {
  for (const GridShape shape : {GridShape{1, 2}, {1, 3}, {2, 3}, {3, 3}, {3, 1}})
    for (const bool sync : {true, false}) {
      RunFacts run = test::small_run();
      LipizzanerOptions options = test::small_options();
      run.grid = shape;
      options.sync = sync;
      run.generations = 2;
      Grid grid({.run = run, .options = options});
      grid.start_all();
      grid.run();
      BOOST_TEST(grid.done.size() == shape.cell_count());
    }
}

BOOST_AUTO_TEST_CASE(actions_come_grouped_by_cell_in_the_order_asked) {
  LipizzanerOptions options = test::small_options();
  Grid grid({.options = options, .threads = 2});
  grid.start_all();
  std::vector<peer::CellInput> inputs;
  for (const std::uint32_t cell : {2U, 0U, 3U})
    inputs.push_back({.cell = {cell}, .snapshots = {}, .chunks = {}});
  std::vector<peer::Action> actions;
  grid.learner().advance(inputs, {.steps = 1}, actions);
  BOOST_REQUIRE(actions.size() == 6);
  for (std::size_t i = 0; i < 3; ++i) {
    BOOST_TEST(std::get<peer::Publish>(actions[2 * i]).cell == inputs[i].cell);
    BOOST_TEST(std::get<peer::Need>(actions[2 * i + 1]).cell == inputs[i].cell);
  }
}

BOOST_DATA_TEST_CASE(opponents_are_frozen, test::every_backend(), backend) {
  Grid grid({.backend = backend});
  grid.start_all();
  grid.run(2);
  const std::vector<float> published = grid.published.at(1)[1].values;  // round 1
  const auto saved = grid.save();
  BOOST_TEST(tensor(saved.at(0), "member.1") == published, boost::test_tools::per_element());
}

// A rate that throws the weights about without leaving the finite numbers.
Grid::Setting setting_that_spoils_offspring() {
  Grid::Setting setting;
  setting.run.generations = 8;
  setting.options.generator_learning_rate = setting.options.discriminator_learning_rate = 0.3;
  setting.options.mutation_probability = 1;
  return setting;
}

BOOST_DATA_TEST_CASE(a_worse_offspring_gives_way_to_the_incumbent_to_the_bit, test::every_backend(),
                     backend) {
  Grid::Setting setting = setting_that_spoils_offspring();
  setting.options.selection = false;
  setting.backend = backend;
  Grid grid(setting);
  grid.start_all();
  int rejected = 0;
  for (std::uint64_t round = 0; round < setting.run.generations; ++round) {
    grid.run(round);
    const auto before = grid.save();
    grid.run(round + 1);
    const auto after = grid.save();
    for (const auto& [cell, state] : before)
      for (const std::string network : {"generator", "discriminator"}) {
        const bool replaced = measure(grid.status(cell), network + "_replaced")[0] > 0;
        rejected += !replaced;
        for (const char* part : {"", ".first_moment", ".second_moment"})
          BOOST_TEST((tensor(state, network + part) == tensor(after.at(cell), network + part)) ==
                     !replaced);
        if (!replaced)
          BOOST_TEST(test::number(state, network + ".learning_rate") ==
                     test::number(after.at(cell), network + ".learning_rate"));
      }
  }
  BOOST_TEST(rejected > 5);
}

BOOST_AUTO_TEST_CASE(after_a_worse_offspring_the_neighbour_that_won_the_selection_stays) {
  Grid::Setting setting = setting_that_spoils_offspring();
  setting.options.tournament_size = 10;
  Grid grid(setting);
  grid.start_all();
  int copies = 0;
  for (std::uint64_t round = 0; round < setting.run.generations; ++round) {
    grid.run(round);
    const auto published = grid.published;
    grid.run(round + 1);
    const auto after = grid.save();
    for (const auto& [cell, state] : after) {
      const auto winner =
          static_cast<std::uint32_t>(measure(grid.status(cell), "generator_selected_cell")[0]);
      if (winner == cell || measure(grid.status(cell), "generator_replaced")[0] > 0) continue;
      ++copies;
      const std::vector<float>& weights = tensor(state, "generator");
      BOOST_TEST(std::ranges::equal(
          weights, std::span(published.at(winner).back().values).first(weights.size())));
      // Without moments in the snapshots, the copy begins with fresh ones.
      BOOST_TEST(std::ranges::all_of(tensor(state, "generator.first_moment"),
                                     [](float m) { return m == 0; }));
    }
  }
  BOOST_TEST(copies > 0);
}

BOOST_AUTO_TEST_CASE(offspring_and_incumbent_are_compared_on_one_sample) {
  RunFacts run = test::small_run();
  run.generations = 6;
  LipizzanerOptions options = test::small_options();
  // Steps that move no weight: offspring and incumbent are one network, and on one sample equally
  // fit.
  options.generator_learning_rate = options.discriminator_learning_rate = 1e-30;
  Grid grid({.run = run, .options = options});
  grid.start_all();
  grid.run();
  for (const auto& [cell, statuses] : grid.statuses)
    for (const peer::Status& status : statuses) {
      BOOST_TEST(measure(status, "generator_replaced")[0] == 0);
      BOOST_TEST(measure(status, "discriminator_replaced")[0] == 0);
    }
}

BOOST_AUTO_TEST_CASE(samples_are_the_same_at_every_call_and_change_with_training) {
  Grid grid({});
  grid.start_all();
  grid.run(1);
  const std::vector<float> first = grid.learner().samples({0}, 130);
  BOOST_TEST(first.size() == 260);
  BOOST_TEST((first == grid.learner().samples({0}, 130)));
  grid.run(2);
  BOOST_TEST((first != grid.learner().samples({0}, 130)));
}

BOOST_AUTO_TEST_CASE(a_released_cell_can_be_started_again) {
  Grid grid({});
  grid.start_all();
  grid.run(1);
  grid.learner().release({0});
  BOOST_TEST(grid.learner().start({0}, peer::Fresh{}).has_value());
}

BOOST_AUTO_TEST_CASE(distances_to_neighbours_are_relative_to_the_own_weights) {
  Grid grid({});
  grid.start_all();
  grid.run(1);
  const auto saved = grid.save();
  const std::vector<float>& own = tensor(saved.at(0), "generator");
  const std::vector<float>& other = tensor(saved.at(0), "member.1");
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < own.size(); ++i) {
    difference += std::pow(static_cast<double>(own[i]) - static_cast<double>(other[i]), 2);
    norm += std::pow(static_cast<double>(own[i]), 2);
  }
  const std::vector<double> distance = measure(grid.status(0), "generator_distance");
  BOOST_REQUIRE(distance.size() == 3);
  BOOST_TEST(distance[0] == 0);
  BOOST_TEST(distance[1] == std::sqrt(difference / norm), boost::test_tools::tolerance(1e-4));
}

BOOST_AUTO_TEST_CASE(an_adopted_cell_goes_on_from_the_snapshot_at_its_neighbours_round) {
  Grid grid({});
  grid.start_all();
  grid.run(1);
  const test::Snapshot newest = grid.published.at(0).back();
  grid.learner().release({0});
  grid.start({0}, peer::Adopted{.newest = {.cell = {0},
                                           .round = newest.round,
                                           .values = newest.values,
                                           .exact = newest.exact,
                                           .heard = {}},
                                .jump_to = {2}});
  const auto actions = advance(grid.learner());
  BOOST_REQUIRE(actions.size() == 3);
  const auto& notice = std::get<peer::Notice>(actions[0]);
  BOOST_TEST((notice.kind == peer::NoticeKind::Adoption));
  BOOST_TEST(notice.text.find("round 1") != std::string::npos);
  const auto& publish = std::get<peer::Publish>(actions[1]);
  BOOST_TEST(publish.round == Round{2});
  BOOST_TEST(std::ranges::equal(publish.values, newest.values));
  BOOST_TEST(std::get<peer::Need>(actions[2]).snapshots[0].round == Round{2});
  const peer::CellState state = grid.learner().save({0});
  BOOST_TEST(std::ranges::all_of(tensor(state, "generator.second_moment"),
                                 [](float v) { return v == 0; }));
  BOOST_TEST(std::bit_cast<std::uint64_t>(test::number(state, "images_seen")) == 2 * 3 * 10);
}

BOOST_AUTO_TEST_CASE(a_grid_with_an_adopted_cell_trains_to_the_end) {
  Grid grid({});
  grid.start_all();
  grid.run(2);
  const test::Snapshot newest = grid.published.at(0).front();
  grid.learner().release({0});
  grid.start({0}, peer::Adopted{.newest = {.cell = {0},
                                           .round = newest.round,
                                           .values = newest.values,
                                           .exact = newest.exact,
                                           .heard = {}},
                                .jump_to = {2}});
  grid.run();
  BOOST_TEST(grid.done.size() == 4);
}

BOOST_AUTO_TEST_CASE(a_snapshot_that_does_not_fit_is_not_adopted) {
  Grid grid({});
  const std::vector<float> values(7);
  const Result<void> adopted = grid.learner().start(
      {0}, peer::Adopted{
               .newest = {.cell = {0}, .round = {3}, .values = values, .exact = {}, .heard = {}},
               .jump_to = {3}});
  BOOST_REQUIRE(!adopted.has_value());
  BOOST_TEST((adopted.error().code == ErrorCode::Mismatch));
  BOOST_TEST(grid.learner().start({0}, peer::Fresh{}).has_value());
}

BOOST_AUTO_TEST_SUITE_END()

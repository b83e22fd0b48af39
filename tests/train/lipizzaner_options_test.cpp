// Every option does what it says: each test here fails if its option did nothing.
#include "train/lipizzaner/evolution.hpp"
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner/streams.hpp"
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>

using namespace quadrille;
using namespace quadrille::train;
using test::Grid;
using test::measure;
using test::small_options;
using test::small_run;
using test::tensor;

BOOST_AUTO_TEST_SUITE(lipizzaner_options)

namespace {

// A grid that has run to its end.
Grid& trained(Grid& grid) {
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == grid.cell_count());
  return grid;
}

// Do two runs differ in what they learned?
bool differ(const Grid::Setting& a, const Grid::Setting& b) {
  Grid first(a);
  Grid second(b);
  return !test::same_weights(trained(first).save().at(0), trained(second).save().at(0));
}

template <class Change>
bool matters(Change change, const LipizzanerOptions& options = small_options(),
             const RunFacts& run = small_run()) {
  LipizzanerOptions changed = options;
  change(changed);
  return differ({.run = run, .options = options}, {.run = run, .options = changed});
}

std::uint64_t count_of(const peer::CellState& state, const char* name) {
  return std::bit_cast<std::uint64_t>(test::number(state, name));
}

}  // namespace

BOOST_AUTO_TEST_CASE(generations_says_when_a_run_is_done) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 5;
  Grid grid({.run = run, .options = options});
  trained(grid);
  BOOST_TEST(grid.statuses.at(0).size() == 5);
  run.generations = 0;
  Grid none({.run = run, .options = options});
  trained(none);
  BOOST_TEST(none.statuses.empty());
  BOOST_TEST(none.published.size() == 4);
}

BOOST_AUTO_TEST_CASE(neighbourhood_and_radius_choose_the_sub_population) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.grid = {3, 3};
  run.generations = 1;
  const auto members = [&] {
    Grid grid({.run = run, .options = options});
    return measure(trained(grid).status(4), "mixture_weights").size();
  };
  BOOST_TEST(members() == 5);
  options.neighbourhood = NeighbourhoodKind::Moore;
  BOOST_TEST(members() == 9);
  options.neighbourhood = NeighbourhoodKind::Ring;
  BOOST_TEST(members() == 3);
  options.radius = 2;
  BOOST_TEST(members() == 5);
}

BOOST_AUTO_TEST_CASE(batch_size_and_batches_per_generation_make_the_images_seen) {
  LipizzanerOptions options = small_options();
  options.batch_size = 25;
  options.batches_per_generation = 4;
  Grid grid({.options = options});
  trained(grid);
  BOOST_TEST(grid.statuses.at(0)[0].images_seen == 100);
  BOOST_TEST(grid.statuses.at(0)[2].images_seen == 300);
}

BOOST_AUTO_TEST_CASE(no_batches_per_generation_means_one_pass_over_the_data) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 1;
  options.batch_size = 30;  // of 400 rows: 13 batches
  options.batches_per_generation = 0;
  Grid grid({.run = run, .options = options});
  BOOST_TEST(trained(grid).status(0).images_seen == 390);
}

BOOST_AUTO_TEST_CASE(data_fraction_gives_a_cell_fewer_rows) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 1;
  options.batches_per_generation = 0;
  run.data_fraction = 0.25;
  Grid grid({.run = run, .options = options});
  BOOST_TEST(trained(grid).status(0).images_seen == 100);
}

BOOST_AUTO_TEST_CASE(a_partition_by_label_gives_each_cell_its_classes) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 1;
  options.batches_per_generation = 0;
  run.partition = Partition::Label;  // 8 modes for 4 cells
  Grid grid({.run = run, .options = options});
  BOOST_TEST(trained(grid).status(0).images_seen == 100);
}

// The counter survives a rejected offspring only in replaced networks: look at those.
BOOST_AUTO_TEST_CASE(discriminator_skip_trains_the_discriminator_on_every_nth_batch) {
  for (const std::uint32_t skip : {0U, 1U, 4U}) {
    RunFacts run = small_run();
    LipizzanerOptions options = small_options();
    run.grid = {1, 1};
    options.selection = false;
    run.generations = 1;
    options.batches_per_generation = 10;
    options.discriminator_skip = skip;
    // Small enough that what the sample says of a step is what its gradient said.
    options.discriminator_learning_rate = 1e-6;
    Grid grid({.run = run, .options = options});
    const peer::CellState state = trained(grid).save().at(0);
    BOOST_REQUIRE(measure(grid.status(0), "discriminator_replaced")[0] == 1);
    BOOST_TEST(count_of(state, "discriminator.steps") == 10 / (skip + 1));
    BOOST_TEST(count_of(state, "batches_seen") == 10);
  }
}

BOOST_AUTO_TEST_CASE(batches_are_skipped_across_generations_too) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  options.batches_per_generation = 1;
  options.discriminator_skip = 1;
  run.grid = {1, 1};
  Grid grid({.run = run, .options = options});
  trained(grid);
  BOOST_TEST(!std::isnan(measure(grid.statuses.at(0)[0], "discriminator_loss")[0]));
  BOOST_TEST(std::isnan(measure(grid.statuses.at(0)[1], "discriminator_loss")[0]));
  BOOST_TEST(!std::isnan(measure(grid.statuses.at(0)[2], "discriminator_loss")[0]));
}

BOOST_AUTO_TEST_CASE(opponents_are_drawn_by_fitness_or_by_chance) {
  LipizzanerOptions options = small_options();
  options.tournament_size = 3;
  BOOST_TEST(matters([](auto& o) { o.opponents = Opponents::Selected; }, options));
  // A tournament of one is by chance again, and for the opponents only: selection is off.
  options.selection = false;
  options.opponents = Opponents::Selected;
  BOOST_TEST(matters([](auto& o) { o.tournament_size = 1; }, options));
}

// Cell 0's first generation when one network of its neighbour 1 arrives `factor` times as large.
peer::Status first_generation(Opponents opponents, Role enlarged, float factor) {
  RunFacts run = small_run();
  run.generations = 1;
  LipizzanerOptions options = small_options();
  options.opponents = opponents;
  options.selection = false;
  options.tournament_size = 3;  // all members
  options.batches_per_generation = 20;
  Grid grid({.run = run, .options = options});
  const std::size_t generator_floats = grid.learner().sections()[0].float_count;
  grid.tamper = [=](std::uint32_t source, std::uint32_t reader, test::Snapshot& snapshot) {
    if (source != 1 || reader != 0) return;
    const std::span<float> values = snapshot.values;
    const std::span<float> network = enlarged == Role::Generator ? values.first(generator_floats)
                                                                 : values.subspan(generator_floats);
    for (float& value : network) value *= factor;
  };
  return trained(grid).status(0);
}

BOOST_AUTO_TEST_CASE(selected_opponents_are_the_fit_ones) {
  for (const Role enlarged : both_roles) {
    const bool generator = enlarged == Role::Generator;
    const char* fitness = generator ? "generator_member_fitness" : "discriminator_member_fitness";
    const char* loss = generator ? "discriminator_loss" : "generator_loss";
    const auto losses = [&](Opponents opponents) {
      std::vector<double> found;
      for (const float factor : {10.0F, 12.0F}) {
        const peer::Status status = first_generation(opponents, enlarged, factor);
        const std::vector<double> members = measure(status, fitness);
        BOOST_REQUIRE(members[1] == std::ranges::max(members));  // the unfit one
        found.push_back(measure(status, loss)[0]);
      }
      return found;
    };
    // Nobody trained against it: what it is like makes no difference.
    const std::vector<double> selected = losses(Opponents::Selected);
    BOOST_TEST(selected[0] == selected[1]);
    const std::vector<double> random = losses(Opponents::Random);
    BOOST_TEST(random[0] != random[1]);
  }
}

BOOST_AUTO_TEST_CASE(the_loss_is_what_networks_train_with) {
  using compute::LossKind;
  for (const LossKind loss :
       {LossKind::LeastSquares, LossKind::Heuristic, LossKind::Wasserstein, LossKind::Hinge}) {
    LipizzanerOptions options = small_options();
    options.loss = loss;
    Grid grid({.options = options});
    BOOST_TEST(measure(trained(grid).status(0), "generator_loss_kind")[0] ==
               static_cast<double>(loss));
    BOOST_TEST(matters([&](auto& o) { o.loss = loss; }));
  }
}

BOOST_AUTO_TEST_CASE(mustangs_draws_the_losses_of_generators) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 12;
  const auto kinds = [&] {
    Grid grid({.run = run, .options = options});
    trained(grid);
    std::set<double> seen;
    for (const auto& [cell, statuses] : grid.statuses)
      for (const peer::Status& status : statuses)
        seen.insert(measure(status, "generator_loss_kind")[0]);
    return seen;
  };
  BOOST_TEST((kinds() == std::set<double>{0}));
  options.mustangs = true;
  BOOST_TEST((kinds() == std::set<double>{0, 1, 2}));
}

BOOST_AUTO_TEST_CASE(weight_clip_bounds_every_discriminator_and_no_generator) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  options.loss = compute::LossKind::Wasserstein;
  options.weight_clip = 0.05F;
  options.discriminator_learning_rate = 0.01;
  run.generations = 6;
  Grid grid({.run = run, .options = options});
  grid.tamper = [](std::uint32_t, std::uint32_t, test::Snapshot& snapshot) {
    snapshot.values.back() = 1;  // a neighbour that does not clip
  };
  grid.start_all();
  const auto largest = [](std::span<const float> weights) {
    double size = 0;
    for (const float w : weights) size = std::max(size, std::abs(static_cast<double>(w)));
    return size;
  };
  int replaced = 0;
  for (std::uint64_t round = 0; round <= run.generations; ++round) {
    grid.run(round);
    for (const auto& [cell, state] : grid.save()) {
      BOOST_TEST(largest(tensor(state, "generator")) > 0.1);
      BOOST_TEST(largest(tensor(state, "discriminator")) == 0.05,
                 boost::test_tools::tolerance(1e-6));
      if (round == 0) continue;
      const std::span<const float> member = tensor(state, "member.1");
      BOOST_TEST(largest(member.last(tensor(state, "discriminator").size())) <= 0.051);
      replaced += measure(grid.status(cell), "discriminator_replaced")[0] > 0;
    }
  }
  BOOST_TEST(replaced > 5);
}

BOOST_AUTO_TEST_CASE(fitness_is_aggregated_as_asked) {
  const auto first_fitness = [](FitnessAggregate how) {
    RunFacts run = small_run();
    LipizzanerOptions options = small_options();
    options.fitness = how;
    run.generations = 1;
    Grid grid({.run = run, .options = options});
    return measure(trained(grid).status(0), "generator_member_fitness")[0];
  };
  BOOST_TEST(first_fitness(FitnessAggregate::Best) < first_fitness(FitnessAggregate::Average));
  BOOST_TEST(first_fitness(FitnessAggregate::Average) < first_fitness(FitnessAggregate::Worst));
}

BOOST_AUTO_TEST_CASE(the_fitness_sample_has_its_size) {
  // A larger sample agrees better with another draw of it.
  const auto disagreement = [](std::size_t size) {
    std::vector<double> fitness;
    for (const std::uint64_t generations : {1, 2}) {
      RunFacts run = small_run();
      LipizzanerOptions options = small_options();
      run.grid = {1, 1};
      run.generations = generations;
      options.fitness_sample_size = size;
      // Nothing moves, so that only the sample changes.
      options.generator_learning_rate = options.discriminator_learning_rate = 1e-12;
      Grid grid({.run = run, .options = options});
      fitness.push_back(measure(trained(grid).status(0), "discriminator_member_fitness")[0]);
    }
    return std::abs(fitness[1] - fitness[0]);
  };
  BOOST_TEST(disagreement(4000) < disagreement(5));
}

BOOST_AUTO_TEST_CASE(selection_lets_the_fittest_take_the_center) {
  LipizzanerOptions options = small_options();
  options.tournament_size = 3;
  for (const bool selection : {true, false}) {
    options.selection = selection;
    Grid grid({.options = options});
    trained(grid);
    bool foreign = false;
    for (const auto& [cell, statuses] : grid.statuses)
      for (const peer::Status& status : statuses) {
        const std::vector<double> fitness = measure(status, "discriminator_member_fitness");
        const auto best =
            static_cast<std::size_t>(std::ranges::min_element(fitness) - fitness.begin());
        const std::vector<CellIndex> neighbours = grid.learner().neighbours({cell});
        const std::uint32_t fittest = best == 0 ? cell : neighbours[best - 1].value;
        const double selected = measure(status, "discriminator_selected_cell")[0];
        BOOST_TEST(selected == (selection ? fittest : cell));
        foreign = foreign || selected != cell;
      }
    BOOST_TEST(foreign == selection);
  }
}

BOOST_AUTO_TEST_CASE(the_tournament_has_its_size) {
  BOOST_TEST(matters([](auto& o) { o.tournament_size = 3; }));
  BOOST_TEST(matters([](auto& o) { o.tournament_size = 1; }));
}

BOOST_AUTO_TEST_CASE(learning_rates_mutate_with_their_probability_and_size) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  options.selection = false;
  run.generations = 6;
  const auto spread = [&] {
    Grid grid({.run = run, .options = options});
    trained(grid);
    double sum = 0;
    for (const auto& [cell, statuses] : grid.statuses)
      sum += std::abs(measure(statuses.back(), "generator_learning_rate")[0] / 2e-4 - 1);
    return sum;
  };
  options.mutation_probability = 0;
  BOOST_TEST(spread() == 0);
  options.mutation_probability = 1;
  options.mutation_sigma = 0.01;
  const double small_steps = spread();
  BOOST_TEST(small_steps > 0);
  options.mutation_sigma = 0.2;
  BOOST_TEST(spread() > 3 * small_steps);
}

// Also after the first, when the rate is no longer the base rate.
BOOST_AUTO_TEST_CASE(every_step_of_a_learning_rate_is_relative_to_its_networks_base_rate) {
  RunFacts run = small_run();
  run.generations = 8;
  LipizzanerOptions options = small_options();
  options.selection = false;
  options.mutation_probability = 1;
  options.mutation_sigma = 0.5;
  options.generator_learning_rate = 1e-4;
  options.discriminator_learning_rate = 3e-4;
  Grid grid({.run = run, .options = options});
  trained(grid);
  int later_steps = 0;
  for (const auto& [cell, statuses] : grid.statuses) {
    RandomStream random(cell_key(run.seed, "mutation", {.cell = {cell}, .life = 0}));
    std::map<std::string, double> rates{{"generator", 1e-4}, {"discriminator", 3e-4}};
    for (const peer::Status& status : statuses)
      for (const std::string network : {"generator", "discriminator"}) {
        const double base = network == "generator" ? 1e-4 : 3e-4;
        double& rate = rates.at(network);
        const double mutated =
            mutated_rate(random, rate, BaseRate{base}, {.probability = 1, .sigma = 0.5});
        if (measure(status, network + "_replaced")[0] > 0) {
          later_steps += rate != base;
          rate = mutated;
        }
        BOOST_TEST(measure(status, network + "_learning_rate")[0] == rate);
      }
  }
  BOOST_TEST(later_steps > 5);
}

BOOST_AUTO_TEST_CASE(a_mutated_learning_rate_takes_effect) {
  // In the original the optimizer's restored state overwrote it.
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  run.generations = 1;
  options.mutation_sigma = 0.5;
  options.mutation_probability = 0;
  BOOST_TEST(matters([](auto& o) { o.mutation_probability = 1; }, options, run));
}

BOOST_AUTO_TEST_CASE(moments_travel_with_the_winner_when_asked) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  options.moments = true;
  options.tournament_size = 10;
  // Every offspring is worse, so that the winner's copy stays as it came.
  options.generator_learning_rate = 0.3;
  run.generations = 6;
  Grid grid({.run = run, .options = options});
  BOOST_TEST(grid.learner().sections().size() == 6);
  const std::size_t weights = grid.learner().sections()[0].float_count;
  grid.start_all();
  int copies = 0;
  for (std::uint64_t round = 1; round < run.generations; ++round) {
    grid.run(round);
    const auto published = grid.published;
    grid.run(round + 1);
    for (const auto& [cell, state] : grid.save()) {
      const auto winner =
          static_cast<std::uint32_t>(measure(grid.status(cell), "generator_selected_cell")[0]);
      if (winner == cell || measure(grid.status(cell), "generator_replaced")[0] > 0) continue;
      ++copies;
      const std::span<const float> sent = published.at(winner).back().values;
      BOOST_TEST(std::ranges::equal(tensor(state, "generator.first_moment"),
                                    sent.subspan(weights, weights)));
    }
  }
  BOOST_TEST(copies > 0);
}

BOOST_AUTO_TEST_CASE(model_and_latent_size_make_the_networks) {
  LipizzanerOptions options = small_options();
  Grid toy({.options = options});
  options.latent_size = 5;
  Grid wider({.options = options});
  options.model = "mlp";
  Grid mlp({.options = options});
  const auto size = [](Grid& grid) { return grid.learner().sections()[0].float_count; };
  BOOST_TEST(size(wider) == size(toy) + 2 * 128);
  BOOST_TEST(size(mlp) > size(wider));
}

BOOST_AUTO_TEST_CASE(an_unknown_model_is_an_error_of_the_run_file) {
  LipizzanerOptions options = small_options();
  options.model = "tiy";
  WorkerPool pool(1);
  const auto backend = test::plain_backend().make(pool);
  const data::Dataset dataset = test::ring_of_points();
  const auto learner = make_lipizzaner(small_run(), options, *backend, pool, dataset, nullptr);
  BOOST_REQUIRE(!learner.has_value());
  BOOST_TEST((learner.error().code == ErrorCode::Config));
}

BOOST_AUTO_TEST_CASE(a_batch_larger_than_the_cells_data_is_an_error_of_the_run_file) {
  LipizzanerOptions options = small_options();
  options.batch_size = 401;
  Grid grid({.options = options});
  const Result<void> started = grid.learner().start({0}, peer::Fresh{});
  BOOST_REQUIRE(!started.has_value());
  BOOST_TEST((started.error().code == ErrorCode::Config));
}

BOOST_AUTO_TEST_CASE(base_rates_are_where_learning_rates_begin) {
  LipizzanerOptions options = small_options();
  options.mutation_probability = 0;
  options.generator_learning_rate = 3e-4;
  options.discriminator_learning_rate = 1e-4;
  Grid grid({.options = options});
  trained(grid);
  BOOST_TEST(measure(grid.status(0), "generator_learning_rate")[0] == 3e-4);
  BOOST_TEST(measure(grid.status(0), "discriminator_learning_rate")[0] == 1e-4);
  BOOST_TEST(matters([](auto& o) { o.generator_learning_rate = 4e-4; }, options));
}

BOOST_AUTO_TEST_CASE(the_optimizer_keeps_the_moments_of_its_kind) {
  RunFacts run = small_run();
  LipizzanerOptions options = small_options();
  const auto tensors = [&](compute::OptimizerKind kind) {
    options.optimizer.kind = kind;
    run.grid = {1, 1};
    Grid grid({.run = run, .options = options});
    return trained(grid).save().at(0).tensors.size();
  };
  BOOST_TEST(tensors(compute::OptimizerKind::Sgd) == 2);
  BOOST_TEST(tensors(compute::OptimizerKind::RmsProp) == 4);
  BOOST_TEST(tensors(compute::OptimizerKind::Adam) == 6);
  BOOST_TEST(matters([](auto& o) { o.optimizer.beta1 = 0.9F; }));
}

BOOST_AUTO_TEST_SUITE_END()

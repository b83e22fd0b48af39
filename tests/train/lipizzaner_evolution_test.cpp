// Tournaments, mutations and aggregates, each by itself.
#include "train/lipizzaner/evolution.hpp"

#include "train/lipizzaner/streams.hpp"

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

using namespace quadrille;
using namespace quadrille::train;

BOOST_AUTO_TEST_SUITE(lipizzaner_evolution)

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

RandomStream stream(std::uint64_t seed = 1) {
  return RandomStream(stream_key(seed, "test", 0));
}

// How often each member won.
std::vector<int> wins(const std::vector<double>& fitness, std::uint32_t size, int rounds) {
  RandomStream random = stream();
  std::vector<int> won(fitness.size());
  for (int i = 0; i < rounds; ++i) ++won[tournament(random, fitness, size)];
  return won;
}

}  // namespace

BOOST_AUTO_TEST_CASE(fitness_is_the_average_the_worst_or_the_best_loss) {
  const std::vector<double> losses{1, 4, 1};
  BOOST_TEST(aggregate_fitness(FitnessAggregate::Average, losses) == 2);
  BOOST_TEST(aggregate_fitness(FitnessAggregate::Worst, losses) == 4);
  BOOST_TEST(aggregate_fitness(FitnessAggregate::Best, losses) == 1);
}

BOOST_AUTO_TEST_CASE(a_loss_that_is_not_finite_makes_the_worst_fitness) {
  for (const double bad : {nan, infinity, -infinity})
    for (const auto how :
         {FitnessAggregate::Average, FitnessAggregate::Worst, FitnessAggregate::Best})
      BOOST_TEST(aggregate_fitness(how, std::vector<double>{1, bad}) == infinity);
}

BOOST_AUTO_TEST_CASE(a_tournament_of_one_is_a_fair_draw) {
  for (const int won : wins({5, 1, 3, 2}, 1, 4000)) {
    BOOST_TEST(won > 900);
    BOOST_TEST(won < 1100);
  }
}

BOOST_AUTO_TEST_CASE(a_tournament_of_two_favours_the_fitter_and_the_worst_never_wins) {
  // Of the six pairs of four: the best wins three, the second two, the third one.
  const std::vector<int> won = wins({5, 1, 3, 2}, 2, 6000);
  BOOST_TEST(won[0] == 0);
  BOOST_TEST(std::abs(won[1] - 3000) < 150);
  BOOST_TEST(std::abs(won[3] - 2000) < 150);
  BOOST_TEST(std::abs(won[2] - 1000) < 150);
}

BOOST_AUTO_TEST_CASE(a_tournament_of_all_or_more_is_won_by_the_fittest) {
  BOOST_TEST(wins({5, 1, 3}, 3, 100)[1] == 100);
  BOOST_TEST(wins({5, 1, 3}, 100, 100)[1] == 100);
}

BOOST_AUTO_TEST_CASE(nan_loses_every_tournament_that_has_another) {
  BOOST_TEST(wins({nan, 7, nan}, 3, 100)[1] == 100);
  BOOST_TEST(wins({7, nan}, 2, 100)[0] == 100);
}

BOOST_AUTO_TEST_CASE(a_single_member_wins) {
  BOOST_TEST(wins({nan}, 2, 10)[0] == 10);
}

BOOST_AUTO_TEST_CASE(rates_mutate_with_their_probability) {
  RandomStream random = stream();
  int changed = 0;
  for (int i = 0; i < 1000; ++i)
    changed +=
        mutated_rate(random, 1e-3, BaseRate{1e-3}, {.probability = 0.3, .sigma = 0.1}) != 1e-3;
  BOOST_TEST(std::abs(changed - 300) < 60);
}

BOOST_AUTO_TEST_CASE(the_step_of_a_rate_is_relative_to_the_base_rate) {
  RandomStream random = stream();
  double squares = 0;
  for (int i = 0; i < 4000; ++i) {
    const double step =
        mutated_rate(random, 5e-3, BaseRate{1e-3}, {.probability = 1, .sigma = 0.25}) - 5e-3;
    squares += step * step;
  }
  BOOST_TEST(std::sqrt(squares / 4000) == 0.25e-3, boost::test_tools::tolerance(0.05));
}

BOOST_AUTO_TEST_CASE(rates_stay_positive_and_within_their_range) {
  RandomStream random = stream();
  double rate = 1e-3;
  for (int i = 0; i < 1000; ++i) {
    rate = mutated_rate(random, rate, BaseRate{1e-3}, {.probability = 1, .sigma = 50});
    BOOST_TEST(rate >= 1e-5);
    BOOST_TEST(rate <= 1e-1);
    BOOST_TEST(rate == clamp_rate(rate, BaseRate{1e-3}));
  }
}

BOOST_AUTO_TEST_CASE(a_rate_that_does_not_mutate_takes_as_many_random_words) {
  RandomStream with = stream();
  RandomStream without = stream();
  mutated_rate(with, 1, BaseRate{1}, {.probability = 1, .sigma = 0.1});
  mutated_rate(without, 1, BaseRate{1}, {.probability = 0, .sigma = 0.1});
  BOOST_TEST(with.position() == without.position());
}

BOOST_AUTO_TEST_CASE(mustangs_draws_each_of_its_three_losses) {
  RandomStream random = stream();
  std::set<compute::LossKind> drawn;
  for (int i = 0; i < 50; ++i) drawn.insert(mustangs_loss(random));
  BOOST_TEST((drawn == std::set{compute::LossKind::Bce, compute::LossKind::LeastSquares,
                                compute::LossKind::Heuristic}));
}

BOOST_AUTO_TEST_CASE(mutated_mixtures_stay_mixtures) {
  RandomStream random = stream();
  std::vector<double> weights{0.98, 0.01, 0.01};
  std::vector<double> child(3);
  bool reached_zero = false;
  for (int i = 0; i < 200; ++i) {
    mutate_mixture(random, weights, 0.1, child);
    for (const double weight : child) BOOST_TEST(weight >= 0);
    BOOST_TEST(std::accumulate(child.begin(), child.end(), 0.0) == 1,
               boost::test_tools::tolerance(1e-12));
    reached_zero = reached_zero || child[1] == 0;
    weights = child;
  }
  BOOST_TEST(reached_zero);
}

BOOST_AUTO_TEST_CASE(a_mixture_without_a_step_stays) {
  RandomStream random = stream();
  const std::vector<double> weights{0.5, 0.25, 0.25};
  std::vector<double> child(3);
  mutate_mixture(random, weights, 0, child);
  BOOST_TEST((child == weights));
}

BOOST_AUTO_TEST_CASE(a_mixture_of_which_nothing_is_left_keeps_its_weights) {
  const std::vector<double> weights{1e-9};
  std::vector<double> child(1);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random = stream(seed);
    mutate_mixture(random, weights, 1, child);
    BOOST_TEST((child[0] == 1e-9 || child[0] == 1.0));
  }
}

BOOST_AUTO_TEST_CASE(no_two_streams_of_a_run_share_a_key) {
  // The original computed a seed for each cell and did not use it.
  std::set<PhiloxKey> keys;
  std::size_t count = 0;
  for (std::uint32_t cell = 0; cell < 20; ++cell)
    for (const std::uint64_t life : {0, 1, 7}) {
      const CellStreams streams(1, {.cell = {cell}, .life = life});
      CellStreams::for_each(streams, [&](const char*, const auto& stream) {
        if constexpr (requires { stream.key(); }) keys.insert(stream.key());
        ++count;
      });
      for (const char* purpose : {"batches", "initial generator", "initial discriminator"}) {
        keys.insert(cell_key(1, purpose, {.cell = {cell}, .life = life}));
        ++count;
      }
      for (LatentStream stream :
           {streams.training_latent, streams.evaluation_latent, streams.mixture_latent})
        keys.insert(stream.take(1).key);
    }
  BOOST_TEST(keys.size() == count);
}

BOOST_AUTO_TEST_CASE(a_latent_stream_never_gives_a_block_twice) {
  LatentStream stream(9);
  BOOST_TEST(stream.take(3).first_block == 0);
  BOOST_TEST(stream.take(2).first_block == 3);
  BOOST_TEST(stream.position() == 5);
}

BOOST_AUTO_TEST_SUITE_END()

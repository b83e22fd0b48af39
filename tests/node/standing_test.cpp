// Which cell is the best one: by score, else by fitness, whoever asks.
#include "node/run/standing.hpp"

#include <bit>
#include <boost/test/unit_test.hpp>
#include <initializer_list>
#include <limits>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(standing)

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

CellIndex best_of(std::initializer_list<Standing> standings) {
  std::map<CellIndex, Standing> cells;
  std::uint32_t index = 0;
  for (const Standing& standing : standings) cells[{index++}] = standing;
  return best_cell(cells);
}

Standing scored(double score) {
  return {.score = score, .generator_fitness = 0.5};
}
Standing fit(double fitness) {
  return {.generator_fitness = fitness};
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_lowest_is_the_best_and_the_first_of_those_that_are_alike) {
  BOOST_TEST(best_of({scored(7), scored(3), scored(3)}) == CellIndex{1});
  BOOST_TEST(best_of({fit(7), fit(3), fit(3)}) == CellIndex{1});
  BOOST_TEST(best_of({{}, {}}) == CellIndex{0});
}

// Their scales have nothing to do with each other.
BOOST_AUTO_TEST_CASE(a_cell_without_a_score_is_behind_all_that_have_one) {
  BOOST_TEST(best_of({fit(0.1), scored(300)}) == CellIndex{1});
  BOOST_TEST(best_of({scored(infinity), scored(300)}) == CellIndex{1});
}

BOOST_AUTO_TEST_CASE(what_is_not_finite_is_behind_what_is) {
  BOOST_TEST(best_of({fit(nan), {}, fit(1e300)}) == CellIndex{2});
  BOOST_TEST(best_of({fit(5), scored(nan)}) == CellIndex{1});  // with a fitness of 0.5
}

BOOST_AUTO_TEST_CASE(a_checkpoint_holds_what_the_status_said) {
  const auto bits = [](double value) { return std::bit_cast<std::uint64_t>(value); };
  const peer::CellState state{.round = {3},
                              .tensors = {},
                              .counters = {{"images_seen", 900},
                                           {"score", bits(31.5)},
                                           {"generator.fitness", bits(0.75)},
                                           {"discriminator.fitness", bits(0.25)}}};
  const peer::Status status{.cell = {1},
                            .round = {3},
                            .generator_fitness = 0.75,
                            .discriminator_fitness = 0.25,
                            .score = 31.5,
                            .images_seen = 900,
                            .measures = {}};
  BOOST_TEST((standing_of(state) == standing_of(status)));
  BOOST_TEST((standing_of(peer::CellState{}) == Standing{}));
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_ahead_counts_for_its_share) {
  const auto mean = [](std::uint64_t first, std::uint64_t second) {
    return mean_generation({{{0}, {.generation = first}}, {{1}, {.generation = second}}});
  };
  BOOST_TEST(mean(2, 2) == 2.0);
  BOOST_TEST(mean(2, 3) == 2.5);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

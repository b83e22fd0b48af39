// The guarantee of synchronous mode: the same seed gives the same bits, however the work is cut.
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace quadrille;
using test::Grid;

BOOST_AUTO_TEST_SUITE(lipizzaner_determinism)

namespace {

// Everything that draws random numbers is on.
Grid::Setting rich_setting() {
  Grid::Setting setting;
  setting.run.generations = 4;
  setting.options.mustangs = true;
  setting.options.discriminator_skip = 1;
  setting.options.opponents = train::Opponents::Selected;
  setting.options.moments = true;
  setting.run.data_fraction = 0.5;
  setting.options.fitness_sample_size = 130;  // two passes, the second one short
  setting.options.score_sample_size = 130;
  setting.options.mixture_sigma = 0.1;
  return setting;
}

std::map<std::uint32_t, peer::CellState> trained(Grid::Setting setting) {
  Grid grid(std::move(setting));
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == grid.cell_count());
  return grid.save();
}

}  // namespace

BOOST_DATA_TEST_CASE(threads_and_pauses_do_not_change_a_bit, test::every_backend(), backend) {
  test::MeanScorer scorer;
  Grid::Setting setting = rich_setting();
  setting.backend = backend;
  setting.scorer = &scorer;
  const auto expected = trained(setting);
  for (const std::size_t threads : {1, 2})
    for (const std::uint32_t quantum : {1U, 7U, 1000U}) {
      Grid::Setting other = setting;
      other.threads = threads;
      other.quantum = quantum;
      BOOST_TEST_CONTEXT(threads << " threads, quantum " << quantum)
      test::check_same(expected, trained(other));
    }
}

BOOST_DATA_TEST_CASE(a_restored_grid_goes_on_to_the_bits_of_an_unbroken_one, test::every_backend(),
                     backend) {
  test::MeanScorer scorer;
  Grid::Setting setting = rich_setting();
  setting.backend = backend;
  setting.scorer = &scorer;
  const auto expected = trained(setting);
  for (const std::uint64_t broken_at : {0, 1, 2, 3}) {
    Grid first(setting);
    first.start_all();
    first.run(broken_at);
    const auto saved = first.save();
    Grid second(setting);
    second.restore(saved, first);
    test::check_same(saved, second.save());
    second.run();
    BOOST_TEST_CONTEXT("broken at generation " << broken_at)
    test::check_same(expected, second.save());
  }
}

BOOST_AUTO_TEST_CASE(the_deferred_backend_gives_the_bits_of_the_one_that_works_at_once) {
  Grid::Setting setting = rich_setting();
  const auto expected = trained(setting);
  setting.backend.deferred = true;
  test::check_same(expected, trained(setting));
}

BOOST_AUTO_TEST_CASE(another_seed_gives_another_run) {
  Grid::Setting setting;
  const auto first = trained(setting);
  setting.run.seed = 2;
  const auto second = trained(setting);
  for (const auto& [cell, state] : first) BOOST_TEST(!test::same_weights(state, second.at(cell)));
}

BOOST_AUTO_TEST_SUITE_END()

// The mixture: evolved towards the run's score, parent and child judged on the same samples.
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace quadrille;
using namespace quadrille::train;
using test::Grid;
using test::measure;

BOOST_AUTO_TEST_SUITE(lipizzaner_scoring)

namespace {

// Remembers what it was asked. For grids of one thread.
class RecordingScorer final : public Scorer {
 public:
  struct Call {
    std::vector<float> samples;
    double score;
  };

  double score(std::span<const float> samples, std::size_t count) override {
    BOOST_TEST(samples.size() == 2 * count);
    const double value = constant ? *constant : mean_.score(samples, count);
    calls.push_back({{samples.begin(), samples.end()}, value});
    return value;
  }

  std::vector<Call> calls;
  std::optional<double> constant;

 private:
  test::MeanScorer mean_;
};

Grid::Setting scored_setting(Scorer* scorer) {
  Grid::Setting setting;
  setting.run.generations = 5;
  setting.options.score_sample_size = 120;
  setting.options.mixture_sigma = 0.2;
  setting.scorer = scorer;
  return setting;
}

}  // namespace

BOOST_AUTO_TEST_CASE(the_mixture_never_worsens_the_score_on_the_noise_it_was_judged_by) {
  RecordingScorer scorer;
  Grid grid(scored_setting(&scorer));
  grid.start_all();
  int replaced = 0;
  for (std::uint64_t round = 1; round <= 5; ++round) {
    scorer.calls.clear();
    grid.run(round);
    // Cells are worked in their order: a parent and a child each.
    BOOST_REQUIRE(scorer.calls.size() == 8);
    for (std::uint32_t cell = 0; cell < 4; ++cell) {
      const double parent = scorer.calls[2 * cell].score;
      const double child = scorer.calls[2 * cell + 1].score;
      const peer::Status& status = grid.status(cell);
      BOOST_TEST(status.score.value() == std::min(parent, child));
      BOOST_TEST((measure(status, "mixture_replaced")[0] > 0) == (child < parent));
      replaced += child < parent;
    }
  }
  BOOST_TEST(replaced > 0);
  BOOST_TEST(replaced < 20);
}

BOOST_AUTO_TEST_CASE(parent_and_child_share_their_samples_where_they_share_members) {
  RecordingScorer scorer;
  Grid::Setting setting = scored_setting(&scorer);
  setting.options.mixture_sigma = 0.02;
  Grid grid(setting);
  grid.start_all();
  grid.run(1);
  std::size_t shared = 0;
  for (std::size_t i = 0; i < 240; ++i)
    shared += scorer.calls[0].samples[i] == scorer.calls[1].samples[i];
  BOOST_TEST(shared > 200);
  BOOST_TEST((scorer.calls[0].samples != scorer.calls[2].samples));
}

BOOST_AUTO_TEST_CASE(the_noise_is_new_in_every_generation) {
  RecordingScorer scorer;
  Grid::Setting setting = scored_setting(&scorer);
  setting.run.grid = {1, 1};
  // Nothing moves, so that only the noise can change the samples.
  setting.options.generator_learning_rate = 1e-12;
  Grid grid(setting);
  grid.start_all();
  grid.run();
  BOOST_REQUIRE(scorer.calls.size() == 5);
  BOOST_TEST((scorer.calls[0].samples != scorer.calls[1].samples));
}

BOOST_AUTO_TEST_CASE(weights_move_by_their_sigma_and_stay_without_one) {
  test::MeanScorer scorer;
  Grid::Setting setting = scored_setting(&scorer);
  const auto weights = [&] {
    Grid grid(setting);
    grid.start_all();
    grid.run();
    return measure(grid.status(0), "mixture_weights");
  };
  const auto spread = [](const std::vector<double>& w) {
    return std::ranges::max(w) - std::ranges::min(w);
  };
  BOOST_TEST(spread(weights()) > 0.01);
  setting.options.mixture_sigma = 0;
  BOOST_TEST(spread(weights()) < 1e-12);
}

BOOST_AUTO_TEST_CASE(as_many_samples_are_scored_as_asked) {
  RecordingScorer scorer;
  Grid::Setting setting = scored_setting(&scorer);
  setting.options.score_sample_size = 77;
  Grid grid(setting);
  grid.start_all();
  grid.run(1);
  BOOST_TEST(scorer.calls[0].samples.size() == 2 * 77);
}

// Whoever reads a checkpoint ranks cells by it, and so does a run that goes on from there.
BOOST_AUTO_TEST_CASE(a_saved_cell_holds_its_score_and_a_restored_one_still_does) {
  RecordingScorer scorer;
  Grid grid(scored_setting(&scorer));
  grid.start_all();
  grid.run();
  const auto saved = grid.save();
  for (const auto& [cell, state] : saved)
    BOOST_TEST(test::number(state, "score") == grid.status(cell).score.value());
  Grid restored(scored_setting(&scorer));
  restored.restore(saved, grid);
  for (const auto& [cell, state] : saved)
    BOOST_TEST((restored.learner().save({cell}).counters == state.counters));
}

BOOST_AUTO_TEST_CASE(without_a_scorer_there_is_no_score_and_weights_stay_equal) {
  Grid grid(scored_setting(nullptr));
  grid.start_all();
  grid.run();
  BOOST_TEST(!grid.status(0).score.has_value());
  for (const double weight : measure(grid.status(0), "mixture_weights"))
    BOOST_TEST(weight == 1.0 / 3, boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(a_score_that_is_not_a_number_is_none) {
  RecordingScorer scorer;
  scorer.constant = std::numeric_limits<double>::quiet_NaN();
  Grid grid(scored_setting(&scorer));
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == 4);
  BOOST_TEST(!grid.status(0).score.has_value());
}

BOOST_AUTO_TEST_SUITE_END()

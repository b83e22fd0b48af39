#include "train/lipizzaner/fitness_trial.hpp"

#include "base/check.hpp"

namespace quadrille::train {

FitnessTrial::FitnessTrial(compute::Arena& arena, FitnessSize size_max)
    : rows_(size_max.rows),
      losses_(arena.floats(FitnessTest::passes(size_max.rows) *
                           FitnessTest::losses_per_pass(size_max.members))) {}

void FitnessTrial::begin(nn::LatentDraw latent) {
  latent_ = latent;
  begin_again();
}

void FitnessTrial::work(compute::Queue& queue, FitnessTest& test, const Contestants& contestants,
                        compute::LossKind loss) {
  CHECK(!done(), pass_);
  const std::size_t losses = FitnessTest::losses_per_pass(contestants.generators.count);
  test.run_pass(queue, contestants, {.rows = rows_, .latent = latent_}, pass_, loss,
                losses_.part(pass_ * losses, losses));
  ++pass_;
  if (!done()) return;
  downloaded_.resize(pass_ * losses);
  queue.download(std::span(downloaded_), losses_.first(downloaded_.size()));
  queue.synchronise();
}

LossTable FitnessTrial::table(std::size_t members) const {
  CHECK(done(), pass_);
  return FitnessTest::table(downloaded_, {.members = members, .rows = rows_.size()});
}

}  // namespace quadrille::train

// The training part of a generation: batches against opponents, and the way back from numbers that
// are not finite. Nothing here waits for the device but the check.
#include <array>
#include <sstream>

#include "base/all_finite.hpp"
#include "train/lipizzaner/cell.hpp"
#include "train/lipizzaner/evolution.hpp"

namespace quadrille::train {
namespace {

// Places in training_sums_.
constexpr std::size_t loss_sums = 0;  // three, as in batch_loss_
constexpr std::size_t loss_count = 3;
constexpr std::size_t weight_squares = 3;  // two: the generator's, the discriminator's
constexpr std::size_t moment_squares = 5;  // the same, and 0 while all moments are finite
constexpr std::size_t sum_count = 7;

// `to` becomes 0 where a number stays itself, and NaN where it is not finite. Their squares could
// not tell: those of moments that are finite overflow.
void null_the_finite(compute::Queue& queue, const nn::TrainedNetwork& network, compute::Floats to) {
  queue.submit(compute::Fill{.to = to, .value = 0});
  for (const compute::Floats moment : {network.first_moment(), network.second_moment()}) {
    if (moment.empty()) continue;
    queue.submit(compute::Axpby{.a = 1, .x = moment, .b = 1, .to = to});
    queue.submit(compute::Axpby{.a = -1, .x = moment, .b = 1, .to = to});
  }
}

std::string rates_text(const CenterNetwork& generator, const CenterNetwork& discriminator) {
  std::ostringstream text;
  text << "learning rates G " << generator.traits().learning_rate << ", D "
       << discriminator.traits().learning_rate;
  return std::move(text).str();
}

}  // namespace

std::uint64_t Cell::batches_per_generation() const {
  const std::uint64_t batches = setup_.options.batches_per_generation;
  return batches > 0 ? batches : cursor_.batches_per_epoch();
}

void Cell::begin_training() {
  generation_.batch = 0;
  generation_.generator.steps = 0;
  generation_.discriminator.steps = 0;
  queue_->submit(compute::Fill{.to = training_sums_.part(loss_sums, loss_count), .value = 0});
  phase_ = Phase::Train;
}

void Cell::train_batch(Workbench& bench) {
  const std::span<const std::uint32_t> rows = cursor_.next();
  const compute::Floats loss = batch_loss_.first(1);
  bench.step.train_generator(*queue_, generator_.network(), draw_opponent(Role::Discriminator),
                             streams_.training_latent.take(bench.step.latent_blocks()),
                             generator_.traits().loss, loss);
  queue_->submit(compute::Axpby{.a = 1, .x = loss, .b = 1, .to = training_sums_.first(1)});
  generator_.count_step();
  ++generation_.generator.steps;
  // Counted over the whole run, so that generations of few batches skip as many.
  if (batches_seen_ % (std::uint64_t{setup_.options.discriminator_skip} + 1) == 0)
    train_discriminator(bench, rows);
  ++batches_seen_;
  ++generation_.batch;
  images_seen_ += rows.size();
}

void Cell::train_discriminator(Workbench& bench, std::span<const std::uint32_t> rows) {
  queue_->upload(bench.batch_rows, rows);
  setup_.data.gather(*queue_, bench.batch_rows, bench.step.real());
  const compute::Floats loss = batch_loss_.part(1, 2);
  bench.step.train_discriminator(*queue_, discriminator_.network(), draw_opponent(Role::Generator),
                                 streams_.training_latent.take(bench.step.latent_blocks()),
                                 discriminator_.traits().loss, loss);
  clip_discriminator(*queue_, setup_.options, discriminator_.parameters());
  queue_->submit(compute::Axpby{.a = 1, .x = loss, .b = 1, .to = training_sums_.part(1, 2)});
  discriminator_.count_step();
  ++generation_.discriminator.steps;
}

// The opponent's weights; `role` is what the opponent is. Member 0 is the center as it is by now.
compute::ConstFloats Cell::draw_opponent(Role role) {
  std::size_t member = 0;
  const bool alone = generation_.failed_attempts > 0;
  if (!alone && setup_.options.opponents == Opponents::Random)
    member = streams_.opponents.below(static_cast<std::uint32_t>(population_.count()));
  if (!alone && setup_.options.opponents == Opponents::Selected)
    member = tournament(streams_.opponents, lineage(role).opponent_fitness,
                        setup_.options.tournament_size);
  return member == 0 ? center(role).parameters() : population_.genome(role, member).parameters;
}

// What was not finite once stays so in the sums, in the weights or in the moments: no interval of
// looking misses it. A moment alone can overflow, and the weight that it belongs to then stands
// still.
bool Cell::training_is_finite() {
  for (const Role role : both_roles) {
    const auto sum_at = [&](std::size_t first) {
      return training_sums_.part(first + static_cast<std::size_t>(role), 1);
    };
    const nn::TrainedNetwork& network = center(role).network();
    queue_->submit(compute::SumSquares{.from = network.parameters(), .to = sum_at(weight_squares)});
    null_the_finite(*queue_, network, network.gradient());  // which is dead between two steps
    queue_->submit(compute::SumSquares{.from = network.gradient(), .to = sum_at(moment_squares)});
  }
  std::array<float, sum_count> sums{};
  queue_->download(std::span<float>(sums), training_sums_);
  queue_->synchronise();
  generation_.generator.loss_sum = static_cast<double>(sums[0]);
  generation_.discriminator.loss_sum = static_cast<double>(sums[1]) + static_cast<double>(sums[2]);
  return all_finite(sums);
}

void Cell::roll_back(std::vector<peer::Action>& actions) {
  ++generation_.failed_attempts;
  const std::string rates = rates_text(generator_, discriminator_);
  std::ostringstream text;
  text << "generation " << round_.index + 1 << ": a weight, loss or moment is not finite with "
       << rates;
  for (const Role role : both_roles) {
    lineage(role).incumbent = 0;
    const double halved = center(role).remembered().learning_rate / 2;
    center(role).amend_remembered_rate(clamp_rate(halved, base_rate(setup_.options, role)));
    center(role).recall(*queue_);
  }
  if (generation_.failed_attempts == attempts_max) {
    text << ", " << attempts_max << " times running; lower the learning rates";
    actions.emplace_back(peer::Failed{index_, Error{ErrorCode::NotFinite, std::move(text).str()}});
    phase_ = Phase::Over;
    return;
  }
  text << "; the cell starts it again, alone, with " << rates_text(generator_, discriminator_);
  actions.emplace_back(peer::Notice{index_, std::move(text).str(), peer::NoticeKind::RollBack});
  begin_training();
}

}  // namespace quadrille::train

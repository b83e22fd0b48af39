#include "train/lipizzaner/center.hpp"

#include <algorithm>

namespace quadrille::train {
namespace {

// Where the optimizer's own counter stays.
constexpr std::uint64_t steps_max = std::uint64_t{1} << 24;

compute::Floats like(compute::Arena& arena, compute::Floats moment) {
  return moment.empty() ? compute::Floats{} : arena.floats(moment.count());
}

void copy(compute::Queue& queue, compute::Floats to, compute::ConstFloats from) {
  if (!to.empty()) queue.submit(compute::Copy{.to = to, .from = from});
}

}  // namespace

CenterNetwork::CenterNetwork(compute::Arena& arena, compute::Floats gradient,
                             nn::OptimizerOptions optimizer)
    : network_(arena, gradient.count(), optimizer, gradient),
      remembered_first_(like(arena, network_.first_moment())),
      remembered_second_(like(arena, network_.second_moment())) {}

void CenterNetwork::set_learning_rate(compute::Queue& queue, double rate) {
  traits_.learning_rate = rate;
  network_.set_learning_rate(
      queue, {.learning_rate = static_cast<float>(rate),
              .steps_done = static_cast<float>(std::min(traits_.steps, steps_max))});
}

void CenterNetwork::set_traits(compute::Queue& queue, const Traits& traits) {
  traits_ = traits;
  set_learning_rate(queue, traits.learning_rate);
}

void CenterNetwork::reset_moments(compute::Queue& queue) {
  traits_.steps = 0;
  network_.reset_optimizer(queue, static_cast<float>(traits_.learning_rate));
}

void CenterNetwork::remember(compute::Queue& queue, compute::Floats slot) {
  remembered_ = traits_;
  remembered_parameters_ = slot;
  copy(queue, slot, network_.parameters());
  copy(queue, remembered_first_, network_.first_moment());
  copy(queue, remembered_second_, network_.second_moment());
}

void CenterNetwork::recall(compute::Queue& queue) {
  copy(queue, network_.parameters(), remembered_parameters_);
  copy(queue, network_.first_moment(), remembered_first_);
  copy(queue, network_.second_moment(), remembered_second_);
  set_traits(queue, remembered_);
}

void CenterNetwork::inherit(compute::Queue& queue, const Genome& genome, const Traits& traits) {
  copy(queue, network_.parameters(), genome.parameters);
  traits_ = traits;
  const bool moments_travelled = !genome.second_moment.empty();
  if (!moments_travelled) return reset_moments(queue);
  copy(queue, network_.first_moment(), genome.first_moment);
  copy(queue, network_.second_moment(), genome.second_moment);
  set_traits(queue, traits);
}

}  // namespace quadrille::train

#include "nn/optimizer.hpp"

#include <array>

#include "base/check.hpp"

namespace quadrille::nn {

using compute::OptimizerKind;

bool uses_first_moment(OptimizerKind kind) {
  return kind == OptimizerKind::Adam;
}

bool uses_second_moment(OptimizerKind kind) {
  return kind != OptimizerKind::Sgd;
}

TrainedNetwork::TrainedNetwork(compute::Arena& arena, std::size_t parameter_count,
                               OptimizerOptions options, compute::Floats gradient)
    : options_(options),
      parameters_(arena.floats(parameter_count)),
      gradient_(gradient.empty() ? arena.floats(parameter_count) : gradient),
      hyper_(arena.floats(compute::hyper::count)) {
  CHECK(gradient_.count() == parameter_count, gradient_.count(), parameter_count);
  if (uses_first_moment(options.kind)) first_ = arena.floats(parameter_count);
  if (uses_second_moment(options.kind)) second_ = arena.floats(parameter_count);
}

void TrainedNetwork::reset_optimizer(compute::Queue& queue, float learning_rate) const {
  for (const compute::Floats moment : {first_, second_})
    if (!moment.empty()) queue.submit(compute::Fill{.to = moment, .value = 0});
  set_learning_rate(queue, {.learning_rate = learning_rate, .steps_done = 0});
}

void TrainedNetwork::set_learning_rate(compute::Queue& queue, StepRate rate) const {
  std::array<float, compute::hyper::count> values{};
  values[compute::hyper::learning_rate] = rate.learning_rate;
  values[compute::hyper::beta1] = options_.beta1;
  values[compute::hyper::beta2] = options_.beta2;
  values[compute::hyper::epsilon] = options_.epsilon;
  values[compute::hyper::step] = rate.steps_done;
  queue.upload(hyper_, std::span<const float>(values));
}

void TrainedNetwork::step(compute::Queue& queue) const {
  queue.submit(compute::OptimizerStep{.kind = options_.kind,
                                      .parameters = parameters_,
                                      .gradient = gradient_,
                                      .first = first_,
                                      .second = second_,
                                      .hyper = hyper_});
}

}  // namespace quadrille::nn

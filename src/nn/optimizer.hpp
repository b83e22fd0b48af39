// A network in training: its flat parameters, gradient and moments in device memory, and one fused
// step.
#pragma once

#include <cstddef>
#include <span>

#include "compute/backend.hpp"

namespace quadrille::nn {

struct OptimizerOptions {
  compute::OptimizerKind kind = compute::OptimizerKind::Adam;
  float beta1 = 0.5F;    // Adam
  float beta2 = 0.999F;  // Adam; RMSprop's alpha
  float epsilon = 1e-8F;
};

struct StepRate {
  float learning_rate;
  float steps_done;  // 0 to 2^24, which also stands for more
};

// Which moments a kind keeps.
bool uses_first_moment(compute::OptimizerKind kind);
bool uses_second_moment(compute::OptimizerKind kind);

class TrainedNetwork {
 public:
  // `gradient`: memory for it that the caller uses for something else between two steps, since a
  // gradient is dead then; none: the arena's.
  TrainedNetwork(compute::Arena& arena, std::size_t parameter_count, OptimizerOptions options,
                 compute::Floats gradient = {});

  const OptimizerOptions& options() const { return options_; }
  compute::Floats parameters() const { return parameters_; }
  compute::Floats gradient() const { return gradient_; }
  compute::Floats first_moment() const { return first_; }    // empty where the kind has none
  compute::Floats second_moment() const { return second_; }  // empty where the kind has none
  compute::Floats hyper() const { return hyper_; }

  // Zero moments, no steps done, the learning rate and the options' decays.
  void reset_optimizer(compute::Queue& queue, float learning_rate) const;
  // Another learning rate; the moments stay as they are.
  void set_learning_rate(compute::Queue& queue, StepRate rate) const;
  void step(compute::Queue& queue) const;

 private:
  OptimizerOptions options_;
  compute::Floats parameters_, gradient_, first_, second_, hyper_;
};

}  // namespace quadrille::nn

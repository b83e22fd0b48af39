// One trial of the op table: operands on a backend, and what is expected of the outputs.
#pragma once

#include "base/random.hpp"
#include "compute/backend.hpp"
#include "support/op_table.hpp"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace quadrille::test {

// What a value should be, and the scale that its row's tolerance is a part of: the sizes of what
// was added up to make it. A scale of 0 asks for the exact bits.
struct Expected {
  double value;
  double scale = 0;
};

class OpTrial {
 public:
  // Rewinds `arena`, which `backend` made: what earlier trials put there is gone.
  OpTrial(compute::Backend& backend, compute::Arena& arena, std::string name, double tolerance,
          RandomStream& random, OpTableReport& report)
      : arena_(arena),
        queue_(backend.make_queue()),
        name_(std::move(name)),
        tolerance_(tolerance),
        random_(random),
        report_(report) {
    arena_.rewind();
  }

  // A dimension: small ones, powers of two and their neighbours, batches of real runs.
  std::size_t size();
  // A count of values of a flat operand, often larger than what a backend does in one piece.
  std::size_t count();
  bool coin() { return random_.below(2) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> choices) {
    return choices.begin()[random_.below(static_cast<std::uint32_t>(choices.size()))];
  }
  RandomStream& random() { return random_; }

  // Uniform in [-2, 2) times `scale`; cheap, since the table needs millions.
  std::vector<float> values(std::size_t count, double scale = 1);

  compute::Floats put(std::span<const float> values);
  compute::Words put_words(std::span<const std::uint32_t> values);
  // Memory that nobody has written yet in this trial.
  compute::Floats fresh(std::size_t count) { return arena_.floats(count); }
  compute::Arena& arena() { return arena_; }

  void submit(const compute::Operation& operation) { queue_->submit(operation); }
  // Waits for the queue and compares; `what` tells the outputs of one operation apart.
  void expect(const char* what, compute::ConstFloats actual, std::span<const Expected> expected);

 private:
  void fail(const char* what, std::size_t index, float actual, const Expected& expected);

  compute::Arena& arena_;
  std::unique_ptr<compute::Queue> queue_;
  std::string name_;
  double tolerance_;
  RandomStream& random_;
  OpTableReport& report_;
};

// The trials of each row.
void try_copy(OpTrial& trial);
void try_fill(OpTrial& trial);
void try_gemm(OpTrial& trial);
void try_bias_activation(OpTrial& trial);
void try_activation_gradient(OpTrial& trial);
void try_column_sum(OpTrial& trial);
void try_adversarial_loss(OpTrial& trial);
void try_softmax_loss(OpTrial& trial);
void try_sgd(OpTrial& trial);
void try_rms_prop(OpTrial& trial);
void try_adam(OpTrial& trial);
void try_random_normal(OpTrial& trial);
void try_random_uniform(OpTrial& trial);
void try_gather_bytes(OpTrial& trial);
void try_gather_floats(OpTrial& trial);
void try_axpby(OpTrial& trial);
void try_clip(OpTrial& trial);
void try_sum_squares(OpTrial& trial);

}  // namespace quadrille::test

// The loops of every operation but Gemm, on one block of one thread's
// work. cpu_queue.cpp cuts operations into blocks; kernels.inl defines
// the loops once and is compiled once for each instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "compute/operation.hpp"

namespace quadrille::compute {

struct OptimizerBlock {
  std::size_t count;
  float* parameters;
  const float* gradient;
  float* first;
  float* second;
};

// The scalars of one Adam step: the bias corrections are folded into two of them.
struct AdamScalars {
  float beta1, beta2, epsilon;
  float rate;          // lr / (1 - beta1^t)
  float second_scale;  // 1 / sqrt(1 - beta2^t)
};

struct LossBlock {
  std::size_t count;
  const float* logits;
  float scale;      // of the gradient: 1 / (count of the whole batch)
  float* gradient;  // null: not wanted
};

struct SoftmaxBlock {
  std::size_t rows, classes;
  const float* logits;
  const float* labels;
  float scale;
  float* gradient;
};

struct Kernels {
  const char* name;  // for people: "AVX-512"

  void (*fill)(std::size_t count, float value, float* to);
  // bias: null is none.
  void (*bias_activation)(Activation activation, std::size_t rows, std::size_t columns,
                          const float* bias, float* values);
  void (*activation_gradient)(Activation activation, std::size_t count, const float* output,
                              float* gradient);
  void (*column_sum)(std::size_t rows, std::size_t columns, std::size_t leading, const float* from,
                     float beta, float* to);
  // Both return the sum of the losses.
  double (*adversarial_loss)(LossKind kind, LossSide side, const LossBlock& block);
  double (*softmax_loss)(const SoftmaxBlock& block);
  void (*sgd)(const OptimizerBlock& block, float rate);
  void (*rms_prop)(const OptimizerBlock& block, float rate, float alpha, float epsilon);
  void (*adam)(const OptimizerBlock& block, AdamScalars scalars);
  void (*random_normal)(PhiloxKey key, std::uint64_t first_block, std::size_t count, float* to);
  void (*random_uniform)(PhiloxKey key, std::uint64_t first_block, std::size_t count, float* to);
  void (*scale_bytes)(std::size_t count, const std::uint8_t* from, float scale, float shift,
                      float* to);
  void (*axpby)(std::size_t count, float a, const float* x, float b, float* to);
  void (*clip)(std::size_t count, float limit, float* values);
  double (*sum_squares)(std::size_t count, const float* from);
};

// The widest copy that this build has and this CPU runs.
const Kernels& best_kernels();
// All copies that this CPU runs, the widest first: they give the same bits.
std::span<const Kernels* const> available_kernels();

// One per compiled copy of kernels.inl; call only where the CPU runs it.
const Kernels& generic_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace quadrille::compute

#include "compute/cpu/cpu_queue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace quadrille::compute {
namespace {

// Floats in a block: work of some 5 to 20 microseconds,
// well above the price of handing it to a thread.
constexpr std::size_t cheap_block = 65536;   // a few instructions a value
constexpr std::size_t costly_block = 16384;  // exp, log, square roots
constexpr std::size_t partial_sums_max = 64;
static_assert(costly_block % normals_per_block == 0);

// How many rows make a block of about `block` floats.
std::size_t rows_per_block(std::size_t block, std::size_t columns) {
  return std::max<std::size_t>(1, block / std::max<std::size_t>(1, columns));
}

// base^exponent in the same bits everywhere, which std::pow does not promise.
double power(double base, std::uint32_t exponent) {
  double result = 1;
  for (; exponent != 0; exponent >>= 1, base *= base)
    if ((exponent & 1) != 0) result *= base;
  return result;
}

// A Gemm is cut into tiles of about this size: work of 50 to 300 microseconds, whose operands stay
// in a core's second-level cache.
constexpr std::size_t gemm_tile_rows = 256;
constexpr std::size_t gemm_tile_columns = 256;
constexpr std::size_t gemm_column_unit = 32;  // the kernels' panel: cut between panels

std::size_t quotient_up(std::size_t a, std::size_t b) {
  return (a + b - 1) / b;
}
std::size_t round_up(std::size_t a, std::size_t unit) {
  return quotient_up(a, unit) * unit;
}

GemmTask member_task(const Gemm& o, std::size_t member) {
  return {.m = o.m,
          .n = o.n,
          .k = o.k,
          .a = o.a.values.address() + member * o.a.stride,
          .a_leading = o.a.leading,
          .a_transposed = o.a.transposed,
          .b = o.b.values.address() + member * o.b.stride,
          .b_leading = o.b.leading,
          .b_transposed = o.b.transposed,
          .accumulate = o.beta != 0,
          .c = o.c.values.address() + member * o.c.stride,
          .c_leading = o.c.leading};
}

// c = beta c, where k is 0.
void empty_product(const Gemm& o) {
  if (o.beta != 0) return;
  for (std::size_t member = 0; member < o.members; ++member)
    for (std::size_t row = 0; row < o.m; ++row)
      std::fill_n(o.c.values.address() + member * o.c.stride + row * o.c.leading, o.n, 0.0F);
}

// A mean in slot 0, added to what is there where beta is 1.
void put_mean(double sum, std::size_t count, float beta, Floats to) {
  const auto mean = static_cast<float>(sum / static_cast<double>(count));
  float& slot = *to.address();
  slot = beta == 0 ? mean : mean + slot;
}

}  // namespace

void CpuQueue::submit(const Operation& operation) {
  check_extents(operation);
  std::visit([this](const auto& o) { perform(o); }, operation);
}

void CpuQueue::upload_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

void CpuQueue::download_bytes(void* to, const void* from, std::size_t bytes) {
  if (bytes != 0) std::memcpy(to, from, bytes);
}

template <class Block>
void CpuQueue::for_blocks(std::size_t count, std::size_t per_block, Block block) {
  const std::size_t blocks = quotient_up(count, per_block);
  pool_.run(blocks, [&](std::size_t index) {
    const std::size_t begin = index * per_block;
    block(begin, std::min(per_block, count - begin));
  });
}

void CpuQueue::perform(const Copy& o) {
  for_blocks(o.to.count(), cheap_block, [&](std::size_t begin, std::size_t count) {
    std::memcpy(o.to.address() + begin, o.from.address() + begin, count * sizeof(float));
  });
}

void CpuQueue::perform(const Fill& o) {
  for_blocks(o.to.count(), cheap_block, [&](std::size_t begin, std::size_t count) {
    kernels_.fill(count, o.value, o.to.address() + begin);
  });
}

void CpuQueue::perform(const Gemm& o) {
  if (o.m == 0 || o.n == 0) return;
  if (o.k == 0) return empty_product(o);
  const std::size_t row_cuts = quotient_up(o.m, gemm_tile_rows);
  const std::size_t column_cuts = quotient_up(o.n, gemm_tile_columns);
  const std::size_t rows = quotient_up(o.m, row_cuts);
  const std::size_t columns = round_up(quotient_up(o.n, column_cuts), gemm_column_unit);
  pool_.run(o.members * row_cuts * column_cuts, [&](std::size_t index) {
    const std::size_t row = index / column_cuts % row_cuts * rows;
    const std::size_t column = index % column_cuts * columns;
    if (row >= o.m || column >= o.n) return;
    GemmTask task = member_task(o, index / column_cuts / row_cuts);
    task.m = std::min(rows, o.m - row);
    task.n = std::min(columns, o.n - column);
    task.a += row * (o.a.transposed ? 1 : o.a.leading);
    task.b += column * (o.b.transposed ? o.b.leading : 1);
    task.c += row * o.c.leading + column;
    gemm_(task);
  });
}

void CpuQueue::perform(const BiasActivation& o) {
  const bool costly = o.activation == Activation::Tanh || o.activation == Activation::Sigmoid;
  const std::size_t per_block = rows_per_block(costly ? costly_block : cheap_block, o.columns);
  const std::size_t blocks = quotient_up(o.rows, per_block);  // of each member
  pool_.run(o.members * blocks, [&](std::size_t index) {
    const std::size_t member = index / blocks;
    const std::size_t begin = index % blocks * per_block;
    const float* bias = o.bias.empty() ? nullptr : o.bias.address() + member * o.bias_stride;
    kernels_.bias_activation(o.activation, std::min(per_block, o.rows - begin), o.columns, bias,
                             o.values.address() + (member * o.rows + begin) * o.columns);
  });
}

void CpuQueue::perform(const ActivationGradient& o) {
  for_blocks(o.output.count(), cheap_block, [&](std::size_t begin, std::size_t count) {
    kernels_.activation_gradient(o.activation, count, o.output.address() + begin,
                                 o.gradient.address() + begin);
  });
}

void CpuQueue::perform(const ColumnSum& o) {
  const std::size_t per_block = std::max<std::size_t>(64, rows_per_block(cheap_block, o.rows));
  for_blocks(o.columns, per_block, [&](std::size_t begin, std::size_t count) {
    kernels_.column_sum(o.rows, count, o.columns, o.from.address() + begin, o.beta,
                        o.to.address() + begin);
  });
}

void CpuQueue::perform(const AdversarialLoss& o) {
  const std::size_t count = o.logits.count();
  const double sum = kernels_.adversarial_loss(o.kind, o.side,
                                               {.count = count,
                                                .logits = o.logits.address(),
                                                .scale = 1.0F / static_cast<float>(count),
                                                .gradient = o.gradient.address()});
  put_mean(sum, count, o.beta, o.loss);
}

void CpuQueue::perform(const SoftmaxLoss& o) {
  for (std::size_t r = 0; r < o.rows; ++r) {
    const float label = o.labels.address()[r];
    CHECK(label >= 0 && label < static_cast<float>(o.classes), r, label, o.classes);
  }
  const double sum = kernels_.softmax_loss({.rows = o.rows,
                                            .classes = o.classes,
                                            .logits = o.logits.address(),
                                            .labels = o.labels.address(),
                                            .scale = 1.0F / static_cast<float>(o.rows),
                                            .gradient = o.gradient.address()});
  put_mean(sum, o.rows, 0, o.loss);
}

void CpuQueue::perform(const OptimizerStep& o) {
  float* const hyper = o.hyper.address();
  const float rate = hyper[hyper::learning_rate];
  const float step = hyper[hyper::step] + 1;  // stays at 2^24: floats have no 2^24 + 1
  CHECK(step >= 1 && step < 0x1p32F, step);
  const auto steps = static_cast<std::uint32_t>(step);
  const double correction1 = 1 - power(static_cast<double>(hyper[hyper::beta1]), steps);
  const double correction2 = 1 - power(static_cast<double>(hyper[hyper::beta2]), steps);
  const AdamScalars scalars{
      .beta1 = hyper[hyper::beta1],
      .beta2 = hyper[hyper::beta2],
      .epsilon = hyper[hyper::epsilon],
      .rate = static_cast<float>(static_cast<double>(rate) / correction1),
      .second_scale = static_cast<float>(1 / std::sqrt(correction2)),
  };
  for_blocks(o.parameters.count(), costly_block, [&](std::size_t begin, std::size_t count) {
    const OptimizerBlock block{.count = count,
                               .parameters = o.parameters.address() + begin,
                               .gradient = o.gradient.address() + begin,
                               .first = o.first.empty() ? nullptr : o.first.address() + begin,
                               .second = o.second.empty() ? nullptr : o.second.address() + begin};
    switch (o.kind) {
      case OptimizerKind::Sgd:
        return kernels_.sgd(block, rate);
      case OptimizerKind::RmsProp:
        return kernels_.rms_prop(block, rate, scalars.beta2, scalars.epsilon);
      case OptimizerKind::Adam:
        return kernels_.adam(block, scalars);
    }
  });
  hyper[hyper::step] = step;
}

void CpuQueue::perform(const RandomNormal& o) {
  for_blocks(o.to.count(), costly_block, [&](std::size_t begin, std::size_t count) {
    kernels_.random_normal(o.key, o.first_block + begin / normals_per_block, count,
                           o.to.address() + begin);
  });
}

void CpuQueue::perform(const RandomUniform& o) {
  for_blocks(o.to.count(), costly_block, [&](std::size_t begin, std::size_t count) {
    kernels_.random_uniform(o.key, o.first_block + begin / normals_per_block, count,
                            o.to.address() + begin);
  });
}

void CpuQueue::perform(const GatherBytes& o) {
  const std::size_t source_rows = o.source.count() / o.columns;
  for_blocks(o.row_count, rows_per_block(cheap_block, o.columns),
             [&](std::size_t begin, std::size_t count) {
               for (std::size_t r = begin; r < begin + count; ++r) {
                 const std::size_t row = o.rows.address()[r];
                 CHECK(row < source_rows, row, source_rows);
                 kernels_.scale_bytes(o.columns, o.source.address() + row * o.columns, o.scale,
                                      o.shift, o.to.address() + r * o.columns);
               }
             });
}

void CpuQueue::perform(const GatherFloats& o) {
  const std::size_t source_rows = o.source.count() / o.columns;
  for_blocks(o.row_count, rows_per_block(cheap_block, o.columns),
             [&](std::size_t begin, std::size_t count) {
               for (std::size_t r = begin; r < begin + count; ++r) {
                 const std::size_t row = o.rows.address()[r];
                 CHECK(row < source_rows, row, source_rows);
                 std::memcpy(o.to.address() + r * o.columns, o.source.address() + row * o.columns,
                             o.columns * sizeof(float));
               }
             });
}

void CpuQueue::perform(const Axpby& o) {
  for_blocks(o.to.count(), cheap_block, [&](std::size_t begin, std::size_t count) {
    kernels_.axpby(count, o.a, o.x.address() + begin, o.b, o.to.address() + begin);
  });
}

void CpuQueue::perform(const Clip& o) {
  for_blocks(o.values.count(), cheap_block, [&](std::size_t begin, std::size_t count) {
    kernels_.clip(count, o.limit, o.values.address() + begin);
  });
}

void CpuQueue::perform(const SumSquares& o) {
  const std::size_t count = o.from.count();
  std::array<double, partial_sums_max> partial{};
  const std::size_t per_block = std::max(cheap_block, quotient_up(count, partial_sums_max));
  for_blocks(count, per_block, [&](std::size_t begin, std::size_t length) {
    partial[begin / per_block] = kernels_.sum_squares(length, o.from.address() + begin);
  });
  double sum = 0;
  for (const double value : partial) sum += value;
  *o.to.address() = static_cast<float>(sum);
}

}  // namespace quadrille::compute

// The loops of kernels.hpp, as plain scalar code that the compiler vectorises. Each
// kernels_<isa>.cpp sets QUADRILLE_KERNELS (the function that returns the table) and
// QUADRILLE_KERNELS_NAME, and includes this file under its own instruction set flags. Every copy
// gives the same bits.
#include "compute/cpu/kernels.hpp"
#include "compute/cpu/lane_math.inl"
#include "compute/cpu/losses.inl"
#include "compute/cpu/random.inl"

namespace quadrille::compute {
namespace {

struct LeakyRelu {
  QUADRILLE_INLINE float value(float x) const { return x > 0.0F ? x : leaky_relu_slope * x; }
  QUADRILLE_INLINE float slope(float y) const { return y > 0.0F ? 1.0F : leaky_relu_slope; }
};
struct Relu {
  QUADRILLE_INLINE float value(float x) const { return x < 0.0F ? 0.0F : x; }
  QUADRILLE_INLINE float slope(float y) const { return y > 0.0F ? 1.0F : 0.0F; }
};
struct Tanh {
  QUADRILLE_INLINE float value(float x) const { return tanh_of(x); }
  QUADRILLE_INLINE float slope(float y) const { return 1.0F - y * y; }
};
struct Sigmoid {
  QUADRILLE_INLINE float value(float x) const { return sigmoid_of(x); }
  QUADRILLE_INLINE float slope(float y) const { return y * (1.0F - y); }
};
struct Identity {
  QUADRILLE_INLINE float value(float x) const { return x; }
  QUADRILLE_INLINE float slope(float) const { return 1.0F; }
};

template <class Use>
QUADRILLE_INLINE void with_activation(Activation activation, Use use) {
  switch (activation) {
    case Activation::Identity:
      return use(Identity{});
    case Activation::LeakyRelu:
      return use(LeakyRelu{});
    case Activation::Relu:
      return use(Relu{});
    case Activation::Tanh:
      return use(Tanh{});
    case Activation::Sigmoid:
      return use(Sigmoid{});
  }
}

void fill(std::size_t count, float value, float* to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = value;
}

void bias_activation(Activation activation, std::size_t rows, std::size_t columns,
                     const float* __restrict bias, float* __restrict values) {
  with_activation(activation, [=](auto act) {
    if (bias == nullptr) {
      for (std::size_t i = 0; i < rows * columns; ++i) values[i] = act.value(values[i]);
      return;
    }
    for (std::size_t r = 0; r < rows; ++r) {
      float* const __restrict row = values + r * columns;
      for (std::size_t c = 0; c < columns; ++c) row[c] = act.value(row[c] + bias[c]);
    }
  });
}

void activation_gradient(Activation activation, std::size_t count, const float* __restrict output,
                         float* __restrict gradient) {
  with_activation(activation, [=](auto act) {
    for (std::size_t i = 0; i < count; ++i) gradient[i] *= act.slope(output[i]);
  });
}

// Strips of columns whose sums stay in registers; each column is added up from the first row on.
template <std::size_t strip>
QUADRILLE_INLINE std::size_t column_strips(std::size_t begin, std::size_t rows, std::size_t columns,
                                           std::size_t leading, const float* __restrict from,
                                           float beta, float* __restrict to) {
  for (; begin + strip <= columns; begin += strip) {
    float sums[strip] = {};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < strip; ++c) sums[c] += from[r * leading + begin + c];
    for (std::size_t c = 0; c < strip; ++c)
      to[begin + c] = beta == 0.0F ? sums[c] : sums[c] + to[begin + c];
  }
  return begin;
}

void column_sum(std::size_t rows, std::size_t columns, std::size_t leading, const float* from,
                float beta, float* to) {
  const std::size_t wide = column_strips<64>(0, rows, columns, leading, from, beta, to);
  const std::size_t narrow = column_strips<16>(wide, rows, columns, leading, from, beta, to);
  column_strips<1>(narrow, rows, columns, leading, from, beta, to);
}

void sgd(const OptimizerBlock& block, float rate) {
  float* const __restrict p = block.parameters;
  const float* const __restrict g = block.gradient;
  for (std::size_t i = 0; i < block.count; ++i) p[i] -= rate * g[i];
}

void rms_prop(const OptimizerBlock& block, float rate, float alpha, float epsilon) {
  float* const __restrict p = block.parameters;
  float* const __restrict v = block.second;
  const float* const __restrict g = block.gradient;
  for (std::size_t i = 0; i < block.count; ++i) {
    v[i] = alpha * v[i] + (1.0F - alpha) * (g[i] * g[i]);
    p[i] -= rate * g[i] / (__builtin_sqrtf(v[i]) + epsilon);
  }
}

void adam(const OptimizerBlock& block, AdamScalars s) {
  float* const __restrict p = block.parameters;
  float* const __restrict m = block.first;
  float* const __restrict v = block.second;
  const float* const __restrict g = block.gradient;
  const float rest1 = 1.0F - s.beta1;
  const float rest2 = 1.0F - s.beta2;
  for (std::size_t i = 0; i < block.count; ++i) {
    const float first = s.beta1 * m[i] + rest1 * g[i];
    const float second = s.beta2 * v[i] + rest2 * (g[i] * g[i]);
    m[i] = first;
    v[i] = second;
    p[i] -= s.rate * first / (__builtin_sqrtf(second) * s.second_scale + s.epsilon);
  }
}

void scale_bytes(std::size_t count, const std::uint8_t* __restrict from, float scale, float shift,
                 float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(std::int32_t{from[i]}) * scale + shift;
}

// As in BLAS, b = 0 means that the old values are not read.
void axpby(std::size_t count, float a, const float* __restrict x, float b, float* __restrict to) {
  if (b == 0.0F) {
    for (std::size_t i = 0; i < count; ++i) to[i] = a * x[i];
  } else {
    for (std::size_t i = 0; i < count; ++i) to[i] = a * x[i] + b * to[i];
  }
}

void clip(std::size_t count, float limit, float* values) {
  for (std::size_t i = 0; i < count; ++i) {
    const float above = values[i] < -limit ? -limit : values[i];
    values[i] = above > limit ? limit : above;
  }
}

// Sixteen sums side by side, then one after the other:
// the order is fixed, whatever the vectors' width.
double sum_squares(std::size_t count, const float* from) {
  constexpr std::size_t lanes = 16;
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto x = static_cast<double>(from[i + lane]);
      sums[lane] += x * x;
    }
  for (std::size_t lane = 0; i + lane < count; ++lane) {
    const auto x = static_cast<double>(from[i + lane]);
    sums[lane] += x * x;
  }
  double sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += sums[lane];
  return sum;
}

constexpr Kernels table{
    .name = QUADRILLE_KERNELS_NAME,
    .fill = fill,
    .bias_activation = bias_activation,
    .activation_gradient = activation_gradient,
    .column_sum = column_sum,
    .adversarial_loss = adversarial_loss,
    .softmax_loss = softmax_loss,
    .sgd = sgd,
    .rms_prop = rms_prop,
    .adam = adam,
    .random_normal = random_normal,
    .random_uniform = random_uniform,
    .scale_bytes = scale_bytes,
    .axpby = axpby,
    .clip = clip,
    .sum_squares = sum_squares,
};

}  // namespace

const Kernels& QUADRILLE_KERNELS() {
  return table;
}

}  // namespace quadrille::compute

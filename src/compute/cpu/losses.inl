// Losses of a block of logits: gradients in float, sums in double, in the order of the logits.
// Part of kernels.inl.

namespace quadrille::compute {
namespace {

// Every loss of LossKind is one of these four functions of the logit.

// weight * softplus(sign * y): -log D has sign -1, -log(1 - D) has sign 1.
struct Logistic {
  float sign, weight;
  QUADRILLE_INLINE float value(float y) const { return weight * softplus_of(sign * y); }
  QUADRILLE_INLINE float slope(float y) const { return sign * weight * sigmoid_of(sign * y); }
};

struct Square {
  float target;
  QUADRILLE_INLINE float value(float y) const { return 0.5F * (y - target) * (y - target); }
  QUADRILLE_INLINE float slope(float y) const { return y - target; }
};

struct Linear {
  float sign;
  QUADRILLE_INLINE float value(float y) const { return sign * y; }
  QUADRILLE_INLINE float slope(float) const { return sign; }
};

// max(0, 1 + sign * y); NaN stays NaN.
struct Margin {
  float sign;
  QUADRILLE_INLINE float value(float y) const {
    const float margin = 1.0F + sign * y;
    return margin < 0.0F ? 0.0F : margin;
  }
  QUADRILLE_INLINE float slope(float y) const { return 1.0F + sign * y > 0.0F ? sign : 0.0F; }
};

template <class Formula>
QUADRILLE_INLINE double sum_loss(const LossBlock& block, Formula formula) {
  constexpr std::size_t strip = 64;
  double sum = 0;
  for (std::size_t begin = 0; begin < block.count; begin += strip) {
    const std::size_t left = block.count - begin;
    const std::size_t count = left < strip ? left : strip;
    const float* const logits = block.logits + begin;
    float values[strip];
    for (std::size_t i = 0; i < count; ++i) values[i] = formula.value(logits[i]);
    for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
    if (block.gradient == nullptr) continue;
    float* const __restrict gradient = block.gradient + begin;
    for (std::size_t i = 0; i < count; ++i) gradient[i] = block.scale * formula.slope(logits[i]);
  }
  return sum;
}

double adversarial_loss(LossKind kind, LossSide side, const LossBlock& block) {
  const bool real = side == LossSide::DiscriminatorReal;
  const bool fake = side == LossSide::DiscriminatorFake;
  const float sign = fake ? 1.0F : -1.0F;
  switch (kind) {
    case LossKind::Bce:
      return sum_loss(block, Logistic{sign, 1.0F});
    case LossKind::Heuristic:
      return sum_loss(block, Logistic{sign, real || fake ? 1.0F : 0.5F});
    case LossKind::LeastSquares:
      return sum_loss(block, Square{fake ? 0.0F : 1.0F});
    case LossKind::Wasserstein:
      return sum_loss(block, Linear{sign});
    case LossKind::Hinge:
      return real || fake ? sum_loss(block, Margin{sign}) : sum_loss(block, Linear{-1.0F});
  }
  __builtin_unreachable();
}

// One row: returns log(sum exp(logit)) - logit[label]; the maximum taken out keeps exp in range.
double softmax_row(const SoftmaxBlock& block, std::size_t row) {
  const float* const logits = block.logits + row * block.classes;
  const auto label = static_cast<std::size_t>(block.labels[row]);
  float largest = logits[0];
  for (std::size_t c = 1; c < block.classes; ++c)
    largest = logits[c] > largest ? logits[c] : largest;
  float sum = 0;
  for (std::size_t c = 0; c < block.classes; ++c) sum += exp_of(logits[c] - largest);
  if (block.gradient != nullptr) {
    float* const gradient = block.gradient + row * block.classes;
    for (std::size_t c = 0; c < block.classes; ++c) {
      const float probability = exp_of(logits[c] - largest) / sum;
      gradient[c] = block.scale * (c == label ? probability - 1.0F : probability);
    }
  }
  // log_of is for numbers: the NaN of a logit stays one.
  const float log_sum = sum > 0.0F ? log_of(sum) : sum;
  return static_cast<double>(log_sum) +
         (static_cast<double>(largest) - static_cast<double>(logits[label]));
}

double softmax_loss(const SoftmaxBlock& block) {
  double sum = 0;
  for (std::size_t row = 0; row < block.rows; ++row) sum += softmax_row(block, row);
  return sum;
}

}  // namespace
}  // namespace quadrille::compute

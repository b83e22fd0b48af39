// The op table's rows for matrices, activations and losses.
#include "support/op_trial.hpp"

#include <algorithm>
#include <cmath>

namespace quadrille::test {
namespace {

using compute::Activation;
using compute::LossKind;
using compute::LossSide;

// The derivative of a reference; h balances its error of h^2 against the rounding of f / h.
template <class Function>
double slope(Function f, double x) {
  constexpr double h = 1e-5;
  return (f(x + h) - f(x - h)) / (2 * h);
}

// One stored matrix of each member, with room between rows and between members.
struct StoredMatrix {
  std::size_t rows, columns, leading, stride;
  bool transposed;
  std::vector<float> values;

  float& at(std::size_t member, std::size_t row, std::size_t column) {
    if (transposed) std::swap(row, column);
    return values[member * stride + row * leading + column];
  }
};

StoredMatrix make_matrix(OpTrial& trial, std::size_t members, std::size_t rows, std::size_t columns,
                         bool transposed, bool shared) {
  StoredMatrix m{.rows = rows,
                 .columns = columns,
                 .leading = 0,
                 .stride = 0,
                 .transposed = transposed,
                 .values = {}};
  const std::size_t stored_rows = transposed ? columns : rows;
  const std::size_t stored_columns = transposed ? rows : columns;
  m.leading = stored_columns + trial.one_of<std::size_t>({0, 0, 0, 1, 5});
  if (!shared) m.stride = stored_rows * m.leading + trial.one_of<std::size_t>({0, 3});
  const std::size_t count =
      (members - 1) * m.stride + (stored_rows - 1) * m.leading + stored_columns;
  m.values = trial.values(count);
  return m;
}

// Sums products in double; the scale bounds what k + 1 roundings in float may do to the sum.
Expected product(StoredMatrix& a, StoredMatrix& b, std::size_t member, std::size_t row,
                 std::size_t column, double before) {
  double sum = before;
  double size = std::abs(before);
  for (std::size_t p = 0; p < a.columns; ++p) {
    const double term =
        static_cast<double>(a.at(member, row, p)) * static_cast<double>(b.at(member, p, column));
    sum += term;
    size += std::abs(term);
  }
  return {.value = sum, .scale = size * static_cast<double>(a.columns + 1)};
}

// Shapes as the layers of a network have them, and now and then one of several tiles.
struct GemmShape {
  std::size_t members, m, n, k;
};

GemmShape gemm_shape(OpTrial& trial) {
  if (trial.random().below(8) == 0)
    return {.members = 1,
            .m = trial.one_of<std::size_t>({1, 257, 300}),
            .n = trial.one_of<std::size_t>({1, 300, 513}),
            .k = trial.one_of<std::size_t>({1, 257, 300})};
  return {.members = trial.one_of<std::size_t>({1, 1, 2, 3}),
          .m = trial.size(),
          .n = trial.size(),
          .k = trial.size()};
}

double activation_of(Activation activation, double x) {
  switch (activation) {
    case Activation::Identity:
      return x;
    case Activation::LeakyRelu:
      return x > 0 ? x : static_cast<double>(compute::leaky_relu_slope) * x;
    case Activation::Relu:
      return std::max(x, 0.0);
    case Activation::Tanh:
      return std::tanh(x);
    case Activation::Sigmoid:
      return 1 / (1 + std::exp(-x));
  }
  return NAN;
}

Activation any_activation(OpTrial& trial) {
  return trial.one_of({Activation::Identity, Activation::LeakyRelu, Activation::Relu,
                       Activation::Tanh, Activation::Sigmoid});
}

double softplus(double x) {
  return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x)));
}

// The table in operation.hpp, row by row.
double loss_of(LossKind kind, LossSide side, double y) {
  const bool real = side == LossSide::DiscriminatorReal;
  const bool fake = side == LossSide::DiscriminatorFake;
  switch (kind) {
    case LossKind::Bce:
      return fake ? softplus(y) : softplus(-y);
    case LossKind::LeastSquares:
      return fake ? y * y / 2 : (y - 1) * (y - 1) / 2;
    case LossKind::Heuristic:
      return fake ? softplus(y) : real ? softplus(-y) : softplus(-y) / 2;
    case LossKind::Wasserstein:
      return fake ? y : -y;
    case LossKind::Hinge:
      return real ? std::max(0.0, 1 - y) : fake ? std::max(0.0, 1 + y) : -y;
  }
  return NAN;
}

// Logits of which some are extreme, and none at a kink of the hinge.
std::vector<float> any_logits(OpTrial& trial, std::size_t count) {
  std::vector<float> logits = trial.values(count, trial.one_of({0.1, 2.0, 30.0}));
  for (float& y : logits)
    if (std::abs(std::abs(y) - 1.0F) < 1e-3F) y = 0.5F;
  return logits;
}

double cross_entropy(std::span<const double> logits, std::size_t label) {
  const double largest = *std::ranges::max_element(logits);
  double sum = 0;
  for (const double y : logits) sum += std::exp(y - largest);
  return std::log(sum) + largest - logits[label];
}

}  // namespace

void try_gemm(OpTrial& trial) {
  const auto [members, m, n, k] = gemm_shape(trial);
  StoredMatrix a = make_matrix(trial, members, m, k, trial.coin(), trial.coin());
  StoredMatrix b = make_matrix(trial, members, k, n, trial.coin(), trial.coin());
  StoredMatrix c = make_matrix(trial, members, m, n, false, false);
  const bool accumulate = trial.coin();

  // What lies between the rows stays as it is; without `accumulate` the old c may be anything.
  std::vector<Expected> expected;
  for (const float value : c.values) expected.push_back({.value = static_cast<double>(value)});
  for (std::size_t member = 0; member < members; ++member)
    for (std::size_t row = 0; row < m; ++row)
      for (std::size_t column = 0; column < n; ++column) {
        float& before = c.at(member, row, column);
        if (!accumulate) before = NAN;
        expected[member * c.stride + row * c.leading + column] =
            product(a, b, member, row, column, accumulate ? static_cast<double>(before) : 0);
      }
  const compute::Floats to = trial.put(c.values);
  trial.submit(compute::Gemm{
      .members = members,
      .m = m,
      .n = n,
      .k = k,
      .a = {trial.put(a.values), a.leading, a.transposed, a.stride},
      .b = {trial.put(b.values), b.leading, b.transposed, b.stride},
      .beta = accumulate ? 1.0F : 0.0F,
      .c = {to, c.leading, c.stride},
  });
  trial.expect("c", to, expected);
}

void try_bias_activation(OpTrial& trial) {
  const std::size_t members = trial.one_of<std::size_t>({1, 1, 3});
  const std::size_t rows = trial.size(), columns = trial.size();
  const Activation activation = any_activation(trial);
  const bool has_bias = trial.coin();
  const std::size_t bias_stride = trial.one_of<std::size_t>({0, columns, columns + 3});
  const std::vector<float> values =
      trial.values(members * rows * columns, trial.one_of({1e-3, 1.0, 20.0}));
  std::vector<float> bias;
  if (has_bias) bias = trial.values((members - 1) * bias_stride + columns);

  std::vector<Expected> expected;
  for (std::size_t i = 0; i < values.size(); ++i) {
    double x = static_cast<double>(values[i]);
    double added = 0;
    if (has_bias)
      added = static_cast<double>(bias[i / (rows * columns) * bias_stride + i % columns]);
    const double y = activation_of(activation, x + added);
    // Where x and the bias nearly cancel, the sum's rounding is what remains.
    expected.push_back({.value = y, .scale = std::abs(y) + 0.25 * (std::abs(x) + std::abs(added))});
    if (!has_bias) expected.back().scale = std::abs(y);
    if (activation == Activation::Sigmoid)
      expected.back().scale = y * (1 + 0.25 * std::abs(x + added));
  }
  const compute::Floats to = trial.put(values);
  trial.submit(compute::BiasActivation{.members = members,
                                       .rows = rows,
                                       .columns = columns,
                                       .values = to,
                                       .bias = has_bias ? trial.put(bias) : compute::Floats{},
                                       .bias_stride = bias_stride,
                                       .activation = activation});
  trial.expect("values", to, expected);
}

void try_activation_gradient(OpTrial& trial) {
  const std::size_t count = trial.count();
  const Activation activation = any_activation(trial);
  const auto act = [activation](double x) { return activation_of(activation, x); };
  std::vector<float> output = trial.values(count, 2);
  const std::vector<float> gradient = trial.values(count);
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < count; ++i) {
    double x = static_cast<double>(output[i]);
    if (std::abs(x) < 1e-3) x = 0.5;  // none at the kink
    output[i] = static_cast<float>(act(x));
    const auto g = static_cast<double>(gradient[i]);
    expected.push_back({.value = g * slope(act, x), .scale = std::abs(g)});
  }
  const compute::Floats to = trial.put(gradient);
  trial.submit(compute::ActivationGradient{
      .activation = activation, .output = trial.put(output), .gradient = to});
  trial.expect("gradient", to, expected);
}

void try_column_sum(OpTrial& trial) {
  const std::size_t rows = trial.one_of<std::size_t>({1, 2, 7, 100, 200, 1000});
  const std::size_t columns = trial.size();
  const bool accumulate = trial.coin();
  const std::vector<float> from = trial.values(rows * columns);
  std::vector<float> before = trial.values(columns);
  std::vector<Expected> expected;
  for (std::size_t c = 0; c < columns; ++c) {
    double sum = accumulate ? static_cast<double>(before[c]) : 0;
    double size = std::abs(sum);
    for (std::size_t r = 0; r < rows; ++r) {
      sum += static_cast<double>(from[r * columns + c]);
      size += std::abs(static_cast<double>(from[r * columns + c]));
    }
    expected.push_back({.value = sum, .scale = size * static_cast<double>(rows + 1)});
    if (!accumulate) before[c] = NAN;
  }
  const compute::Floats to = trial.put(before);
  trial.submit(compute::ColumnSum{.rows = rows,
                                  .columns = columns,
                                  .from = trial.put(from),
                                  .beta = accumulate ? 1.0F : 0.0F,
                                  .to = to});
  trial.expect("to", to, expected);
}

void try_adversarial_loss(OpTrial& trial) {
  const std::size_t count = trial.size();
  const auto kind = trial.one_of({LossKind::Bce, LossKind::LeastSquares, LossKind::Heuristic,
                                  LossKind::Wasserstein, LossKind::Hinge});
  const auto side =
      trial.one_of({LossSide::DiscriminatorReal, LossSide::DiscriminatorFake, LossSide::Generator});
  const auto loss = [&](double y) { return loss_of(kind, side, y); };
  const bool accumulate = trial.coin();
  const std::vector<float> logits = any_logits(trial, count);
  const std::vector<float> before = {accumulate ? 0.75F : NAN};

  double sum = 0, size = 0;
  std::vector<Expected> gradient;
  for (const float logit : logits) {
    const auto y = static_cast<double>(logit);
    sum += loss(y);
    size += std::abs(loss(y)) + std::abs(y);
    const double g = slope(loss, y) / static_cast<double>(count);
    // The finite difference of a large loss is right to 1e-9 of it.
    gradient.push_back({.value = g, .scale = std::abs(g) + 2e-3 * (1 + std::abs(loss(y)))});
  }
  const double mean = sum / static_cast<double>(count) + (accumulate ? 0.75 : 0);
  const compute::Floats loss_to = trial.put(before);
  const compute::Floats gradient_to = trial.coin() ? trial.fresh(count) : compute::Floats{};
  trial.submit(compute::AdversarialLoss{.kind = kind,
                                        .side = side,
                                        .logits = trial.put(logits),
                                        .gradient = gradient_to,
                                        .beta = accumulate ? 1.0F : 0.0F,
                                        .loss = loss_to});
  const Expected expected{.value = mean, .scale = size / static_cast<double>(count) + 1};
  trial.expect("loss", loss_to, {&expected, 1});
  if (!gradient_to.empty()) trial.expect("gradient", gradient_to, gradient);
}

void try_softmax_loss(OpTrial& trial) {
  const std::size_t rows = trial.size();
  const std::size_t classes = trial.one_of<std::size_t>({1, 2, 3, 8, 10, 17, 100});
  const std::vector<float> logits = trial.values(rows * classes, trial.one_of({0.1, 3.0, 10.0}));
  std::vector<float> labels;
  double sum = 0;
  std::vector<Expected> gradient;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t label = trial.random().below(static_cast<std::uint32_t>(classes));
    labels.push_back(static_cast<float>(label));
    std::vector<double> row(logits.begin() + static_cast<std::ptrdiff_t>(r * classes),
                            logits.begin() + static_cast<std::ptrdiff_t>((r + 1) * classes));
    sum += cross_entropy(row, label);
    for (std::size_t c = 0; c < classes; ++c) {
      const double at = row[c];
      const auto of_logit = [&](double y) {
        row[c] = y;
        return cross_entropy(row, label);
      };
      const double g = slope(of_logit, at) / static_cast<double>(rows);
      row[c] = at;
      gradient.push_back({.value = g, .scale = 1 / static_cast<double>(rows)});
    }
  }
  const double mean = sum / static_cast<double>(rows);
  const compute::Floats loss_to = trial.fresh(1);
  const compute::Floats gradient_to = trial.fresh(rows * classes);
  trial.submit(compute::SoftmaxLoss{.rows = rows,
                                    .classes = classes,
                                    .logits = trial.put(logits),
                                    .labels = trial.put(labels),
                                    .gradient = gradient_to,
                                    .loss = loss_to});
  const Expected expected{.value = mean, .scale = mean + 1};
  trial.expect("loss", loss_to, {&expected, 1});
  trial.expect("gradient", gradient_to, gradient);
}

}  // namespace quadrille::test

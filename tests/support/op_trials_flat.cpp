// The op table's rows for flat runs of values: copies, optimizers, random numbers, gathers.
#include "support/op_trial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace quadrille::test {
namespace {

namespace hyper = compute::hyper;
using compute::OptimizerKind;

std::vector<Expected> exactly(std::span<const float> values) {
  std::vector<Expected> expected;
  for (const float value : values) expected.push_back({.value = static_cast<double>(value)});
  return expected;
}

// The state of an optimizer in double, and for each value the sizes of what it was made from.
struct OptimizerReference {
  std::array<double, hyper::count> hyper;
  std::vector<Expected> parameters, first, second;

  void step(OptimizerKind kind, std::span<const float> gradient) {
    const double rate = hyper[hyper::learning_rate], epsilon = hyper[hyper::epsilon];
    const double b1 = hyper[hyper::beta1], b2 = hyper[hyper::beta2];
    const double t = ++hyper[hyper::step];
    const double correction1 = 1 - std::pow(b1, t), correction2 = 1 - std::pow(b2, t);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      const auto g = static_cast<double>(gradient[i]);
      double change = rate * g;
      if (kind != OptimizerKind::Sgd) {
        second[i].value = b2 * second[i].value + (1 - b2) * g * g;
        second[i].scale = second[i].value;
      }
      if (kind == OptimizerKind::RmsProp)
        change = rate * g / (std::sqrt(second[i].value) + epsilon);
      if (kind == OptimizerKind::Adam) {
        first[i].value = b1 * first[i].value + (1 - b1) * g;
        first[i].scale = b1 * first[i].scale + (1 - b1) * std::abs(g);
        const double corrected = second[i].value / correction2;
        const double unit = rate / correction1 / (std::sqrt(corrected) + epsilon);
        change = unit * first[i].value;
        parameters[i].scale += unit * first[i].scale;
      }
      parameters[i].value -= change;
      parameters[i].scale += std::abs(parameters[i].value) + 2 * std::abs(change);
    }
  }
};

void try_optimizer(OpTrial& trial, OptimizerKind kind, int steps) {
  const std::size_t count = trial.count();
  const std::vector<float> parameters = trial.values(count), first = trial.values(count, 0.1);
  std::vector<float> second = trial.values(count, 0.1);
  for (float& v : second) v *= v;
  const float steps_before = trial.one_of({0.0F, 1.0F, 1000.0F});
  const std::vector<float> scalars = {trial.one_of({1e-4F, 0.01F}),
                                      trial.one_of({0.0F, 0.5F, 0.9F}),
                                      trial.one_of({0.9F, 0.999F}),
                                      1e-8F,
                                      steps_before,
                                      0,
                                      0,
                                      0};

  OptimizerReference reference{.hyper = {},
                               .parameters = exactly(parameters),
                               .first = exactly(first),
                               .second = exactly(second)};
  std::ranges::copy(scalars, reference.hyper.begin());
  for (Expected& m : reference.first) m.scale = std::abs(m.value);
  compute::OptimizerStep operation{.kind = kind,
                                   .parameters = trial.put(parameters),
                                   .gradient = {},
                                   .first = {},
                                   .second = {},
                                   .hyper = trial.put(scalars)};
  if (kind == OptimizerKind::Adam) operation.first = trial.put(first);
  if (kind != OptimizerKind::Sgd) operation.second = trial.put(second);
  for (int i = 0; i < steps; ++i) {
    const std::vector<float> gradient = trial.values(count, trial.one_of({1e-3, 1.0}));
    operation.gradient = trial.put(gradient);
    trial.submit(operation);
    reference.step(kind, gradient);
  }
  trial.expect("parameters", operation.parameters, reference.parameters);
  if (kind == OptimizerKind::Adam) trial.expect("first", operation.first, reference.first);
  if (kind != OptimizerKind::Sgd) trial.expect("second", operation.second, reference.second);
  const Expected steps_done{.value = static_cast<double>(steps_before) + steps};
  trial.expect("step", operation.hyper.part(hyper::step, 1), {&steps_done, 1});
}

// Box and Muller's pair from two words, as RandomNormal defines it.
std::array<Expected, 2> normal_pair(std::uint32_t radius_word, std::uint32_t angle_word) {
  const double u = (radius_word + 1.0) * 0x1p-32;
  const double radius = std::sqrt(-2 * std::log(u));
  const double angle = 2 * std::numbers::pi * angle_word * 0x1p-32;
  return {{{.value = radius * std::cos(angle), .scale = radius},
           {.value = radius * std::sin(angle), .scale = radius}}};
}

struct Stream {
  PhiloxKey key;
  std::uint64_t first_block;
};

// Often across the place where the block's index outgrows 32 bits.
Stream any_stream(OpTrial& trial) {
  return {.key = trial.random().next_u64(),
          .first_block =
              trial.one_of<std::uint64_t>({0, 7, 0xFFFFFFF0, trial.random().next_u64() >> 1})};
}

std::vector<std::uint32_t> any_rows(OpTrial& trial, std::size_t count, std::size_t row_count) {
  std::vector<std::uint32_t> rows(count);
  for (std::uint32_t& row : rows) row = trial.random().below(static_cast<std::uint32_t>(row_count));
  return rows;
}

}  // namespace

void try_copy(OpTrial& trial) {
  const std::vector<float> from = trial.values(trial.count());
  const compute::Floats to = trial.fresh(from.size());
  trial.submit(compute::Copy{.to = to, .from = trial.put(from)});
  trial.expect("to", to, exactly(from));
}

void try_fill(OpTrial& trial) {
  const std::vector<float> expected(trial.count(), trial.one_of({0.0F, -1.5F}));
  const compute::Floats to = trial.fresh(expected.size());
  trial.submit(compute::Fill{.to = to, .value = expected.front()});
  trial.expect("to", to, exactly(expected));
}

void try_sgd(OpTrial& trial) {
  try_optimizer(trial, OptimizerKind::Sgd, 2);
}
void try_rms_prop(OpTrial& trial) {
  try_optimizer(trial, OptimizerKind::RmsProp, 3);
}
void try_adam(OpTrial& trial) {
  try_optimizer(trial, OptimizerKind::Adam, 3);
}

void try_random_normal(OpTrial& trial) {
  const std::size_t count = trial.count();
  const auto [key, first_block] = any_stream(trial);
  std::vector<Expected> expected;
  for (std::uint64_t block = first_block; expected.size() < count; ++block) {
    const std::array<std::uint32_t, 4> words = philox(key, block);
    for (const Expected& value : normal_pair(words[0], words[1])) expected.push_back(value);
    for (const Expected& value : normal_pair(words[2], words[3])) expected.push_back(value);
  }
  expected.resize(count);
  const compute::Floats to = trial.fresh(count);
  trial.submit(compute::RandomNormal{.to = to, .key = key, .first_block = first_block});
  trial.expect("to", to, expected);
}

void try_random_uniform(OpTrial& trial) {
  const std::size_t count = trial.count();
  const auto [key, first_block] = any_stream(trial);
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < count; ++i)
    expected.push_back({.value = (philox(key, first_block + i / 4)[i % 4] >> 8) * 0x1p-24});
  const compute::Floats to = trial.fresh(count);
  trial.submit(compute::RandomUniform{.to = to, .key = key, .first_block = first_block});
  trial.expect("to", to, expected);
}

void try_gather_bytes(OpTrial& trial) {
  const std::size_t columns = trial.one_of<std::size_t>({1, 3, 17, 784});
  const std::size_t source_rows = trial.size();
  const float scale = 2.0F / 255, shift = -1;
  const std::vector<std::uint32_t> rows = any_rows(trial, trial.size(), source_rows);
  std::vector<std::uint8_t> source(source_rows * columns);
  for (std::uint8_t& value : source) value = static_cast<std::uint8_t>(trial.random().next_u32());
  std::vector<Expected> expected;
  for (const std::uint32_t row : rows)
    for (std::size_t c = 0; c < columns; ++c) {
      const double product = static_cast<double>(scale) * source[row * columns + c];
      expected.push_back({.value = product + static_cast<double>(shift), .scale = product + 1});
    }
  const compute::Floats to = trial.fresh(rows.size() * columns);
  trial.submit(
      compute::GatherBytes{.row_count = rows.size(),
                           .columns = columns,
                           .source = trial.arena().resident(std::span<const std::uint8_t>(source)),
                           .rows = trial.put_words(rows),
                           .scale = scale,
                           .shift = shift,
                           .to = to});
  trial.expect("to", to, expected);
}

void try_gather_floats(OpTrial& trial) {
  const std::size_t columns = trial.one_of<std::size_t>({1, 2, 17, 784});
  const std::size_t source_rows = trial.size();
  const std::vector<std::uint32_t> rows = any_rows(trial, trial.size(), source_rows);
  const std::vector<float> source = trial.values(source_rows * columns);
  std::vector<Expected> expected;
  for (const std::uint32_t row : rows)
    for (std::size_t c = 0; c < columns; ++c)
      expected.push_back({.value = static_cast<double>(source[row * columns + c])});
  const compute::Floats to = trial.fresh(rows.size() * columns);
  trial.submit(
      compute::GatherFloats{.row_count = rows.size(),
                            .columns = columns,
                            .source = trial.arena().resident(std::span<const float>(source)),
                            .rows = trial.put_words(rows),
                            .to = to});
  trial.expect("to", to, expected);
}

void try_axpby(OpTrial& trial) {
  const std::size_t count = trial.count();
  const float a = trial.one_of({0.0F, 1.0F, 0.3F}), b = trial.one_of({0.0F, 1.0F, -0.7F});
  const std::vector<float> x = trial.values(count);
  std::vector<float> before = trial.values(count);
  std::vector<Expected> expected;
  for (std::size_t i = 0; i < count; ++i) {
    const double ax = static_cast<double>(a) * static_cast<double>(x[i]);
    const double by = b == 0 ? 0 : static_cast<double>(b) * static_cast<double>(before[i]);
    expected.push_back({.value = ax + by, .scale = std::abs(ax) + std::abs(by)});
    if (b == 0) before[i] = NAN;  // not read
  }
  const compute::Floats to = trial.put(before);
  trial.submit(compute::Axpby{.a = a, .x = trial.put(x), .b = b, .to = to});
  trial.expect("to", to, expected);
}

void try_clip(OpTrial& trial) {
  std::vector<float> values = trial.values(trial.count());
  values.front() = trial.one_of({1.0F, NAN, INFINITY, -INFINITY});
  const float limit = trial.one_of({0.0F, 0.01F, 1.0F, 100.0F});
  std::vector<Expected> expected;
  for (const float value : values)
    expected.push_back({.value = static_cast<double>(std::clamp(value, -limit, limit))});
  const compute::Floats to = trial.put(values);
  trial.submit(compute::Clip{.values = to, .limit = limit});
  trial.expect("values", to, expected);
}

void try_sum_squares(OpTrial& trial) {
  std::vector<float> from = trial.values(trial.count(), trial.one_of({1e-3, 1.0, 1e12}));
  if (trial.random().below(4) == 0)
    from[trial.random().below(static_cast<std::uint32_t>(from.size()))] =
        trial.one_of({NAN, INFINITY, -INFINITY});
  double sum = 0;
  for (const float value : from) sum += static_cast<double>(value) * static_cast<double>(value);
  const compute::Floats to = trial.fresh(1);
  trial.submit(compute::SumSquares{.from = trial.put(from), .to = to});
  const Expected expected{.value = sum, .scale = sum};
  trial.expect("to", to, {&expected, 1});
}

}  // namespace quadrille::test

#include "support/op_table.hpp"

#include "support/op_trial.hpp"

#include <bit>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string_view>

namespace quadrille::test {
namespace {

constexpr double half_ulp = 0x1p-24;  // relative error of one rounded float operation
constexpr int trials_of_row = 40;
constexpr std::size_t failures_max = 20;  // a broken backend fails everywhere; these are enough

// The tolerance is relative to the scale that the row's reference states for each value.
struct OpRow {
  std::string_view name;
  double tolerance;
  std::string_view reason;
  void (*trial)(OpTrial&);
};

constexpr OpRow op_table[] = {
    {"Copy", 0, "bits are copied", try_copy},
    {"Fill", 0, "the value is given", try_fill},
    {"Gemm", half_ulp,
     "k roundings of the sum of |a b| at most (Higham 2002, 3.1); the scale counts k", try_gemm},
    {"BiasActivation", 4e-7, "3 ulp for tanh and the exponential; one more for the bias",
     try_bias_activation},
    {"ActivationGradient", 4e-7,
     "the output that tells the slope is itself rounded, and 1 - y^2 doubles that",
     try_activation_gradient},
    {"ColumnSum", half_ulp, "as Gemm: the scale counts the rows", try_column_sum},
    {"AdversarialLoss", 5e-7, "4 ulp for softplus and sigmoid of one logit; sums are in double",
     try_adversarial_loss},
    {"SoftmaxLoss", 1e-6, "exponentials of differences as large as 30, whose rounding they magnify",
     try_softmax_loss},
    {"OptimizerStep Sgd", 4 * half_ulp, "two operations a step, two steps", try_sgd},
    {"OptimizerStep RmsProp", 1e-6, "eight operations a step, three steps", try_rms_prop},
    {"OptimizerStep Adam", 1e-6, "twelve operations a step, three steps", try_adam},
    {"RandomNormal", 4e-7, "3 ulp each for the radius and the angle's sine", try_random_normal},
    {"RandomUniform", 0, "24 bits fit a float", try_random_uniform},
    {"GatherBytes", 2 * half_ulp, "one product, one sum", try_gather_bytes},
    {"GatherFloats", 0, "bits are copied", try_gather_floats},
    {"Axpby", 2 * half_ulp, "one product, one sum", try_axpby},
    {"Clip", 0, "one of two floats is chosen", try_clip},
    {"SumSquares", 2 * half_ulp, "summed in double, rounded once; a GPU adds floats pairwise",
     try_sum_squares},
};

}  // namespace

OpTableReport run_op_table(compute::Backend& backend, std::uint64_t seed) {
  OpTableReport report;
  for (const OpRow& row : op_table) {
    // A stream for each row: a row that is added or changed leaves the others' cases as they were.
    RandomStream random(stream_key(seed, row.name, 0));
    const std::unique_ptr<compute::Arena> arena = backend.make_arena();
    for (int i = 0; i < trials_of_row; ++i) {
      const std::string name = std::string(row.name) + ", trial " + std::to_string(i);
      OpTrial trial(backend, *arena, name, row.tolerance, random, report);
      row.trial(trial);
    }
  }
  return report;
}

std::size_t OpTrial::size() {
  return one_of<std::size_t>({1,  2,  3,  4,  5,  7,   8,   10,  15,  16,  17,  31,  32,
                              33, 48, 63, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257});
}

std::size_t OpTrial::count() {
  return one_of<std::size_t>({1,  2,   3,   5,    7,     15,    16,    17,    63,    64,
                              65, 100, 255, 1000, 16384, 16385, 40001, 65536, 65537, 150003});
}

std::vector<float> OpTrial::values(std::size_t count, double scale) {
  std::vector<float> result(count);
  const double unit = 0x1p-30 * scale;
  for (float& value : result)
    value = static_cast<float>(static_cast<std::int32_t>(random_.next_u32()) * unit);
  return result;
}

compute::Floats OpTrial::put(std::span<const float> values) {
  const compute::Floats to = arena_.floats(values.size());
  queue_->upload(to, values);
  return to;
}

compute::Words OpTrial::put_words(std::span<const std::uint32_t> values) {
  const compute::Words to = arena_.words(values.size());
  queue_->upload(to, values);
  return to;
}

void OpTrial::expect(const char* what, compute::ConstFloats actual,
                     std::span<const Expected> expected) {
  std::vector<float> values(actual.count());
  queue_->download(std::span(values), actual);
  queue_->synchronise();
  for (const float value : values)
    report_.output_bits.push_back(std::bit_cast<std::uint32_t>(value));
  if (values.size() != expected.size())
    return report_.failures.push_back(name_ + ": " + what + " has the wrong count");
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<double>(values[i]);
    const bool both_nan = std::isnan(value) && std::isnan(expected[i].value);
    const double error = std::abs(value - expected[i].value);
    // Written so that a NaN fails.
    const bool close = expected[i].value == value || error <= tolerance_ * expected[i].scale;
    if (!both_nan && !close) return fail(what, i, values[i], expected[i]);
  }
}

void OpTrial::fail(const char* what, std::size_t index, float actual, const Expected& expected) {
  if (report_.failures.size() >= failures_max) return;
  char text[200];
  std::snprintf(text, sizeof text, ": %s[%zu] is %.9g, expected %.9g +- %.2g", what, index,
                static_cast<double>(actual), expected.value, tolerance_ * expected.scale);
  report_.failures.push_back(name_ + text);
}

}  // namespace quadrille::test

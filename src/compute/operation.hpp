// Every operation a backend performs, as plain values. Layers, losses, optimizers and algorithms
// are written over these alone, once for all backends; a recorded step is a vector of them.
//
// All tensors are float32, row-major, dense: (rows, columns) unless said otherwise. An operand that
// is both read and written is named `values`; outputs are named `to`. What is written overlaps no
// other operand. `members` networks of one architecture run in one operation: member i's operand
// begins `stride` floats after member i-1's (a stride of 0 shares it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <variant>

#include "base/random.hpp"
#include "compute/device_span.hpp"

namespace quadrille::compute {

struct Copy {
  Floats to;
  ConstFloats from;  // same count
};

struct Fill {
  Floats to;
  float value;
};

// A matrix operand of Gemm: `leading` floats from one stored row to the next. `transposed` reads
// the stored matrix the other way round.
struct MatrixIn {
  ConstFloats values;
  std::size_t leading;
  bool transposed = false;
  std::size_t stride = 0;  // between members
};

struct MatrixOut {
  Floats values;
  std::size_t leading;
  std::size_t stride = 0;  // between members
};

// c = a b + beta c, with a: (m, k), b: (k, n), c: (m, n) after transposition. beta is 0 or 1; with
// 0 the old c is not read.
struct Gemm {
  std::size_t members = 1;
  std::size_t m, n, k;
  MatrixIn a;
  MatrixIn b;
  float beta = 0;
  MatrixOut c;
};

enum class Activation : std::uint8_t { Identity, LeakyRelu, Relu, Tanh, Sigmoid };

inline constexpr float leaky_relu_slope = 0.2F;

// values = act(values + bias), values: (members, rows, columns), bias: (columns) for each member.
// An empty bias is none.
struct BiasActivation {
  std::size_t members = 1;
  std::size_t rows, columns;
  Floats values;
  ConstFloats bias;
  std::size_t bias_stride = 0;
  Activation activation;
};

// gradient *= act'(x), told from output = act(x): all five activations allow that.
struct ActivationGradient {
  Activation activation;
  ConstFloats output;
  Floats gradient;  // same count
};

// to[c] = sum over rows of from[r, c] + beta * to[c]: the gradient of a bias.
struct ColumnSum {
  std::size_t rows, columns;
  ConstFloats from;
  float beta = 0;  // 0 or 1
  Floats to;
};

// What the discriminator's raw output (logit) is made into. s is the sigmoid, y the logit,
// D = s(y); a = 0, b = c = 1 in LeastSquares.
//   kind          discriminator, real   discriminator, fake   generator
//   Bce           -log D                -log(1 - D)           -log D           non-saturating
//   LeastSquares  1/2 (y - 1)^2         1/2 y^2               1/2 (y - 1)^2    Mao et al. 2017
//   Heuristic     -log D                -log(1 - D)           -1/2 log D       Mustangs, 2019
//   Wasserstein   -y                    y                     -y               Arjovsky et al. 2017
//   Hinge         max(0, 1 - y)         max(0, 1 + y)         -y               Lim and Ye 2017
enum class LossKind : std::uint8_t { Bce, LeastSquares, Heuristic, Wasserstein, Hinge };
inline constexpr std::size_t loss_kind_count = 5;
enum class LossSide : std::uint8_t { DiscriminatorReal, DiscriminatorFake, Generator };

// loss[0] = mean of the loss over the logits + beta * loss[0]; gradient[i] = d(mean)/d(logits[i]).
// An empty gradient is not computed.
struct AdversarialLoss {
  LossKind kind;
  LossSide side;
  ConstFloats logits;
  Floats gradient;
  float beta = 0;  // 0 or 1
  Floats loss;     // one float
};

// Cross entropy of softmax(logits), logits: (rows, classes); labels[r] is a class index stored as a
// float. loss[0] = mean over rows; gradient: (rows, classes).
struct SoftmaxLoss {
  std::size_t rows, classes;
  ConstFloats logits;
  ConstFloats labels;
  Floats gradient;
  Floats loss;  // one float
};

enum class OptimizerKind : std::uint8_t { Sgd, RmsProp, Adam };

// Places in OptimizerStep::hyper. They live in device
// memory so that a recorded step can be replayed.
namespace hyper {
inline constexpr std::size_t learning_rate = 0;
inline constexpr std::size_t beta1 = 1;  // Adam's first decay; unused by the others
inline constexpr std::size_t beta2 = 2;  // Adam's second decay; RMSprop's only one (alpha)
inline constexpr std::size_t epsilon = 3;
inline constexpr std::size_t step = 4;  // steps done so far; the operation adds one
inline constexpr std::size_t count = 8;
}  // namespace hyper

// One fused pass over a flat network. Formulas as PyTorch states them:
//   Sgd      p -= lr g
//   RmsProp  v = a v + (1-a) g^2;  p -= lr g / (sqrt(v) + eps)
//   Adam     m = b1 m + (1-b1) g;  v = b2 v + (1-b2) g^2;
//            p -= lr (m / (1-b1^t)) / (sqrt(v / (1-b2^t)) + eps)              (Kingma and Ba 2015)
// first and second may be empty where the kind does not use them. A step whose count in `hyper`
// passed 2^24 stays there: the bias corrections are 1 long before.
struct OptimizerStep {
  OptimizerKind kind;
  Floats parameters;
  ConstFloats gradient;  // same count
  Floats first;          // Adam's m
  Floats second;         // Adam's and RMSprop's v
  Floats hyper;          // hyper::count floats
};

// to[i] ~ N(0, 1) from words of the Philox stream `key`: normals 2j and 2j+1 are made from words 2j
// and 2j+1 of block `first_block` on (Box and Muller 1958): r cos(a) and r sin(a) with
// r = sqrt(-2 log((w0 + 1) / 2^32)) and a = 2 pi w1 / 2^32. One block gives four.
struct RandomNormal {
  Floats to;
  PhiloxKey key;
  std::uint64_t first_block;
};

// to[i] ~ U[0, 1), 24 bits, one word each, from block `first_block` on.
struct RandomUniform {
  Floats to;
  PhiloxKey key;
  std::uint64_t first_block;
};

inline constexpr std::size_t normals_per_block = 4;

// to[r, c] = source[rows[r], c] * scale + shift: a mini-batch of a data set kept as bytes.
struct GatherBytes {
  std::size_t row_count, columns;
  DeviceBytes source;
  ConstWords rows;  // row_count of them, each below source.count() / columns
  float scale;
  float shift;
  Floats to;
};

// The same for a data set kept as floats.
struct GatherFloats {
  std::size_t row_count, columns;
  ConstFloats source;
  ConstWords rows;
  Floats to;
};

// to = a x + b to. With b = 0 the old values are not read, as in BLAS.
struct Axpby {
  float a;
  ConstFloats x;
  float b;
  Floats to;
};

// values = min(max(values, -limit), limit): weight clipping of a Wasserstein critic.
struct Clip {
  Floats values;
  float limit;
};

// to[0] = sum of squares. NaN and infinity reach it,
// so that one float tells whether all are finite.
struct SumSquares {
  ConstFloats from;
  Floats to;  // one float
};

using Operation = std::variant<Copy, Fill, Gemm, BiasActivation, ActivationGradient, ColumnSum,
                               AdversarialLoss, SoftmaxLoss, OptimizerStep, RandomNormal,
                               RandomUniform, GatherBytes, GatherFloats, Axpby, Clip, SumSquares>;

// CHECKs that every operand has the extent that the
// operation will touch. Every backend's submit calls it.
void check_extents(const Operation& operation);

}  // namespace quadrille::compute

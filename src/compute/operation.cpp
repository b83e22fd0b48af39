// The extents of every operation's operands. What an operation reads from device memory (rows to
// gather, labels) cannot be seen here; the backend checks it where it reads it.
#include "compute/operation.hpp"

#include <cstdint>
#include <limits>

namespace quadrille::compute {
namespace {

std::size_t product(std::size_t a, std::size_t b) {
  CHECK(b == 0 || a <= std::numeric_limits<std::size_t>::max() / b, a, b);
  return a * b;
}

std::size_t sum(std::size_t a, std::size_t b) {
  CHECK(a <= std::numeric_limits<std::size_t>::max() - b, a, b);
  return a + b;
}

template <class T, class U>
bool overlap(DeviceSpan<T> a, DeviceSpan<U> b) {
  const auto begin_a = reinterpret_cast<std::uintptr_t>(a.address());
  const auto begin_b = reinterpret_cast<std::uintptr_t>(b.address());
  return !a.empty() && !b.empty() && begin_a < begin_b + b.count() * sizeof(U) &&
         begin_b < begin_a + a.count() * sizeof(T);
}

// Whether no two of the spans share memory.
template <class First, class Second, class... Rest>
bool apart(First first, Second second, Rest... rest) {
  if (overlap(first, second) || (overlap(first, rest) || ...)) return false;
  if constexpr (sizeof...(rest) > 0) return apart(second, rest...);
  return true;
}

struct StoredMatrix {
  std::size_t rows, columns, leading;

  std::size_t extent() const {
    CHECK(leading >= columns, leading, columns);
    return rows == 0 || columns == 0 ? 0 : sum(product(rows - 1, leading), columns);
  }
};

StoredMatrix stored(std::size_t rows, std::size_t columns, const MatrixIn& in) {
  return in.transposed ? StoredMatrix{columns, rows, in.leading}
                       : StoredMatrix{rows, columns, in.leading};
}

void check_beta(float beta) {
  CHECK(beta == 0 || beta == 1, beta);
}

struct Check {
  void operator()(const Copy& o) const {
    CHECK(o.to.count() == o.from.count(), o.to.count(), o.from.count());
    CHECK(!overlap(o.to, o.from));
  }

  void operator()(const Fill&) const {}

  void operator()(const Gemm& o) const {
    CHECK(o.members >= 1, o.members);
    check_beta(o.beta);
    const std::size_t a = stored(o.m, o.k, o.a).extent();
    const std::size_t b = stored(o.k, o.n, o.b).extent();
    const std::size_t c = StoredMatrix{o.m, o.n, o.c.leading}.extent();
    CHECK(sum(product(o.members - 1, o.a.stride), a) <= o.a.values.count(), o.m, o.k, o.members);
    CHECK(sum(product(o.members - 1, o.b.stride), b) <= o.b.values.count(), o.k, o.n, o.members);
    CHECK(sum(product(o.members - 1, o.c.stride), c) <= o.c.values.count(), o.m, o.n, o.members);
    CHECK(o.members == 1 || o.c.stride >= c, o.c.stride, c);
    CHECK(!overlap(o.c.values, o.a.values) && !overlap(o.c.values, o.b.values));
  }

  void operator()(const BiasActivation& o) const {
    CHECK(o.members >= 1, o.members);
    const std::size_t touched = product(o.members, product(o.rows, o.columns));
    CHECK(touched <= o.values.count(), touched, o.values.count());
    if (o.bias.empty()) return;
    const std::size_t bias = sum(product(o.members - 1, o.bias_stride), o.columns);
    CHECK(bias <= o.bias.count(), bias, o.bias.count());
    CHECK(!overlap(o.values, o.bias));
  }

  void operator()(const ActivationGradient& o) const {
    CHECK(o.output.count() == o.gradient.count(), o.output.count(), o.gradient.count());
    CHECK(!overlap(o.gradient, o.output));
  }

  void operator()(const ColumnSum& o) const {
    check_beta(o.beta);
    CHECK(product(o.rows, o.columns) <= o.from.count(), o.rows, o.columns, o.from.count());
    CHECK(o.columns <= o.to.count(), o.columns, o.to.count());
    CHECK(!overlap(o.to, o.from));
  }

  void operator()(const AdversarialLoss& o) const {
    check_beta(o.beta);
    CHECK(!o.logits.empty());
    CHECK(o.loss.count() == 1, o.loss.count());
    CHECK(o.gradient.empty() || o.gradient.count() == o.logits.count(), o.gradient.count(),
          o.logits.count());
    CHECK(apart(o.gradient, o.loss, o.logits));
  }

  void operator()(const SoftmaxLoss& o) const {
    CHECK(o.rows >= 1 && o.classes >= 1, o.rows, o.classes);
    const std::size_t touched = product(o.rows, o.classes);
    CHECK(touched <= o.logits.count(), touched, o.logits.count());
    CHECK(o.rows <= o.labels.count(), o.rows, o.labels.count());
    CHECK(o.gradient.empty() || touched <= o.gradient.count(), touched, o.gradient.count());
    CHECK(o.loss.count() == 1, o.loss.count());
    CHECK(apart(o.gradient, o.loss, o.logits));
    CHECK(apart(o.gradient, o.loss, o.labels));
  }

  void operator()(const OptimizerStep& o) const {
    const std::size_t count = o.parameters.count();
    CHECK(o.gradient.count() == count, o.gradient.count(), count);
    CHECK(o.hyper.count() == hyper::count, o.hyper.count());
    if (o.kind == OptimizerKind::Adam) CHECK(o.first.count() == count, o.first.count(), count);
    if (o.kind != OptimizerKind::Sgd) CHECK(o.second.count() == count, o.second.count(), count);
    CHECK(apart(o.parameters, o.gradient, o.first, o.second, o.hyper));
  }

  void operator()(const RandomNormal&) const {}
  void operator()(const RandomUniform&) const {}

  void operator()(const GatherBytes& o) const { check_gather(o); }
  void operator()(const GatherFloats& o) const { check_gather(o); }

  void operator()(const Axpby& o) const {
    CHECK(o.x.count() == o.to.count(), o.x.count(), o.to.count());
    CHECK(!overlap(o.to, o.x));
  }

  void operator()(const Clip& o) const { CHECK(o.limit >= 0, o.limit); }

  void operator()(const SumSquares& o) const {
    CHECK(o.to.count() == 1, o.to.count());
    CHECK(!overlap(o.to, o.from));
  }

 private:
  template <class Gather>
  static void check_gather(const Gather& o) {
    CHECK(o.columns >= 1, o.columns);
    CHECK(o.row_count <= o.rows.count(), o.row_count, o.rows.count());
    const std::size_t touched = product(o.row_count, o.columns);
    CHECK(touched <= o.to.count(), touched, o.to.count());
    CHECK(!overlap(o.to, o.source) && !overlap(o.to, o.rows));
  }
};

}  // namespace

void check_extents(const Operation& operation) {
  std::visit(Check{}, operation);
}

}  // namespace quadrille::compute

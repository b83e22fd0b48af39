#include "support/operands.hpp"

#include <functional>
#include <variant>

namespace quadrille::test {
namespace {

using namespace compute;

// One overload for each operation: a new one does not compile before it is listed here.
class Lister {
 public:
  explicit Lister(std::vector<Operand>& list) : list_(list) {}

  void operator()(const Copy& o) { reads(o.from), writes(o.to); }
  void operator()(const Fill& o) { writes(o.to); }
  void operator()(const Gemm& o) { reads(o.a.values), reads(o.b.values), writes(o.c.values); }
  void operator()(const BiasActivation& o) { reads(o.bias), writes(o.values); }
  void operator()(const ActivationGradient& o) { reads(o.output), writes(o.gradient); }
  void operator()(const ColumnSum& o) { reads(o.from), writes(o.to); }
  void operator()(const AdversarialLoss& o) { reads(o.logits), writes(o.gradient), writes(o.loss); }
  void operator()(const SoftmaxLoss& o) {
    reads(o.logits), reads(o.labels), writes(o.gradient), writes(o.loss);
  }
  void operator()(const OptimizerStep& o) {
    reads(o.gradient), writes(o.parameters), writes(o.first), writes(o.second), writes(o.hyper);
  }
  void operator()(const RandomNormal& o) { writes(o.to); }
  void operator()(const RandomUniform& o) { writes(o.to); }
  void operator()(const GatherBytes& o) { reads(o.source), reads(o.rows), writes(o.to); }
  void operator()(const GatherFloats& o) { reads(o.source), reads(o.rows), writes(o.to); }
  void operator()(const Axpby& o) { reads(o.x), writes(o.to); }
  void operator()(const Clip& o) { writes(o.values); }
  void operator()(const SumSquares& o) { reads(o.from), writes(o.to); }

 private:
  template <class T>
  void reads(DeviceSpan<T> span) {
    add(span, false);
  }
  template <class T>
  void writes(DeviceSpan<T> span) {
    add(span, true);
  }
  template <class T>
  void add(DeviceSpan<T> span, bool written) {
    if (!span.empty()) list_.push_back({span.address(), span.count() * sizeof(T), written});
  }

  std::vector<Operand>& list_;
};

}  // namespace

bool Operand::overlaps(const Operand& other) const {
  const auto* const mine = static_cast<const std::byte*>(begin);
  const auto* const theirs = static_cast<const std::byte*>(other.begin);
  return std::less<>()(mine, theirs + other.bytes) && std::less<>()(theirs, mine + bytes);
}

std::vector<Operand> operands(const Operation& operation) {
  std::vector<Operand> list;
  std::visit(Lister(list), operation);
  return list;
}

bool any_writes(const std::vector<Operation>& record, ConstFloats span) {
  const Operand watched{span.address(), span.count() * sizeof(float), false};
  for (const Operation& operation : record)
    for (const Operand& operand : operands(operation))
      if (operand.written && operand.overlaps(watched)) return true;
  return false;
}

}  // namespace quadrille::test

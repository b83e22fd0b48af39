// One visitor of several lambdas: std::visit(Overloaded{[](A) {...}, [](B) {...}}, variant).
#pragma once

namespace quadrille {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

}  // namespace quadrille

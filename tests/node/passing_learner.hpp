// A learner that passes everything on to another one: the base of those that look at, or change,
// what passes between a learner and its driver.
#pragma once

#include <span>
#include <vector>

#include "peer/learner.hpp"

namespace quadrille::testing {

class PassingLearner : public peer::Learner {
 public:
  explicit PassingLearner(peer::Learner& inner) : inner_(inner) {}

  std::span<const peer::Section> sections() const override { return inner_.sections(); }
  std::vector<CellIndex> neighbours(CellIndex cell) const override {
    return inner_.neighbours(cell);
  }
  Result<void> start(CellIndex cell, const peer::Origin& origin) override {
    return inner_.start(cell, origin);
  }
  void release(CellIndex cell) override { inner_.release(cell); }
  void advance(std::span<const peer::CellInput> cells, peer::Quantum quantum,
               std::vector<peer::Action>& actions) override {
    inner_.advance(cells, quantum, actions);
  }
  peer::CellState save(CellIndex cell) const override { return inner_.save(cell); }
  std::vector<float> samples(CellIndex cell, std::size_t count) override {
    return inner_.samples(cell, count);
  }

 private:
  peer::Learner& inner_;
};

}  // namespace quadrille::testing

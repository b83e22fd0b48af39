// Learners of a few lines, each with the traffic of an algorithm. What a cell was advanced with
// stands in the log: "0@3.0 3@3.0" is round 3 of cells 0 and 3.
#pragma once

#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "peer/learner.hpp"

namespace quadrille::peer::test {

using Log = std::map<CellIndex, std::vector<std::string>>;
using Neighbours = std::function<std::vector<CellIndex>(CellIndex)>;

inline Neighbours complete(std::uint32_t cells) {
  return [cells](CellIndex cell) {
    std::vector<CellIndex> others;
    for (std::uint32_t other = 0; other < cells; ++other)
      if (other != cell.value) others.push_back({other});
    return others;
  };
}

// West and north of the 2x2 torus are east and south as well.
inline Neighbours torus2x2() {
  return
      [](CellIndex cell) { return std::vector<CellIndex>{{cell.value ^ 1U}, {cell.value ^ 2U}}; };
}

// Each reads the one before it.
inline Neighbours ring(std::uint32_t cells) {
  return [cells](CellIndex cell) {
    return std::vector<CellIndex>{{(cell.value + cells - 1) % cells}};
  };
}

class ToyLearner : public Learner {
 public:
  ToyLearner(Neighbours neighbours, Log& log) : neighbours_(std::move(neighbours)), log_(log) {}

  std::span<const Section> sections() const override { return sections_; }
  std::vector<CellIndex> neighbours(CellIndex cell) const override { return neighbours_(cell); }
  Result<void> start(CellIndex cell, const Origin& origin) override {
    Cell& begun = cells_[cell] = {};
    begun.value = first_value(cell);
    if (const auto* adopted = std::get_if<Adopted>(&origin)) begun.round = adopted->jump_to.index;
    return {};
  }
  void release(CellIndex cell) override { cells_.erase(cell); }
  void advance(std::span<const CellInput> cells, Quantum, std::vector<Action>& actions) override {
    for (const CellInput& input : cells) {
      note(input);
      step(cells_.at(input.cell), input, actions);
    }
  }
  CellState save(CellIndex) const override { return {}; }
  std::vector<float> samples(CellIndex, std::size_t) override { return {}; }

  std::uint64_t round_of(CellIndex cell) const { return cells_.at(cell).round; }
  float value_of(CellIndex cell) const { return cells_.at(cell).value; }
  static float first_value(CellIndex cell) { return 1.0F + static_cast<float>(cell.value); }

 protected:
  struct Cell {
    std::uint64_t round = 0;
    std::uint32_t subround = 0;
    bool begun = false;
    float value = 0;
    std::vector<float> values;
  };
  virtual void step(Cell& cell, const CellInput& input, std::vector<Action>& actions) = 0;

  void publish(Cell& cell, CellIndex index, std::vector<Action>& actions) {
    actions.emplace_back(Publish{.cell = index,
                                 .round = {cell.round, cell.subround},
                                 .values = {&cell.value, 1},
                                 .exact = {}});
  }
  Need need_of(CellIndex cell, Round round) const {
    Need need{.cell = cell, .snapshots = {}, .chunks = {}};
    for (const CellIndex source : neighbours_(cell)) need.snapshots.push_back({source, round});
    return need;
  }

 private:
  void note(const CellInput& input) {
    if (!cells_.at(input.cell).begun) return;
    if (input.snapshots.empty() && input.chunks.empty() && !input.deadline_passed) return;
    std::ostringstream line;
    for (const SnapshotView& view : input.snapshots) {
      line << view.cell << '@' << view.round << ' ';
      if (view.heard) line << "heard " << *view.heard << ' ';
    }
    for (const ChunkView& chunk : input.chunks)
      line << "chunk " << chunk.from << '@' << chunk.round << ' ';
    if (input.deadline_passed) line << "late ";
    std::string text = line.str();
    text.pop_back();
    log_[input.cell].push_back(std::move(text));
  }

  Neighbours neighbours_;
  Log& log_;
  std::vector<Section> sections_ = {{"toy", 1}};
  std::map<CellIndex, Cell> cells_;
};

// Lipizzaner: a generation is trained from whatever is newest, or from the same of every neighbour.
class GenerationLearner : public ToyLearner {
 public:
  GenerationLearner(Neighbours neighbours, Log& log, bool synchronous, std::uint64_t rounds,
                    std::optional<Duration> patience = {})
      : ToyLearner(std::move(neighbours), log),
        synchronous_(synchronous),
        rounds_(rounds),
        patience_(patience) {}

 private:
  void step(Cell& cell, const CellInput& input, std::vector<Action>& actions) override {
    if (std::exchange(cell.begun, true)) {
      ++cell.round;
      for (const SnapshotView& view : input.snapshots) cell.value += 0.125F * view.values[0];
    }
    publish(cell, input.cell, actions);
    if (cell.round == rounds_) {
      actions.emplace_back(Done{input.cell});
    } else if (synchronous_) {
      Need need = need_of(input.cell, {cell.round});
      need.patience = patience_;
      actions.emplace_back(std::move(need));
    } else {
      actions.emplace_back(Need{.cell = input.cell, .newest = true, .snapshots = {}, .chunks = {}});
    }
  }

  bool synchronous_;
  std::uint64_t rounds_;
  std::optional<Duration> patience_;
};

// DPOSG: an iteration is a gradient step and some mixing rounds with equal weights. While the first
// of them travels, the next gradient is computed: the learner pauses after that publication.
class MixingLearner : public ToyLearner {
 public:
  MixingLearner(Neighbours neighbours, Log& log, std::uint32_t mixing_rounds, std::uint64_t rounds)
      : ToyLearner(std::move(neighbours), log), mixing_rounds_(mixing_rounds), rounds_(rounds) {}

  int overlaps = 0;

 private:
  void step(Cell& cell, const CellInput& input, std::vector<Action>& actions) override {
    if (!std::exchange(cell.begun, true)) return publish(cell, input.cell, actions);
    if (cell.subround == 0 && input.snapshots.empty()) {
      ++overlaps;
      actions.emplace_back(need_of(input.cell, {cell.round, cell.subround}));
      return;
    }
    float sum = cell.value;
    for (const SnapshotView& view : input.snapshots) sum += view.values[0];
    cell.value = sum / static_cast<float>(1 + input.snapshots.size());
    if (++cell.subround == mixing_rounds_) {
      cell.subround = 0;
      if (++cell.round == rounds_) {
        actions.emplace_back(Done{input.cell});
        return;
      }
    }
    publish(cell, input.cell, actions);
    if (cell.subround > 0) actions.emplace_back(need_of(input.cell, {cell.round, cell.subround}));
  }

  std::uint32_t mixing_rounds_;
  std::uint64_t rounds_;
};

// A ring all-reduce (Patarasuk, Yuan 2009): every cell has a vector of as many floats as there are
// cells; n - 1 steps sum them up, n - 1 more hand the sums round.
class AllReduceLearner : public ToyLearner {
 public:
  AllReduceLearner(std::uint32_t cells, Log& log) : ToyLearner(ring(cells), log), cells_(cells) {}

  std::map<CellIndex, std::vector<float>> results;

 private:
  void step(Cell& cell, const CellInput& input, std::vector<Action>& actions) override {
    const std::uint32_t own = input.cell.value;
    if (!std::exchange(cell.begun, true)) {
      for (std::uint32_t i = 0; i < cells_; ++i)
        cell.values.push_back(cell.value * static_cast<float>(i + 1));
      send(cell, own, actions);
    }
    // What came early is given once, and is the learner's to keep.
    for (const ChunkView& chunk : input.chunks)
      std::memcpy(&early_[{own, chunk.round.index}], chunk.payload.data(), sizeof(float));
    while (early_.contains({own, cell.round})) {
      const float received = early_.at({own, cell.round});
      float& part = cell.values[part_at(own, cell.round)];
      part = cell.round < cells_ - 1 ? part + received : received;
      if (++cell.round == last_step()) {
        results[input.cell] = cell.values;
        actions.emplace_back(Done{input.cell});
        return;
      }
      send(cell, own, actions);
    }
    const CellIndex before{(own + cells_ - 1) % cells_};
    actions.emplace_back(Need{.cell = input.cell,
                              .snapshots = {},
                              .chunks = {{.source = before, .round = {cell.round}}}});
  }
  void send(const Cell& cell, std::uint32_t own, std::vector<Action>& actions) const {
    const float sent = cell.values[part_at(own + 1, cell.round)];
    ByteBuffer payload(sizeof sent);
    std::memcpy(payload.data(), &sent, sizeof sent);
    actions.emplace_back(Send{.from = {own},
                              .to = {(own + 1) % cells_},
                              .round = {cell.round},
                              .payload = std::move(payload)});
  }
  std::uint64_t last_step() const { return 2 * (cells_ - 1); }
  // Which part a cell receives in a step: the cell before it sends what it summed last.
  std::uint32_t part_at(std::uint32_t cell, std::uint64_t step) const {
    return static_cast<std::uint32_t>((cell + 2 * cells_ - 1 - step) % cells_);
  }

  std::uint32_t cells_;
  std::map<std::pair<std::uint32_t, std::uint64_t>, float> early_;  // by cell and step
};

}  // namespace quadrille::peer::test

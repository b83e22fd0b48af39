// Small learners that pin the contract of peer/learner.hpp for algorithms yet to come: each does
// real arithmetic of the algorithm's shape, and nothing else.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/check.hpp"
#include "peer/learner.hpp"

namespace quadrille::testing {

// What every toy shares: one vector per cell on a ring of `cell_count` cells.
class ToyLearner : public peer::Learner {
 public:
  ToyLearner(std::uint32_t cell_count, std::size_t float_count)
      : cell_count_(cell_count), sections_{{"vector", float_count}} {}

  std::span<const peer::Section> sections() const override { return sections_; }
  std::vector<CellIndex> neighbours(CellIndex cell) const override {
    return {left_of(cell), right_of(cell)};
  }
  void release(CellIndex cell) override { vectors_.erase(cell); }
  peer::CellState save(CellIndex) const override { return {}; }
  std::vector<float> samples(CellIndex, std::size_t) override { return {}; }

  Result<void> start(CellIndex cell, const peer::Origin&) override {
    std::vector<float>& vector = vectors_[cell];
    for (std::size_t i = 0; i < sections_[0].float_count; ++i)
      vector.push_back(static_cast<float>(cell.value * 10 + i));
    return {};
  }

  std::vector<float>& vector(CellIndex cell) { return vectors_.at(cell); }

 protected:
  CellIndex left_of(CellIndex cell) const { return {(cell.value + cell_count_ - 1) % cell_count_}; }
  CellIndex right_of(CellIndex cell) const { return {(cell.value + 1) % cell_count_}; }

  std::uint32_t cell_count_;
  std::vector<peer::Section> sections_;
  std::map<CellIndex, std::vector<float>> vectors_;
};

// The shape of DPOSG: `mixing_rounds` rounds of x = W x with the two ring neighbours (weights 1/2,
// 1/4, 1/4), the first round's exchange hidden behind the gradient, then x -= step * gradient (here
// a constant).
class MixingLearner final : public ToyLearner {
 public:
  struct Settings {
    std::uint32_t mixing_rounds = 3;
    std::uint64_t iterations = 2;
    float step = 0;
    std::optional<Duration> patience{};
  };

  MixingLearner(std::uint32_t cell_count, std::size_t float_count, Settings settings)
      : ToyLearner(cell_count, float_count), settings_(settings) {}

  void advance(std::span<const peer::CellInput> cells, peer::Quantum,
               std::vector<peer::Action>& actions) override {
    for (const peer::CellInput& input : cells) advance_cell(input, actions);
  }

  std::uint64_t missed_edges() const { return missed_edges_; }

 private:
  enum class Phase { Publish, Gradient, Mix };
  struct Progress {
    Phase phase = Phase::Publish;
    Round round;
  };

  void advance_cell(const peer::CellInput& input, std::vector<peer::Action>& actions) {
    Progress& progress = progress_[input.cell];
    if (progress.phase == Phase::Publish) {
      actions.emplace_back(peer::Publish{input.cell, progress.round, vector(input.cell), {}});
      progress.phase = Phase::Gradient;  // no Need: the publication travels while we compute
    } else if (progress.phase == Phase::Gradient) {
      gradient_[input.cell] = settings_.step;
      progress.phase = Phase::Mix;
      actions.emplace_back(need(input.cell, progress.round));
    } else {
      mix(input);
      ++progress.round.subround;
      finish_round(input.cell, progress, actions);
    }
  }

  void finish_round(CellIndex cell, Progress& progress, std::vector<peer::Action>& actions) {
    if (progress.round.subround < settings_.mixing_rounds) {
      actions.emplace_back(peer::Publish{cell, progress.round, vector(cell), {}});
      actions.emplace_back(need(cell, progress.round));
      return;
    }
    for (float& value : vector(cell)) value -= gradient_[cell];
    progress = {.phase = Phase::Publish,
                .round = {.index = progress.round.index + 1, .subround = 0}};
    actions.emplace_back(
        peer::Status{.cell = cell, .round = progress.round, .score = {}, .measures = {}});
    if (progress.round.index == settings_.iterations) actions.emplace_back(peer::Done{cell});
  }

  peer::Need need(CellIndex cell, Round round) const {
    return {.cell = cell,
            .snapshots = {{left_of(cell), round}, {right_of(cell), round}},
            .chunks = {},
            .patience = settings_.patience};
  }

  void mix(const peer::CellInput& input) {
    missed_edges_ += 2 - input.snapshots.size();
    std::vector<float>& mine = vector(input.cell);
    const std::vector<float> before = mine;
    for (const peer::SnapshotView& snapshot : input.snapshots)
      for (std::size_t i = 0; i < mine.size(); ++i)
        mine[i] += 0.25F * (snapshot.values[i] - before[i]);
  }

  Settings settings_;
  std::map<CellIndex, Progress> progress_;
  std::map<CellIndex, float> gradient_;
  std::uint64_t missed_edges_ = 0;
};

// A ring all-reduce (sum) with directed chunks: n-1 steps of reduce-scatter, n-1 of all-gather.
// Cell i sends chunk i - step to its right neighbour and receives the one before from its left.
class AllReduceLearner final : public ToyLearner {
 public:
  explicit AllReduceLearner(std::uint32_t cell_count) : ToyLearner(cell_count, cell_count) {}

  void advance(std::span<const peer::CellInput> cells, peer::Quantum,
               std::vector<peer::Action>& actions) override {
    for (const peer::CellInput& input : cells) {
      std::uint32_t& step = steps_[input.cell];
      if (step > 0) receive(input, step - 1);
      if (step == 2 * (cell_count_ - 1)) {
        actions.emplace_back(peer::Done{input.cell});
        continue;
      }
      const Round round{.index = step, .subround = 0};
      actions.emplace_back(
          peer::Send{input.cell, right_of(input.cell), round, chunk(input.cell, step)});
      actions.emplace_back(peer::Need{
          .cell = input.cell, .snapshots = {}, .chunks = {{left_of(input.cell), round}}});
      ++step;
    }
  }

 private:
  // Which float the cell sends in a step; the vector has one chunk of one float per cell.
  std::uint32_t position(CellIndex cell, std::uint32_t step) const {
    return (cell.value + 2 * cell_count_ - step) % cell_count_;
  }

  ByteBuffer chunk(CellIndex cell, std::uint32_t step) {
    const float value = vector(cell)[position(cell, step)];
    const Bytes bytes = bytes_of(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
  }

  void receive(const peer::CellInput& input, std::uint32_t step) {
    CHECK(input.chunks.size() == 1, input.chunks.size());
    float value = 0;
    std::copy(input.chunks[0].payload.begin(), input.chunks[0].payload.end(),
              std::as_writable_bytes(std::span(&value, 1)).begin());
    float& mine = vector(input.cell)[position(left_of(input.cell), step)];
    mine = step < cell_count_ - 1 ? mine + value : value;
  }

  std::map<CellIndex, std::uint32_t> steps_;
};

}  // namespace quadrille::testing

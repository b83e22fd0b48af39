// A learner whose cells add to every float, once a round, a part of what each neighbour's snapshot
// begins with; and that fails or throws when it is told to.
#pragma once

#include <map>
#include <new>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "base/check.hpp"
#include "peer/learner.hpp"

namespace quadrille::test {

class ScriptedLearner final : public peer::Learner {
 public:
  static constexpr std::size_t float_count = 600;  // more than two blocks of the codec

  // All cells read all others of these.
  explicit ScriptedLearner(std::vector<CellIndex> grid) : grid_(std::move(grid)) {}

  std::span<const peer::Section> sections() const override { return sections_; }
  std::vector<CellIndex> neighbours(CellIndex cell) const override {
    std::vector<CellIndex> others = grid_;
    std::erase(others, cell);
    return others;
  }

  Result<void> start(CellIndex index, const peer::Origin& origin) override {
    CHECK(!cells_.contains(index), index);
    Cell cell;
    for (std::size_t i = 0; i < float_count; ++i)
      cell.values.push_back(0.01F * static_cast<float>(i % 37) - 0.1F +
                            static_cast<float>(index.value));
    if (const auto* restored = std::get_if<peer::Restored>(&origin)) {
      if (restored->state.tensors.size() != 1 ||
          restored->state.tensors.front().values.size() != float_count)
        return failure(ErrorCode::Mismatch, "a state of another size");
      cell = {.round = restored->state.round.index,
              .values = restored->state.tensors.front().values,
              .says_first = Says::Need};
    }
    if (const auto* adopted = std::get_if<peer::Adopted>(&origin))
      cell = {.round = adopted->jump_to.index,
              .values = {adopted->newest.values.begin(), adopted->newest.values.end()}};
    cells_.emplace(index, std::move(cell));
    return {};
  }
  void release(CellIndex cell) override { CHECK(cells_.erase(cell) == 1, cell); }

  void advance(std::span<const peer::CellInput> inputs, peer::Quantum,
               std::vector<peer::Action>& actions) override {
    if (throws) throw std::runtime_error("the device is gone");
    if (has_no_memory) throw std::bad_alloc();
    for (const peer::CellInput& input : inputs) {
      Cell& cell = cells_.at(input.cell);
      if (failing.contains(input.cell)) {
        actions.emplace_back(
            peer::Failed{input.cell, {.code = ErrorCode::NotFinite, .detail = "it diverged"}});
        continue;
      }
      if (cell.says_first == Says::Nothing) train(input, cell);
      if (cell.says_first != Says::Need) publish(input.cell, cell, actions);
      cell.says_first = Says::Nothing;
      if (cell.round >= rounds_max)
        actions.emplace_back(peer::Done{input.cell});
      else
        actions.emplace_back(need(input.cell, cell));
    }
  }

  peer::CellState save(CellIndex index) const override {
    if (throws) throw std::bad_alloc();
    const Cell& cell = cells_.at(index);
    return {.round = {cell.round}, .tensors = {{"w", cell.values}}, .counters = {{"n", 7}}};
  }
  std::vector<float> samples(CellIndex, std::size_t count) override {
    if (throws) throw std::bad_alloc();
    return std::vector<float>(count, 0.5F);
  }

  const std::vector<float>& values(CellIndex cell) const { return cells_.at(cell).values; }
  std::vector<float>& values(CellIndex cell) { return cells_.at(cell).values; }

  // What it does.
  std::set<CellIndex> failing;
  bool throws = false;
  bool has_no_memory = false;
  bool is_synchronous = false;
  std::uint64_t rounds_max = 1000;
  // What it was given last.
  struct Given {
    CellIndex cell;
    Round round;
    std::vector<float> values;
    ByteBuffer exact;
    std::optional<Round> heard;
  };
  std::map<CellIndex, std::vector<Given>> given;
  std::map<CellIndex, std::vector<ByteBuffer>> chunks;

 private:
  enum class Says { Publish, Need, Nothing };
  struct Cell {
    std::uint64_t round = 0;
    std::vector<float> values{};
    Says says_first = Says::Publish;
    ByteBuffer exact{};
  };

  void train(const peer::CellInput& input, Cell& cell) {
    given[input.cell].clear();
    for (const peer::SnapshotView& each : input.snapshots) {
      given[input.cell].push_back({each.cell,
                                   each.round,
                                   {each.values.begin(), each.values.end()},
                                   {each.exact.begin(), each.exact.end()},
                                   each.heard});
      for (float& value : cell.values) value += 0.001F * each.values.front();
    }
    chunks[input.cell].clear();
    for (const peer::ChunkView& each : input.chunks)
      chunks[input.cell].emplace_back(each.payload.begin(), each.payload.end());
    for (std::size_t i = 0; i < cell.values.size(); ++i)
      cell.values[i] += 0.003F * static_cast<float>(i % 11);
    ++cell.round;
  }

  static void publish(CellIndex index, Cell& cell, std::vector<peer::Action>& actions) {
    cell.exact = ByteBuffer(4, static_cast<std::byte>(cell.round));
    actions.emplace_back(peer::Publish{
        .cell = index, .round = {cell.round}, .values = cell.values, .exact = cell.exact});
  }
  peer::Need need(CellIndex index, const Cell& cell) const {
    peer::Need need{.cell = index, .newest = !is_synchronous, .snapshots = {}, .chunks = {}};
    if (is_synchronous)
      for (const CellIndex source : neighbours(index))
        need.snapshots.push_back({.source = source, .round = {cell.round}});
    return need;
  }

  std::vector<CellIndex> grid_;
  std::vector<peer::Section> sections_{{"w", float_count}};
  std::map<CellIndex, Cell> cells_;
};

}  // namespace quadrille::test

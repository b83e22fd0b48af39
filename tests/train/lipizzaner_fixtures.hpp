// A whole grid in a test: toy data, a learner, and a driver that hands snapshots over as they are.
#pragma once

#include "base/worker_pool.hpp"
#include "data/dataset.hpp"
#include "peer/learner.hpp"
#include "support/every_backend.hpp"
#include "train/lipizzaner/learner.hpp"
#include "train/score/scorer.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quadrille::test {

// The CPU's generic kernels: the quickest choice where the backend does not matter.
BackendChoice plain_backend();

// Points on a circle of eight modes, labelled with their mode.
data::Dataset ring_of_points(std::size_t count = 400);

// Four cells, three generations.
train::RunFacts small_run();
// Few rows, few batches, the toy model: a generation of a cell takes milliseconds.
train::LipizzanerOptions small_options();

// Distance of the samples' mean from a point: cheap, and every mixture has another one.
class MeanScorer final : public train::Scorer {
 public:
  double score(std::span<const float> samples, std::size_t count) override;
};

struct Snapshot {
  Round round;
  std::vector<float> values;
  ByteBuffer exact;
};

class Grid {
 public:
  struct Setting {
    train::RunFacts run = small_run();
    train::LipizzanerOptions options = small_options();
    BackendChoice backend = plain_backend();
    std::size_t threads = 1;
    std::uint32_t quantum = 1000;
    train::Scorer* scorer = nullptr;
  };
  explicit Grid(Setting setting);

  peer::Learner& learner() { return *learner_; }
  const data::Dataset& dataset() const { return dataset_; }
  std::uint32_t cell_count() const { return setting_.run.grid.cell_count(); }

  void start(CellIndex cell, const peer::Origin& origin = peer::Fresh{});
  void start_all();
  // Works the cells until none can go on, or all have reached `round` (they stop there, at a
  // boundary).
  void run(std::uint64_t round_max = ~std::uint64_t{0});
  // Everything that the grid has learned, for comparing bit by bit.
  std::map<std::uint32_t, peer::CellState> save();
  // Saved cells and the snapshots in flight, into this new grid.
  void restore(const std::map<std::uint32_t, peer::CellState>& cells, const Grid& from);

  const peer::Status& status(std::uint32_t cell) const { return statuses.at(cell).back(); }

  // What the cells said.
  std::map<std::uint32_t, std::vector<peer::Status>> statuses;
  std::vector<peer::Notice> notices;
  std::map<std::uint32_t, Error> failures;
  std::set<std::uint32_t> done;
  std::map<std::uint32_t, std::deque<Snapshot>> published;
  std::uint64_t advance_count = 0;
  // Changes a snapshot on its way to `reader`.
  std::function<void(std::uint32_t source, std::uint32_t reader, Snapshot&)> tamper;

 private:
  bool can_go_on(std::uint32_t cell, std::uint64_t round_max) const;
  std::vector<Snapshot> inbox(std::uint32_t cell, std::vector<std::uint32_t>& sources) const;
  void turn(const std::vector<std::uint32_t>& cells);
  void apply(const peer::Action& action);

  Setting setting_;
  WorkerPool pool_;
  std::unique_ptr<compute::Backend> backend_;
  data::Dataset dataset_;
  std::unique_ptr<peer::Learner> learner_;
  std::map<std::uint32_t, std::optional<peer::Need>> needs_;  // of every started cell
  std::map<std::uint32_t, std::uint64_t> rounds_;
};

// The values of a measure of a status; fails the test where there is none.
std::vector<double> measure(const peer::Status& status, std::string_view name);
// Of a saved cell.
const std::vector<float>& tensor(const peer::CellState& state, std::string_view name);
double number(const peer::CellState& state, std::string_view name);

// Every bit the same; names the first difference.
void check_same(const std::map<std::uint32_t, peer::CellState>& a,
                const std::map<std::uint32_t, peer::CellState>& b);
bool same_weights(const peer::CellState& a, const peer::CellState& b);

}  // namespace quadrille::test

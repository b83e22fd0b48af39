#include "train/lipizzaner/learner.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "base/check.hpp"
#include "train/lipizzaner/cell.hpp"
#include "train/lipizzaner/setup.hpp"
#include "train/lipizzaner/workbench.hpp"

namespace quadrille::train {
namespace {

class LipizzanerLearner final : public peer::Learner {
 public:
  LipizzanerLearner(const RunFacts& run, const LipizzanerOptions& options, nn::GanModel model,
                    compute::Backend& backend, WorkerPool& pool, const data::Dataset& dataset,
                    Scorer* scorer)
      : setup_(run, options, std::move(model), backend, dataset, scorer), pool_(pool) {}

  std::span<const peer::Section> sections() const override { return setup_.layout.sections(); }

  std::vector<CellIndex> neighbours(CellIndex cell) const override {
    return setup_.neighbours(cell);
  }

  Result<void> start(CellIndex index, const peer::Origin& origin) override {
    CHECK(!cells_.contains(index), index);
    TRY(cell, Cell::start(setup_, index, origin));
    cells_.emplace(index, std::move(cell));
    return {};
  }

  void release(CellIndex cell) override { cells_.erase(cell); }

  void advance(std::span<const peer::CellInput> inputs, peer::Quantum quantum,
               std::vector<peer::Action>& actions) override {
    const std::size_t worker_count = std::min(inputs.size(), pool_.thread_count());
    provide_benches(worker_count);
    if (actions_.size() < inputs.size()) actions_.resize(inputs.size());
    std::atomic<std::size_t> next = 0;
    pool_.run(worker_count, [&](std::size_t worker) {
      for (std::size_t i = next++; i < inputs.size(); i = next++) {
        held(inputs[i].cell).advance(inputs[i], quantum, *benches_[worker], actions_[i]);
      }
    });
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      std::ranges::move(actions_[i], std::back_inserter(actions));
      actions_[i].clear();
    }
  }

  peer::CellState save(CellIndex cell) const override { return held(cell).save(); }

  std::vector<float> samples(CellIndex cell, std::size_t count) override {
    provide_benches(1);
    return held(cell).samples(count, *benches_.front());
  }

 private:
  Cell& held(CellIndex index) const {
    const auto found = cells_.find(index);
    CHECK(found != cells_.end(), index);
    return *found->second;
  }

  void provide_benches(std::size_t count) {
    while (benches_.size() < count) benches_.push_back(std::make_unique<Workbench>(setup_));
  }

  Setup setup_;
  WorkerPool& pool_;
  std::map<CellIndex, std::unique_ptr<Cell>> cells_;
  std::vector<std::unique_ptr<Workbench>> benches_;  // one per thread that works cells
  std::vector<std::vector<peer::Action>> actions_;   // of each input, until all are done
};

}  // namespace

Result<std::unique_ptr<peer::Learner>> make_lipizzaner(const RunFacts& run,
                                                       const LipizzanerOptions& options,
                                                       compute::Backend& backend, WorkerPool& pool,
                                                       const data::Dataset& dataset,
                                                       Scorer* scorer) {
  TRY(model, nn::make_model(options.model,
                            {.latent = options.latent_size, .sample = dataset.shape.size()}));
  return std::make_unique<LipizzanerLearner>(run, options, std::move(model), backend, pool, dataset,
                                             scorer);
}

}  // namespace quadrille::train

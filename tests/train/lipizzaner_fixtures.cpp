#include "train/lipizzaner_fixtures.hpp"

#include "data/synthetic.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace quadrille::test {

BackendChoice plain_backend() {
  return {.deferred = false, .gemm = compute::CpuGemm::Generic};
}

data::Dataset ring_of_points(std::size_t count) {
  data::SyntheticOptions options;
  options.count = count;
  auto set = data::make_synthetic("ring8", options);
  BOOST_REQUIRE(set.has_value());
  return std::move(set->dataset);
}

train::RunFacts small_run() {
  train::RunFacts run;
  run.generations = 3;
  return run;
}

train::LipizzanerOptions small_options() {
  train::LipizzanerOptions options;
  options.sync = true;
  options.batch_size = 10;
  options.batches_per_generation = 3;
  options.fitness_sample_size = 20;
  options.score = train::ScoreKind::None;
  options.score_sample_size = 50;
  options.model = "toy";
  options.latent_size = 3;
  return options;
}

double MeanScorer::score(std::span<const float> samples, std::size_t count) {
  double x = 0, y = 0;
  for (std::size_t i = 0; i < count; ++i) {
    x += static_cast<double>(samples[2 * i]);
    y += static_cast<double>(samples[2 * i + 1]);
  }
  const auto rows = static_cast<double>(count);
  return std::hypot(x / rows - 1, y / rows + 0.5);
}

Grid::Grid(Setting setting)
    : setting_(std::move(setting)),
      pool_(setting_.threads),
      backend_(setting_.backend.make(pool_)),
      dataset_(ring_of_points()) {
  auto learner = train::make_lipizzaner(setting_.run, setting_.options, *backend_, pool_, dataset_,
                                        setting_.scorer);
  BOOST_REQUIRE_MESSAGE(learner.has_value(), (learner ? "" : learner.error().detail));
  learner_ = std::move(*learner);
}

void Grid::start(CellIndex cell, const peer::Origin& origin) {
  const Result<void> started = learner_->start(cell, origin);
  BOOST_REQUIRE_MESSAGE(started.has_value(), (started ? "" : started.error().detail));
  needs_[cell.value] = std::nullopt;
  if (const auto* restored = std::get_if<peer::Restored>(&origin))
    rounds_[cell.value] = restored->state.round.index;
}

void Grid::start_all() {
  for (std::uint32_t cell = 0; cell < cell_count(); ++cell) start({cell});
}

void Grid::run(std::uint64_t round_max) {
  for (;;) {
    std::vector<std::uint32_t> cells;
    for (const auto& [cell, need] : needs_)
      if (can_go_on(cell, round_max)) cells.push_back(cell);
    if (cells.empty()) return;
    turn(cells);
  }
}

bool Grid::can_go_on(std::uint32_t cell, std::uint64_t round_max) const {
  if (done.contains(cell) || failures.contains(cell)) return false;
  const auto round = rounds_.find(cell);
  if (round != rounds_.end() && round->second >= round_max) return false;
  const std::optional<peer::Need>& need = needs_.at(cell);
  if (!need) return true;
  return std::ranges::all_of(need->snapshots, [&](const peer::Need::Item& item) {
    const auto source = published.find(item.source.value);
    return source != published.end() && source->second.back().round >= item.round;
  });
}

std::vector<Snapshot> Grid::inbox(std::uint32_t cell, std::vector<std::uint32_t>& sources) const {
  std::vector<Snapshot> inbox;
  const std::optional<peer::Need>& need = needs_.at(cell);
  if (!need) return inbox;
  const auto take = [&](std::uint32_t source, const Snapshot& snapshot) {
    sources.push_back(source);
    inbox.push_back(snapshot);
    if (tamper) tamper(source, cell, inbox.back());
  };
  for (const peer::Need::Item& item : need->snapshots) {
    const std::deque<Snapshot>& all = published.at(item.source.value);
    take(item.source.value, *std::ranges::find_if(all, [&](const Snapshot& snapshot) {
           return snapshot.round >= item.round;
         }));
  }
  if (need->newest)
    for (const CellIndex source : learner_->neighbours({cell}))
      if (published.contains(source.value)) take(source.value, published.at(source.value).back());
  return inbox;
}

void Grid::turn(const std::vector<std::uint32_t>& cells) {
  std::vector<std::vector<Snapshot>> inboxes;
  std::vector<std::vector<peer::SnapshotView>> views(cells.size());
  std::vector<peer::CellInput> inputs;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    std::vector<std::uint32_t> sources;
    inboxes.push_back(inbox(cells[i], sources));
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const Snapshot& snapshot = inboxes[i][s];
      views[i].push_back({.cell = {sources[s]},
                          .round = snapshot.round,
                          .values = snapshot.values,
                          .exact = snapshot.exact,
                          .heard = {}});
    }
    needs_[cells[i]].reset();
    inputs.push_back({.cell = {cells[i]}, .snapshots = views[i], .chunks = {}});
  }
  std::vector<peer::Action> actions;
  learner_->advance(inputs, {.steps = setting_.quantum}, actions);
  ++advance_count;
  for (const peer::Action& action : actions) apply(action);
}

void Grid::apply(const peer::Action& action) {
  if (const auto* publish = std::get_if<peer::Publish>(&action)) {
    std::deque<Snapshot>& all = published[publish->cell.value];
    all.push_back({.round = publish->round,
                   .values = {publish->values.begin(), publish->values.end()},
                   .exact = {publish->exact.begin(), publish->exact.end()}});
    if (all.size() > 4) all.pop_front();
    rounds_[publish->cell.value] = publish->round.index;
  } else if (const auto* need = std::get_if<peer::Need>(&action)) {
    needs_[need->cell.value] = *need;
  } else if (const auto* status = std::get_if<peer::Status>(&action)) {
    statuses[status->cell.value].push_back(*status);
  } else if (const auto* notice = std::get_if<peer::Notice>(&action)) {
    notices.push_back(*notice);
  } else if (const auto* over = std::get_if<peer::Done>(&action)) {
    done.insert(over->cell.value);
  } else if (const auto* failed = std::get_if<peer::Failed>(&action)) {
    failures.emplace(failed->cell.value, failed->error);
  }
}

std::map<std::uint32_t, peer::CellState> Grid::save() {
  std::map<std::uint32_t, peer::CellState> cells;
  for (const auto& [cell, need] : needs_) cells.emplace(cell, learner_->save({cell}));
  return cells;
}

void Grid::restore(const std::map<std::uint32_t, peer::CellState>& cells, const Grid& from) {
  published = from.published;
  for (const auto& [cell, state] : cells) start({cell}, peer::Restored{state});
}

std::vector<double> measure(const peer::Status& status, std::string_view name) {
  const auto found = std::ranges::find(status.measures, name, &peer::Measure::name);
  BOOST_REQUIRE_MESSAGE(found != status.measures.end(), "no measure " << name);
  return found->values;
}

const std::vector<float>& tensor(const peer::CellState& state, std::string_view name) {
  const auto found = std::ranges::find(state.tensors, name, &peer::CellState::Floats::name);
  BOOST_REQUIRE_MESSAGE(found != state.tensors.end(), "no tensor " << name);
  return found->values;
}

double number(const peer::CellState& state, std::string_view name) {
  const auto found =
      std::ranges::find(state.counters, name, [](const auto& counter) { return counter.first; });
  BOOST_REQUIRE_MESSAGE(found != state.counters.end(), "no counter " << name);
  return std::bit_cast<double>(found->second);
}

namespace {

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
      [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

}  // namespace

void check_same(const std::map<std::uint32_t, peer::CellState>& a,
                const std::map<std::uint32_t, peer::CellState>& b) {
  BOOST_REQUIRE(a.size() == b.size());
  for (const auto& [cell, state] : a) {
    const peer::CellState& other = b.at(cell);
    BOOST_TEST(state.round == other.round);
    BOOST_REQUIRE(state.counters.size() == other.counters.size());
    for (std::size_t i = 0; i < state.counters.size(); ++i)
      BOOST_TEST((state.counters[i] == other.counters[i]),
                 "cell " << cell << ": " << state.counters[i].first << " differs");
    BOOST_REQUIRE(state.tensors.size() == other.tensors.size());
    for (std::size_t i = 0; i < state.tensors.size(); ++i)
      BOOST_TEST(same_bits(state.tensors[i].values, other.tensors[i].values),
                 "cell " << cell << ": " << state.tensors[i].name << " differs");
  }
}

bool same_weights(const peer::CellState& a, const peer::CellState& b) {
  return same_bits(tensor(a, "generator"), tensor(b, "generator")) &&
         same_bits(tensor(a, "discriminator"), tensor(b, "discriminator"));
}

}  // namespace quadrille::test

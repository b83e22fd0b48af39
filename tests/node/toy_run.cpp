#include "node/toy_run.hpp"

#include <unistd.h>

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <utility>
#include <vector>

#include "node/passing_learner.hpp"
#include "node/run/clock.hpp"
#include "node/run/local_exchange.hpp"
#include "node/run/progress.hpp"
#include "node/run/run_directory.hpp"
#include "node/run/session.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::testing {
namespace {

constexpr std::string_view toy_toml = R"(
run.name = "toy"
run.seed = 7
run.generations = 4
grid.rows = 2
grid.columns = 2
algorithm.sync = true
algorithm.batch_size = 10
algorithm.batches_per_generation = 3
algorithm.fitness_sample_size = 20
algorithm.score = "none"
model.name = "toy"
model.latent_size = 3
data.name = "ring8"
data.count = 100
)";

// Every look at it is 50 ms later: the driver then keeps to one step an advance.
class SteppingClock final : public node::Clock {
 public:
  TimePoint now() override { return time_ = time_ + std::chrono::milliseconds(50); }
  void sleep_until(TimePoint time) override { time_ = time; }

 private:
  TimePoint time_;
};

// Looks at what the real learner says.
class WatchedLearner final : public PassingLearner {
 public:
  WatchedLearner(peer::Learner& inner, const ToyRequest& request,
                 std::function<void(std::uint64_t)> after_generation, std::size_t cell_count)
      : PassingLearner(inner),
        request_(request),
        after_generation_(std::move(after_generation)),
        cell_count_(cell_count) {}

  // What the last advance() said has been carried out by now.
  void advance(std::span<const peer::CellInput> cells, peer::Quantum quantum,
               std::vector<peer::Action>& actions) override {
    for (const std::uint64_t generation : std::exchange(ended_, {})) {
      after_generation_(generation);
      if (request_.fail_after == generation)
        actions.emplace_back(peer::Failed{{1}, {ErrorCode::NotFinite, "a loss is not finite"}});
    }
    PassingLearner::advance(cells, quantum, actions);
    for (peer::Action& action : actions) {
      if (auto* publish = std::get_if<peer::Publish>(&action)) overflow(*publish);
      if (const auto* status = std::get_if<peer::Status>(&action))
        if (++cells_at_[status->round.index] == cell_count_) ended_.push_back(status->round.index);
    }
  }

 private:
  void overflow(peer::Publish& publish) {
    if (publish.cell != CellIndex{1} || publish.round.index != request_.overflow_at) return;
    overflowing_.assign(publish.values.begin(), publish.values.end());
    overflowing_.back() = 1e6F;
    publish.values = overflowing_;
  }

  const ToyRequest& request_;
  std::function<void(std::uint64_t)> after_generation_;
  std::size_t cell_count_;
  std::vector<float> overflowing_;
  std::map<std::uint64_t, std::size_t> cells_at_;
  std::vector<std::uint64_t> ended_;
};

std::string contents_of(std::FILE* file) {
  std::fflush(file);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
    text.push_back(static_cast<char>(c));
  return text;
}

Result<node::RunOutcome> train(const node::RunSpec& spec, const ToyRequest& request,
                               node::Progress& progress) {
  TRY(directory, node::RunDirectory::open(request.directory, spec, request.resume));
  TRY(session, node::Session::make(spec, {.threads = request.threads, .say = [](const auto&) {}}));
  std::atomic<int> stop_requests = 0;
  const std::uint32_t cell_count = spec.run.grid.cell_count();
  WatchedLearner learner(
      session->learner(), request,
      [&](std::uint64_t generation) {
        if (request.after_generation) request.after_generation(generation);
        if (request.stop_after == generation) ++stop_requests;
      },
      cell_count);
  std::size_t float_count = 0;
  for (const peer::Section& section : learner.sections()) float_count += section.float_count;
  node::LocalExchange exchange(float_count, spec.exchange);
  SteppingClock clock;
  std::vector<CellIndex> cells;
  for (std::uint32_t cell = 0; cell < cell_count; ++cell) cells.push_back({cell});
  TRY(run, node::TrainingRun::open({.spec = session->spec(),
                                    .dataset = session->dataset(),
                                    .learner = learner,
                                    .exchange = exchange,
                                    .directory = directory,
                                    .clock = clock,
                                    .progress = progress,
                                    .stop_requests = stop_requests,
                                    .scored_on = session->scored_on()},
                                   cells));
  return run->run();
}

}  // namespace

node::RunSpec toy_spec(std::initializer_list<Setting> settings) {
  std::vector<node::Override> overrides;
  for (const Setting& setting : settings)
    overrides.push_back({.key = setting.key, .value = setting.value});
  const auto spec = node::parse_run_spec(toy_toml, "toy.toml", overrides);
  BOOST_REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().detail));
  return *spec;
}

ToyResult run_toy(const node::RunSpec& spec, const ToyRequest& request) {
  std::FILE* terminal = std::tmpfile();
  BOOST_REQUIRE(terminal != nullptr);
  node::Progress progress(terminal);
  auto outcome = train(spec, request, progress);
  ToyResult result{.outcome = std::move(outcome), .said = contents_of(terminal)};
  std::fclose(terminal);
  return result;
}

std::map<std::string, std::string> files_below(const std::filesystem::path& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory))
    if (entry.is_regular_file())
      files[entry.path().lexically_relative(directory).string()] = test::contents_of(entry.path());
  return files;
}

void check_same_files(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto in_a = files_below(a);
  const auto in_b = files_below(b);
  BOOST_TEST(in_a.size() == in_b.size());
  for (const auto& [name, bytes] : in_a) {
    const auto found = in_b.find(name);
    BOOST_TEST_REQUIRE((found != in_b.end()), name << " is not in " << b);
    BOOST_TEST((bytes == found->second), name << " differs");
  }
}

}  // namespace quadrille::testing

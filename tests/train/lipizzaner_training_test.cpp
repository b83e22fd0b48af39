// Training as a whole: it learns, and it neither waits for the device nor allocates by the batch.
#include "support/allocation_count.hpp"
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <atomic>
#include <cmath>

using namespace quadrille;
using namespace quadrille::train;
using test::Grid;

BOOST_AUTO_TEST_SUITE(lipizzaner_training)

// Mean distance of points from the circle that the data lie on.
double distance_from_circle(std::span<const float> points) {
  double sum = 0;
  for (std::size_t i = 0; i + 1 < points.size(); i += 2)
    sum += std::abs(std::hypot(static_cast<double>(points[i]), static_cast<double>(points[i + 1])) -
                    2);
  return sum / static_cast<double>(points.size() / 2);
}

BOOST_DATA_TEST_CASE(a_grid_learns_where_the_data_lie, test::every_backend(), backend) {
  RunFacts run = test::small_run();
  LipizzanerOptions options = test::small_options();
  run.grid = {1, 2};
  run.generations = 6;
  options.batches_per_generation = 80;
  options.batch_size = 50;
  options.fitness_sample_size = 200;
  options.generator_learning_rate = options.discriminator_learning_rate = 2e-3;
  Grid grid({.run = run, .options = options, .backend = backend});
  grid.start_all();
  BOOST_TEST(distance_from_circle(grid.learner().samples({0}, 500)) > 1.5);
  grid.run();
  for (const std::uint32_t cell : {0U, 1U})
    BOOST_TEST(distance_from_circle(grid.learner().samples({cell}, 500)) < 0.6);
}

// Passes everything on, and counts the waits.
class CountingQueue final : public compute::Queue {
 public:
  CountingQueue(std::unique_ptr<compute::Queue> queue, std::atomic<int>& waits)
      : queue_(std::move(queue)), waits_(waits) {}

  void submit(const compute::Operation& operation) override { queue_->submit(operation); }
  void synchronise() override {
    ++waits_;
    queue_->synchronise();
  }

 protected:
  void upload_bytes(void* to, const void* from, std::size_t bytes) override {
    queue_->upload(compute::DeviceSpan(static_cast<std::uint8_t*>(to), bytes),
                   std::span(static_cast<const std::uint8_t*>(from), bytes));
  }
  void download_bytes(void* to, const void* from, std::size_t bytes) override {
    queue_->download(std::span(static_cast<std::uint8_t*>(to), bytes),
                     compute::DeviceSpan(static_cast<const std::uint8_t*>(from), bytes));
  }

 private:
  std::unique_ptr<compute::Queue> queue_;
  std::atomic<int>& waits_;
};

class CountingBackend final : public compute::Backend {
 public:
  explicit CountingBackend(std::unique_ptr<compute::Backend> backend)
      : backend_(std::move(backend)) {}

  std::string_view name() const override { return backend_->name(); }
  std::string_view description() const override { return backend_->description(); }
  std::unique_ptr<compute::Arena> make_arena() override { return backend_->make_arena(); }
  std::unique_ptr<compute::Queue> make_queue() override {
    return std::make_unique<CountingQueue>(backend_->make_queue(), waits);
  }

  std::atomic<int> waits = 0;

 private:
  std::unique_ptr<compute::Backend> backend_;
};

// What one advance() of a single cell takes that works a whole generation of `batches`.
struct Cost {
  int waits;
  std::size_t allocations;
};

Cost cost_of_generation(std::uint64_t batches) {
  RunFacts run = test::small_run();
  LipizzanerOptions options = test::small_options();
  run.grid = {1, 1};
  run.generations = 3;
  options.batches_per_generation = batches;
  WorkerPool pool(1);
  CountingBackend backend(test::plain_backend().make(pool));
  const data::Dataset dataset = test::ring_of_points();
  auto learner = make_lipizzaner(run, options, backend, pool, dataset, nullptr);
  BOOST_REQUIRE(learner.has_value());
  BOOST_REQUIRE((*learner)->start({0}, peer::Fresh{}).has_value());
  const std::vector<peer::CellInput> input{{.cell = {0}, .snapshots = {}, .chunks = {}}};
  std::vector<peer::Action> actions;
  actions.reserve(20);
  // Round 0, and a generation to warm up.
  for (int i = 0; i < 2; ++i) (*learner)->advance(input, {.steps = 1'000'000}, actions);
  const int waits = backend.waits;
  const std::size_t allocations = test::allocation_count();
  (*learner)->advance(input, {.steps = 1'000'000}, actions);
  return {backend.waits - waits, test::allocation_count() - allocations};
}

BOOST_AUTO_TEST_CASE(more_batches_take_no_more_allocations) {
  BOOST_TEST(cost_of_generation(400).allocations == cost_of_generation(2).allocations);
}

BOOST_AUTO_TEST_CASE(the_device_is_waited_for_once_in_64_batches) {
  const int few = cost_of_generation(64).waits;
  BOOST_TEST(few < 12);
  BOOST_TEST(cost_of_generation(2).waits == few);
  BOOST_TEST(cost_of_generation(640).waits == few + 9);
}

BOOST_AUTO_TEST_SUITE_END()

// What a cell does about numbers that are not finite, and about snapshots and checkpoints that lie.
#include "train/lipizzaner/genome.hpp"
#include "train/lipizzaner_fixtures.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace quadrille;
using namespace quadrille::train;
using test::Grid;
using test::measure;
using test::tensor;

BOOST_AUTO_TEST_SUITE(lipizzaner_faults)

// The weights of a snapshot blown up as far as is believed: least squares, multiplied through three
// layers, and a plain gradient step carry that beyond the finite numbers.
Grid::Setting explosive_setting() {
  Grid::Setting setting;
  LipizzanerOptions& options = setting.options;
  setting.run.grid = {1, 2};
  options.selection = false;
  options.loss = compute::LossKind::LeastSquares;
  options.optimizer.kind = compute::OptimizerKind::Sgd;
  options.generator_learning_rate = options.discriminator_learning_rate = 0.01;
  options.mutation_probability = 0;
  options.batches_per_generation = 20;
  return setting;
}

void blow_up(std::vector<float>& values) {
  double squares = 0;
  for (const float value : values)
    squares += static_cast<double>(value) * static_cast<double>(value);
  const double rms = std::sqrt(squares / static_cast<double>(values.size()));
  for (float& value : values) value *= static_cast<float>(0.5 * rms_max / rms);
}

BOOST_DATA_TEST_CASE(a_cell_that_a_neighbour_drove_to_nan_rolls_back_and_goes_on_alone,
                     test::every_backend(), backend) {
  Grid::Setting setting = explosive_setting();
  setting.backend = backend;
  Grid grid(setting);
  grid.tamper = [](std::uint32_t, std::uint32_t reader, test::Snapshot& snapshot) {
    if (reader == 0 && snapshot.round.index == 1) blow_up(snapshot.values);
  };
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == 2);
  BOOST_REQUIRE(grid.notices.size() == 1);
  const peer::Notice& notice = grid.notices[0];
  BOOST_TEST((notice.kind == peer::NoticeKind::RollBack));
  BOOST_TEST(notice.cell == CellIndex{0});
  BOOST_TEST(notice.text.find("generation 2") != std::string::npos);
  BOOST_TEST(notice.text.find("G 0.005, D 0.005") != std::string::npos);
  // Half the rate where the offspring won; the incumbent has it too.
  BOOST_TEST(measure(grid.statuses.at(0)[1], "generator_learning_rate")[0] == 0.005);
  BOOST_TEST(measure(grid.statuses.at(1)[1], "generator_learning_rate")[0] == 0.01);
  const auto saved = grid.save();
  for (const float weight : tensor(saved.at(0), "generator")) BOOST_REQUIRE(std::isfinite(weight));
}

BOOST_AUTO_TEST_CASE(a_roll_back_changes_no_bit_with_the_quantum) {
  std::map<std::uint32_t, peer::CellState> expected;
  for (const std::uint32_t quantum : {1000U, 1U, 7U}) {
    Grid::Setting setting = explosive_setting();
    setting.options.batches_per_generation = 100;  // beyond the first look
    setting.quantum = quantum;
    Grid grid(setting);
    grid.tamper = [](std::uint32_t, std::uint32_t reader, test::Snapshot& snapshot) {
      if (reader == 0 && snapshot.round.index == 1) blow_up(snapshot.values);
    };
    grid.start_all();
    grid.run();
    BOOST_TEST(grid.notices.size() == 1);
    if (expected.empty()) expected = grid.save();
    test::check_same(expected, grid.save());
  }
}

// Squares of gradients overflow long before weights do, and a weight whose moment did stands still.
Grid::Setting overflowing_setting() {
  Grid::Setting setting = explosive_setting();
  setting.options.loss = compute::LossKind::Hinge;
  setting.options.optimizer.kind = compute::OptimizerKind::RmsProp;
  setting.options.optimizer.epsilon = 1e-12F;
  setting.options.generator_learning_rate = setting.options.discriminator_learning_rate = 10;
  return setting;
}

bool is_finite(const peer::CellState& state) {
  return std::ranges::all_of(state.tensors, [](const peer::CellState::Floats& part) {
    return std::ranges::all_of(part.values, [](float value) { return std::isfinite(value); });
  });
}

BOOST_DATA_TEST_CASE(a_moment_that_is_not_finite_rolls_back_as_a_loss_does, test::every_backend(),
                     backend) {
  Grid::Setting setting = overflowing_setting();
  setting.backend = backend;
  Grid grid(setting);
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == 2);
  BOOST_TEST(!grid.notices.empty());
  for (const peer::Notice& notice : grid.notices) {
    BOOST_TEST((notice.kind == peer::NoticeKind::RollBack));
    BOOST_TEST(notice.text.find("a weight, loss or moment is not finite") != std::string::npos);
  }
  for (const auto& [cell, state] : grid.save()) BOOST_TEST(is_finite(state));
}

// The largest moment whose square is still a float is 1.8e19.
BOOST_AUTO_TEST_CASE(a_moment_that_is_large_and_finite_rolls_nothing_back) {
  Grid::Setting setting = explosive_setting();
  setting.options.optimizer.kind = compute::OptimizerKind::RmsProp;
  Grid before(setting);
  before.start_all();
  before.run(1);
  auto cells = before.save();
  for (auto& [cell, state] : cells)
    for (peer::CellState::Floats& part : state.tensors)
      if (part.name.ends_with("second_moment")) std::ranges::fill(part.values, 1e30F);
  Grid grid(setting);
  grid.restore(cells, before);
  grid.run();
  BOOST_TEST(grid.done.size() == 2);
  BOOST_TEST(grid.notices.empty());
  for (const auto& [cell, state] : grid.save()) BOOST_TEST(is_finite(state));
}

BOOST_DATA_TEST_CASE(a_cell_that_fails_three_times_running_gives_up, test::every_backend(),
                     backend) {
  Grid::Setting setting = explosive_setting();
  setting.options.generator_learning_rate = 1e30;
  setting.backend = backend;
  Grid grid(setting);
  grid.start_all();
  grid.run();
  BOOST_REQUIRE(grid.failures.contains(0));
  const Error& error = grid.failures.at(0);
  BOOST_TEST((error.code == ErrorCode::NotFinite));
  BOOST_TEST(error.detail.find("generation 1") != std::string::npos);
  BOOST_TEST(error.detail.find("G 2.5e+29, D 0.0025") != std::string::npos);
  BOOST_TEST(error.detail.find("3 times running") != std::string::npos);
  BOOST_TEST(grid.notices.size() == 4);  // two for each cell
}

// What a hostile neighbour may send, and a word of the answer.
struct Lie {
  const char* answer;
  void (*tell)(test::Snapshot&);
};

const std::vector<Lie> lies{
    {"floats", [](test::Snapshot& s) { s.values.pop_back(); }},
    {"NaN", [](test::Snapshot& s) { s.values[9] = std::numeric_limits<float>::quiet_NaN(); }},
    {"NaN or infinity", [](test::Snapshot& s) { s.values.back() = HUGE_VALF; }},
    {"root mean square", [](test::Snapshot& s) { s.values[0] = 1e9F; }},
    {"bytes", [](test::Snapshot& s) { s.exact.clear(); }},
    {"version", [](test::Snapshot& s) { s.exact[0] = std::byte{77}; }},
    {"losses", [](test::Snapshot& s) { s.exact[1] = std::byte{4}; }},
    {"learning rates", [](test::Snapshot& s) { s.exact[15] = std::byte{0xFF}; }},
};

BOOST_AUTO_TEST_CASE(a_snapshot_that_lies_is_refused_and_the_one_before_it_kept) {
  for (const Lie& lie : lies) {
    Grid grid({});
    grid.tamper = [&](std::uint32_t source, std::uint32_t reader, test::Snapshot& snapshot) {
      if (source == 1 && reader == 0 && snapshot.round.index == 2) lie.tell(snapshot);
    };
    grid.start_all();
    grid.run(2);
    const auto before = grid.save();
    const std::vector<float> round_1 = tensor(before.at(0), "member.1");
    grid.run();
    BOOST_TEST(grid.done.size() == 4);
    BOOST_REQUIRE(grid.notices.size() == 1);
    const peer::Notice& notice = grid.notices[0];
    BOOST_TEST((notice.kind == peer::NoticeKind::Refusal));
    BOOST_TEST(notice.text.find("cell 1's snapshot of round 2") != std::string::npos);
    BOOST_TEST(notice.text.find(lie.answer) != std::string::npos, notice.text);
    BOOST_TEST(notice.text.find("round 1 is kept") != std::string::npos);
    BOOST_TEST((tensor(grid.save().at(0), "member.1") == round_1));
  }
}

BOOST_AUTO_TEST_CASE(a_neighbour_that_only_ever_lied_is_simply_absent) {
  Grid grid({});
  grid.tamper = [](std::uint32_t source, std::uint32_t reader, test::Snapshot& snapshot) {
    if (source == 1 && reader == 0) snapshot.values.clear();
  };
  grid.start_all();
  grid.run();
  BOOST_TEST(grid.done.size() == 4);
  BOOST_TEST(grid.notices.size() == 3);
  BOOST_TEST(std::isnan(measure(grid.status(0), "mixture_weights")[1]));
  BOOST_TEST(measure(grid.status(0), "mixture_weights")[2] == 0.5);
}

// A checkpoint, and what a disk or another run may make of it.
struct Damage {
  const char* answer;
  void (*inflict)(peer::CellState&);
};

std::uint64_t& counter(peer::CellState& state, std::string_view name) {
  for (auto& [key, value] : state.counters)
    if (key == name) return value;
  BOOST_FAIL("no counter " << name);
  return state.counters[0].second;
}

const std::vector<Damage> damages{
    {"\"generator\" is missing", [](peer::CellState& s) { s.tensors.erase(s.tensors.begin()); }},
    {"values, not", [](peer::CellState& s) { s.tensors[0].values.pop_back(); }},
    {"NaN", [](peer::CellState& s) { s.tensors[1].values[0] = HUGE_VALF; }},
    {"\"stream.selection\" is missing",
     [](peer::CellState& s) {
       std::erase_if(s.counters, [](const auto& c) { return c.first == "stream.selection"; });
     }},
    {"data cursor", [](peer::CellState& s) { counter(s, "data.position") = 1'000'000; }},
    {"members in the neighbourhood", [](peer::CellState& s) { counter(s, "members") = 40; }},
    {"members in the neighbourhood", [](peer::CellState& s) { counter(s, "members") = 0; }},
    {"no neighbour", [](peer::CellState& s) { counter(s, "member.1.cell") = 3; }},
    {"no neighbour", [](peer::CellState& s) { counter(s, "member.2.cell") = 1; }},
    {"weights", [](peer::CellState& s) { counter(s, "mixture.0") = ~std::uint64_t{0}; }},
    {"sum to 1", [](peer::CellState& s) { counter(s, "mixture.0") = 0; }},
    {"learning_rate", [](peer::CellState& s) { counter(s, "generator.learning_rate") = 0; }},
    {"is no loss", [](peer::CellState& s) { counter(s, "discriminator.loss") = 99; }},
    {"score", [](peer::CellState& s) { s.counters.emplace_back("score", ~std::uint64_t{0}); }},
};

BOOST_AUTO_TEST_CASE(a_damaged_checkpoint_is_refused_and_nothing_changes) {
  Grid grid({});
  grid.start_all();
  grid.run(2);
  const peer::CellState sound = grid.save().at(0);
  for (const Damage& damage : damages) {
    peer::CellState state = sound;
    damage.inflict(state);
    Grid other({});
    const Result<void> started = other.learner().start({0}, peer::Restored{state});
    BOOST_REQUIRE_MESSAGE(!started.has_value(), damage.answer);
    BOOST_TEST(started.error().detail.find(damage.answer) != std::string::npos,
               started.error().detail);
    BOOST_TEST(other.learner().start({0}, peer::Restored{sound}).has_value());
  }
}

BOOST_AUTO_TEST_SUITE_END()

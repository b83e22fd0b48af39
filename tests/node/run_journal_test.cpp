// What a run leaves for people: a metrics line for each cell and generation, a progress line when
// all have ended one, and troubles that are said once.
#include "node/run/run_journal.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "data/synthetic.hpp"
#include "node/file_size_limit.hpp"
#include "node/toy_learners.hpp"
#include "node/toy_run.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_journal)

namespace {

namespace fs = std::filesystem;
using testing::toy_spec;

// Its samples are the first points of a data set, so that they spread like it.
class DrawingLearner final : public testing::ToyLearner {
 public:
  explicit DrawingLearner(const data::Dataset& dataset) : ToyLearner(2, 1), dataset_(dataset) {}
  void advance(std::span<const peer::CellInput>, peer::Quantum,
               std::vector<peer::Action>&) override {}
  std::vector<float> samples(CellIndex cell, std::size_t count) override {
    drawn.push_back(cell);
    std::vector<float> samples;
    for (std::size_t i = 0; i < 2 * count; ++i)
      samples.push_back(dataset_.points[i % dataset_.points.size()]);
    return samples;
  }
  std::vector<CellIndex> drawn;

 private:
  const data::Dataset& dataset_;
};

data::Dataset points() {
  data::SyntheticOptions options;
  options.count = 100;
  return std::move(data::make_synthetic("ring8", options).value().dataset);
}

struct Desk {
  explicit Desk(const RunSpec& run_spec) : spec(run_spec) {
    BOOST_REQUIRE(directory.has_value());
    BOOST_REQUIRE(opened.has_value());
    for (const CellIndex cell : {CellIndex{0}, CellIndex{1}}) journal().begin(cell, {}, {});
  }
  ~Desk() {
    std::fclose(terminal);
    std::free(text);
  }

  RunJournal& journal() { return *opened; }
  void status(std::uint32_t cell, std::uint64_t generation, std::optional<double> score = {}) {
    now = now + std::chrono::milliseconds(500);
    journal().status({.cell = {cell},
                      .round = {generation},
                      .generator_fitness = 0.5 + cell,
                      .discriminator_fitness = 0.25,
                      .score = score,
                      .images_seen = 100 * generation,
                      .measures = {}},
                     learner, now);
  }
  std::vector<std::string> said() const {
    std::fflush(terminal);
    std::istringstream lines(std::string(text, text_bytes));
    std::vector<std::string> said;
    for (std::string line; std::getline(lines, line);) said.push_back(line);
    return said;
  }

  test::ScratchDirectory scratch;
  // In memory, where no limit on files reaches it.
  char* text = nullptr;
  std::size_t text_bytes = 0;
  std::FILE* terminal = ::open_memstream(&text, &text_bytes);
  RunSpec spec;
  data::Dataset dataset = points();
  DrawingLearner learner{dataset};
  Progress progress{terminal};
  Result<RunDirectory> directory = RunDirectory::open(scratch / "run", spec, false);
  Result<RunJournal> opened = RunJournal::open(spec, dataset, directory.value(), progress);
  TimePoint now{};
};

std::size_t line_count(const fs::path& path) {
  const std::string text = test::contents_of(path);
  return static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_generation_is_told_when_its_last_cell_has_ended_it) {
  Desk desk(toy_spec());
  desk.status(0, 1);
  BOOST_TEST(desk.said().empty());
  BOOST_TEST(desk.journal().generation() == 0u);
  desk.status(1, 1);
  BOOST_TEST(desk.journal().generation() == 1u);
  // 200 images in a second; three generations more at a second each.
  BOOST_TEST(desk.said() == std::vector<std::string>(
                                {"generation 1/4  G 0.5  D 0.25  200 images/s  3s left  starting"}),
             boost::test_tools::per_element());
  BOOST_TEST(line_count(desk.directory->metrics()) == 2u);
}

BOOST_AUTO_TEST_CASE(a_cell_that_is_ahead_is_written_down_and_not_counted) {
  Desk desk(toy_spec());
  desk.status(0, 1);
  desk.status(0, 2);
  desk.status(0, 3);
  BOOST_TEST(desk.journal().generation() == 0u);
  desk.status(1, 1);
  BOOST_TEST(desk.journal().generation() == 1u);
  BOOST_TEST(line_count(desk.directory->metrics()) == 4u);
}

BOOST_AUTO_TEST_CASE(the_best_cell_has_the_best_score_or_the_fittest_generator) {
  Desk desk(toy_spec());
  desk.status(0, 1);
  desk.status(1, 1);
  BOOST_TEST(desk.journal().best_cell() == CellIndex{0});
  desk.status(0, 2, 7.0);
  desk.status(1, 2, 3.0);
  BOOST_TEST(desk.journal().best_cell() == CellIndex{1});
  BOOST_TEST(desk.journal().score_of({1}).value() == 3.0);
}

// As unbroken: what was measured before is known.
BOOST_AUTO_TEST_CASE(a_resumed_run_knows_its_best_cell_before_it_trains) {
  Desk desk(toy_spec());
  desk.journal().begin({0}, {.generation = 2, .images_seen = 200, .score = 7.0}, {});
  desk.journal().begin({1}, {.generation = 2, .images_seen = 200, .score = 3.0}, {});
  BOOST_TEST(desk.journal().best_cell() == CellIndex{1});
  BOOST_TEST(desk.journal().score_of({1}).value() == 3.0);
}

BOOST_AUTO_TEST_CASE(sheets_are_drawn_of_the_best_cell_when_they_are_due) {
  Desk desk(toy_spec({{"output.sheet_every", "2"}}));
  for (const std::uint64_t generation : {1, 2, 3})
    for (const std::uint32_t cell : {0U, 1U}) desk.status(cell, generation, 5.0 - cell);
  BOOST_TEST(fs::exists(desk.directory->samples() / "generation-000002.png"));
  BOOST_TEST(desk.scratch.entry_count() == 7u);  // run, its file, lock, metrics, two dirs, a sheet
  for (const CellIndex cell : desk.learner.drawn) BOOST_TEST(cell == CellIndex{1});
}

BOOST_AUTO_TEST_CASE(a_rolled_back_cell_is_told_and_makes_the_verdict_once) {
  Desk desk(toy_spec());
  desk.journal().notice({{1}, "generation 1: a loss is not finite", peer::NoticeKind::RollBack});
  for (const std::uint64_t generation : {1, 2})
    for (const std::uint32_t cell : {0U, 1U}) desk.status(cell, generation);
  const std::vector<std::string> said = desk.said();
  BOOST_TEST_REQUIRE(said.size() == 3u);
  BOOST_TEST(said[0] == "cell 1: generation 1: a loss is not finite");
  BOOST_TEST(said[1].ends_with("diverged (NaN: rolled back)"), said[1]);
  BOOST_TEST(said[2].ends_with("training"), said[2]);
}

BOOST_AUTO_TEST_CASE(metrics_that_the_disk_refuses_are_said_once_until_they_are_well_again) {
  Desk desk(toy_spec());
  {
    const testing::FileSizeLimit limit(10);
    desk.status(0, 1);
    desk.status(0, 2);
  }
  std::vector<std::string> said = desk.said();
  BOOST_TEST_REQUIRE(said.size() == 1u);
  BOOST_TEST(said[0].find("warning: ") == 0u);
  BOOST_TEST(said[0].find("metrics.jsonl cannot be written: File too large") != std::string::npos);
  BOOST_TEST(line_count(desk.directory->metrics()) == 0u);
  desk.status(0, 3);
  BOOST_TEST(line_count(desk.directory->metrics()) == 1u);
  {
    const testing::FileSizeLimit limit(10);
    desk.status(0, 4);
  }
  BOOST_TEST(desk.said().size() == 2u);
}

BOOST_AUTO_TEST_CASE(of_a_directory_that_was_moved_away_no_trouble_is_said) {
  Desk desk(toy_spec());
  fs::rename(desk.scratch / "run", desk.scratch / "moved");
  desk.journal().trouble(RunJournal::Trouble::Checkpoint, "cell-00000 cannot be written");
  BOOST_TEST(desk.said().empty());
  fs::rename(desk.scratch / "moved", desk.scratch / "run");
  desk.journal().trouble(RunJournal::Trouble::Checkpoint, "cell-00000 cannot be written");
  BOOST_TEST(desk.said().size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_resumed_run_reckons_from_where_it_went_on) {
  Desk desk(toy_spec());
  for (const CellIndex cell : {CellIndex{0}, CellIndex{1}})
    desk.journal().begin(cell, {.generation = 2, .images_seen = 200}, {});
  BOOST_TEST(desk.journal().generation() == 2u);
  for (const std::uint32_t cell : {0U, 1U}) desk.status(cell, 3);
  BOOST_TEST(desk.said() == std::vector<std::string>(
                                {"generation 3/4  G 0.5  D 0.25  200 images/s  1s left  starting"}),
             boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

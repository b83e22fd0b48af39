// A run brought to life: its data, scorer and learner, or the one line that says why not.
#include "node/run/session.hpp"

#include <stdlib.h>

#include <boost/test/unit_test.hpp>
#include <string>
#include <vector>

#include "node/toy_run.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(session)

using testing::toy_spec;

namespace {

struct Spoken {
  std::vector<std::string> lines;
  SessionRequest request{.threads = 1, .say = [this](const auto& line) { lines.push_back(line); }};
};

std::string refusal(const RunSpec& spec) {
  Spoken spoken;
  const auto session = Session::make(spec, spoken.request);
  BOOST_TEST_REQUIRE(!session.has_value());
  BOOST_TEST(session.error().detail.find('\n') == std::string::npos);
  return session.error().detail;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_comes_to_life_and_says_on_what) {
  Spoken spoken;
  const auto session = Session::make(toy_spec(), spoken.request);
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().detail));
  BOOST_TEST((*session)->dataset().count == 100u);
  BOOST_TEST((*session)->learner().neighbours({0}).size() == 2u);
  BOOST_TEST_REQUIRE(spoken.lines.size() == 2u);
  BOOST_TEST(spoken.lines[0] == "data: ring8, 100 points, 8 classes");
  BOOST_TEST(spoken.lines[1].starts_with("device: cpu"));
  BOOST_TEST(spoken.lines[1].ends_with(", 1 thread"));
}

BOOST_AUTO_TEST_CASE(what_the_file_leaves_open_is_settled_by_the_data) {
  Spoken spoken;
  const auto session = Session::make(
      toy_spec({{"algorithm.score", "auto"}, {"model.name", "auto"}}), spoken.request);
  BOOST_REQUIRE_MESSAGE(session.has_value(), (session ? "" : session.error().detail));
  BOOST_TEST(((*session)->spec().lipizzaner.score == train::ScoreKind::Modes));
  BOOST_TEST((*session)->spec().lipizzaner.model == "toy");
  const auto sources = (*session)->sources();
  BOOST_REQUIRE(sources.has_value());
  BOOST_TEST((sources->truth != nullptr));
  BOOST_TEST((sources->classifier == nullptr));
}

BOOST_AUTO_TEST_CASE(a_batch_larger_than_the_data_is_refused) {
  BOOST_TEST(refusal(toy_spec({{"algorithm.batch_size", "101"}})) ==
             "--set: algorithm.batch_size is 101, but ring8 has 100 rows; use at most that.");
  BOOST_TEST(
      refusal(toy_spec({{"algorithm.fitness_sample_size", "101"}})) ==
      "--set: algorithm.fitness_sample_size is 101, but ring8 has 100 rows; use at most that.");
}

BOOST_AUTO_TEST_CASE(whoever_asked_to_check_may_refuse_before_anything_is_computed) {
  Spoken spoken;
  std::size_t rows = 0;
  spoken.request.check = [&](const RunSpec&, const data::Dataset& dataset) -> Result<void> {
    rows = dataset.count;
    return failure(ErrorCode::Mismatch, "not these");
  };
  const auto session = Session::make(toy_spec(), spoken.request);
  BOOST_TEST_REQUIRE(!session.has_value());
  BOOST_TEST(session.error().detail == "not these");
  BOOST_TEST(rows == 100u);
  BOOST_TEST(spoken.lines.size() == 1u);  // of the data, and of no device
}

BOOST_AUTO_TEST_CASE(data_that_are_not_there_are_named) {
  const test::ScratchDirectory scratch;
  const std::string said = refusal(toy_spec({{"data.name", "no-such-set"},
                                             {"data.count", "50000"},
                                             {"data.path", scratch.path().string()},
                                             {"model.name", "mlp"}}));
  BOOST_TEST(said.find(scratch.path().string()) != std::string::npos, said);
}

BOOST_AUTO_TEST_CASE(classifiers_are_kept_where_caches_are) {
  ::setenv("XDG_CACHE_HOME", "/somewhere/cache", 1);
  BOOST_TEST(cache_directory().string() == "/somewhere/cache/quadrille");
  ::unsetenv("XDG_CACHE_HOME");
  ::setenv("HOME", "/home/ada", 1);
  BOOST_TEST(cache_directory().string() == "/home/ada/.cache/quadrille");
  ::unsetenv("HOME");
  BOOST_TEST(cache_directory().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

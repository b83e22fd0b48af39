// How the text of a run file becomes a spec, and what is said when it does not.
#include "node/spec/run_spec.hpp"

#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <string>

#include "node/spec/run_keys.hpp"
#include "node/spec/run_toml.hpp"
#include "support/error_text.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_spec_test)

namespace {

const std::string named = "[run]\nname = \"x\"\n";

RunSpec spec_of(const std::string& text, std::span<const Override> overrides = {}) {
  Result<RunSpec> spec = parse_run_spec(text, "run.toml", overrides);
  BOOST_REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().detail));
  return *spec;
}

std::string errors_of(const std::string& text, std::span<const Override> overrides = {}) {
  const Result<RunSpec> spec = parse_run_spec(text, "run.toml", overrides);
  if (spec) return "none";
  BOOST_TEST((spec.error().code == ErrorCode::Config));
  return test::text_of(spec.error());
}

std::size_t line_count(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, '\n')) + 1;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_name_is_all_that_a_run_file_needs) {
  const RunSpec spec = spec_of(named);
  BOOST_TEST(spec.name == "x");
  for (const Key& key : run_keys())
    BOOST_TEST((key.path == "run.name" || is_default(key, spec)), key.path);
  BOOST_TEST(errors_of("") ==
             "run.toml: run.name is missing; give the run one, e.g. name = \"first\" below [run].");
}

BOOST_AUTO_TEST_CASE(values_reach_their_fields) {
  const RunSpec spec = spec_of(
      "[run]\nname = \"x\"\nseed = 7\nseeds = [\"a.example:7746\", \"[::1]:80\"]\n"
      "[grid]\nrows = 3\nneighbourhood = \"ring\"\nradius = 2\n"
      "[algorithm]\nsync = true\nfitness = \"worst\"\nbeta1 = 0\noptimizer = \"adam\"\n"
      "[data]\nname = \"grid25\"\nspacing = 3\n"
      "[exchange]\ncodec = \"bf16\"\n[output]\nsheet_every = 3\n");
  BOOST_TEST(spec.run.seed == 7U);
  BOOST_TEST(spec.seeds.size() == 2U);
  BOOST_TEST((spec.run.grid == GridShape{3, 2}));
  BOOST_TEST((spec.lipizzaner.neighbourhood == train::NeighbourhoodKind::Ring));
  BOOST_TEST(spec.lipizzaner.radius == 2U);
  BOOST_TEST(spec.lipizzaner.sync);
  BOOST_TEST((spec.lipizzaner.fitness == train::FitnessAggregate::Worst));
  BOOST_TEST(spec.lipizzaner.optimizer.beta1 == 0.0F);
  BOOST_TEST(spec.data.synthetic.spacing.value() == 3.0);
  BOOST_TEST(!spec.data.synthetic.sigma.has_value());
  BOOST_TEST((spec.exchange.kind == codec::CodecKind::Bf16));
  BOOST_TEST(spec.output.sheet_every == 3U);
}

BOOST_AUTO_TEST_CASE(one_learning_rate_is_short_for_both_and_gives_way_to_either) {
  const RunSpec spec =
      spec_of(named + "[algorithm]\ngenerator_learning_rate = 0.5\nlearning_rate = 0.25\n");
  BOOST_TEST(spec.lipizzaner.generator_learning_rate == 0.5);
  BOOST_TEST(spec.lipizzaner.discriminator_learning_rate == 0.25);
  const Override both{.key = "algorithm.learning_rate", .value = "0.125"};
  const RunSpec flagged =
      spec_of(named + "[algorithm]\ngenerator_learning_rate = 0.5\n", {&both, 1});
  BOOST_TEST(flagged.lipizzaner.generator_learning_rate == 0.125);
}

BOOST_AUTO_TEST_CASE(mustangs_is_a_choice_of_loss) {
  const RunSpec mustangs = spec_of(named + "[algorithm]\nloss = \"mustangs\"\n");
  BOOST_TEST(mustangs.lipizzaner.mustangs);
  const RunSpec hinge = spec_of(named + "[algorithm]\nloss = \"hinge\"\n");
  BOOST_TEST(!hinge.lipizzaner.mustangs);
  BOOST_TEST((hinge.lipizzaner.loss == compute::LossKind::Hinge));
}

BOOST_AUTO_TEST_CASE(model_and_score_follow_the_data_unless_they_are_chosen) {
  const RunSpec images = spec_of(named);
  BOOST_TEST(images.lipizzaner.model == "mlp");
  BOOST_TEST((images.lipizzaner.score == train::ScoreKind::Frechet));
  const RunSpec points = spec_of(named + "[data]\nname = \"ring8\"\n");
  BOOST_TEST(points.lipizzaner.model == "toy");
  BOOST_TEST((points.lipizzaner.score == train::ScoreKind::Modes));
  const RunSpec chosen = spec_of(named + "[algorithm]\nscore = \"tvd\"\n");
  BOOST_TEST((chosen.lipizzaner.score == train::ScoreKind::Tvd));
}

BOOST_AUTO_TEST_CASE(every_error_of_a_file_gets_its_line) {
  BOOST_TEST(errors_of("[run]\n"
                       "name = \"x\"\n"
                       "sed = 3\n"
                       "[grid]\n"
                       "rows = 0\n"
                       "columns = 2.5\n"
                       "neighbourhood = \"rign\"\n"
                       "[algorithm]\n"
                       "rows = 3\n"
                       "learning_rate = -1\n"
                       "batch_size = 99999999999\n"
                       "sync = \"yes\"\n") ==
             "run.toml:3: run.sed is not a key of a run file; did you mean run.seed?\n"
             "run.toml:5: grid.rows is 0; a grid needs 1 to 1024 rows.\n"
             "run.toml:6: grid.columns is 2.5; it must be a whole number.\n"
             "run.toml:7: grid.neighbourhood is \"rign\"; did you mean \"ring\"? It must be one of "
             "\"cross\", \"ring\", \"moore\", \"transposed-cross\".\n"
             "run.toml:9: algorithm.rows is not a key of a run file; did you mean grid.rows?\n"
             "run.toml:10: algorithm.learning_rate is -1; it must be 1e-09 to 10.\n"
             "run.toml:11: algorithm.batch_size is 99999999999; a batch has 1 to 65536 rows.\n"
             "run.toml:12: algorithm.sync is \"yes\"; it must be true or false.");
}

BOOST_AUTO_TEST_CASE(numbers_that_are_none_are_out_of_every_range) {
  for (const std::string value : {"nan", "inf", "-inf", "1e300", "-0.5"})
    BOOST_TEST(errors_of(named + "[data]\nfraction = " + value + "\n") != "none", value);
  BOOST_TEST(errors_of(named + "[data]\nfraction = 1\n") == "none");
}

BOOST_AUTO_TEST_CASE(a_table_in_double_brackets_is_told_as_the_array_that_it_makes) {
  BOOST_TEST(errors_of("[[run]]\nname = \"x\"\n") ==
             "run.toml:1: [[run]] makes an array of tables; write [run], and once.");
  BOOST_TEST(errors_of(named + "[[gird]]\nrows = 2\n") ==
             "run.toml:3: [gird] is not a table of a run file; did you mean [grid]?");
  BOOST_TEST(errors_of(named + "[[grid.rows]]\n") ==
             "run.toml:3: grid.rows is an array of tables; it must be a whole number.");
}

BOOST_AUTO_TEST_CASE(a_port_out_of_range_is_told_as_such) {
  for (const std::string port : {"99999", "65536", "0", "123456789012345678901234567890"})
    BOOST_TEST(errors_of(named + "seeds = [\"a:1\", \"a:" + port + "\"]\n")
                   .ends_with("; a port is 1 to 65535."));
  for (const std::string text : {"a", "a:", ":1", "a:x", "a:-1"})
    BOOST_TEST(errors_of(named + "seeds = [\"" + text + "\"]\n")
                   .ends_with("; it must be HOST:PORT, at most 64."));
}

BOOST_AUTO_TEST_CASE(a_wrong_type_is_named_beside_the_right_one) {
  BOOST_TEST(errors_of(named + "[grid]\nrows = 1979-05-27\n") ==
             "run.toml:4: grid.rows is a date; it must be a whole number.");
  BOOST_TEST(errors_of("[run]\nname = [1]\n") ==
             "run.toml:2: run.name is an array that is not of strings; it must be text in quotes.");
  BOOST_TEST(errors_of(named + "seeds = \"a:1\"\n") ==
             "run.toml:3: run.seeds is \"a:1\"; it must be a list of texts.");
  BOOST_TEST(errors_of("[algorithm]\nloss = \"1\"\n" + named)
                 .starts_with("run.toml:2: algorithm.loss is \"1\"; it must be one of \"bce\""));
  BOOST_TEST(errors_of("grid = 3\n" + named) ==
             "run.toml:1: grid is not a key of a run file but a table; write [grid] and its keys "
             "below it.");
}

BOOST_AUTO_TEST_CASE(an_unknown_table_is_named_even_when_it_is_empty) {
  BOOST_TEST(errors_of(named + "[gird]\n") ==
             "run.toml:3: [gird] is not a table of a run file; did you mean [grid]?");
  BOOST_TEST(errors_of(named + "[grid]\n") == "none");
}

BOOST_AUTO_TEST_CASE(text_that_is_not_toml_is_placed_by_line_and_column) {
  BOOST_TEST(errors_of("[run]\nname = x\n").starts_with("run.toml:2:8: "));
  BOOST_TEST(errors_of("[run\n").starts_with("run.toml:1:"));
  BOOST_TEST(errors_of("[run]\nname = \"x\"\nname = \"y\"\n").starts_with("run.toml:3:"));
  BOOST_TEST(errors_of(std::string("\0\xFF\xFE", 3)).starts_with("run.toml:1:"));
}

BOOST_AUTO_TEST_CASE(what_an_error_repeats_stays_one_short_line) {
  const std::string errors =
      errors_of(named + "\"a\\nb\" = 1\ntag = \"" + std::string(10'000, 'z') + "\"\n");
  BOOST_TEST(line_count(errors) == 2U);
  BOOST_TEST(line_count(errors_of("[run]\nname = fals\r\n")) == 1U);
  BOOST_TEST(errors_of("[run]\nname = fals\x1B[2J\n").find('\x1B') == std::string::npos);
  BOOST_TEST(errors.size() < 400U);
}

BOOST_AUTO_TEST_CASE(after_twenty_errors_the_rest_is_counted) {
  std::string text = named;
  for (int i = 0; i < 25; ++i) text += "key" + std::to_string(i) + " = 1\n";
  const std::string errors = errors_of(text);
  BOOST_TEST(line_count(errors) == run_file_errors_max + 1);
  BOOST_TEST(errors.ends_with("\nrun.toml: 5 more settings were not looked at."));
}

BOOST_AUTO_TEST_CASE(a_file_past_its_limits_is_refused_before_it_is_parsed) {
  const std::string comment = "#" + std::string(run_file_bytes_max - named.size() - 1, 'x');
  BOOST_TEST(errors_of(named + comment) == "none");
  BOOST_TEST(errors_of(named + comment + "x").starts_with("run.toml: longer than "));
  std::string deep = "a";
  for (std::size_t i = 0; i < toml_dots_max; ++i) deep += ".a";
  BOOST_TEST(errors_of(deep + " = 1").starts_with("run.toml:1: a.a."));
  BOOST_TEST(errors_of(deep + ".a = 1").starts_with("run.toml: has more than 2000 dots"));
  BOOST_TEST(errors_of("a = " + std::string(100'000, '[')) != "none");
}

BOOST_AUTO_TEST_CASE(an_override_wins_over_the_file_and_the_later_over_the_earlier) {
  const std::vector<Override> overrides{{.key = "grid.rows", .value = "3"},
                                        {.key = "grid.rows", .value = "4"},
                                        {.key = "algorithm.loss", .value = "hinge"},
                                        {.key = "run.tag", .value = "\"again\""},
                                        {.key = "run.seeds", .value = "[\"a:1\"]"}};
  const RunSpec spec = spec_of(named + "[grid]\nrows = 2\n", overrides);
  BOOST_TEST(spec.run.grid.rows == 4U);
  BOOST_TEST((spec.lipizzaner.loss == compute::LossKind::Hinge));
  BOOST_TEST(spec.tag == "again");
  BOOST_TEST(spec.seeds.size() == 1U);
}

BOOST_AUTO_TEST_CASE(
    errors_of_overrides_name_the_flag_and_come_after_those_of_the_file_as_a_whole) {
  const auto error_of = [](const std::string& key, const std::string& value) {
    const Override override{.key = key, .value = value};
    return errors_of(named, {&override, 1});
  };
  BOOST_TEST(error_of("grid.rows", "0") == "--set: grid.rows is 0; a grid needs 1 to 1024 rows.");
  BOOST_TEST(error_of("grid.rowz", "1") ==
             "--set: grid.rowz is not a key of a run file; did you mean grid.rows?");
  BOOST_TEST(error_of("grid.rows", "x") == "--set: grid.rows is \"x\"; it must be a whole number.");
  BOOST_TEST(error_of("algorithm.sync", "yes") ==
             "--set: algorithm.sync is \"yes\"; it must be true or false.");
  BOOST_TEST(error_of("algorithm.los", "hinge") ==
             "--set: algorithm.los is not a key of a run file; did you mean algorithm.loss?");
  BOOST_TEST(error_of("grid.rows", "3\n[run]\nname='y'").starts_with("--set: grid.rows is "));
  BOOST_TEST(error_of("grid.rows", "{a = 1}") ==
             "--set: grid.rows is a table; it must be a whole number.");
}

// The run's own file would be no TOML any more, and the run be lost with it.
BOOST_AUTO_TEST_CASE(a_path_that_is_no_utf_8_is_refused) {
  const Override latin1{.key = "data.path",
                        .value = "/data/caf\xe9",
                        .origin = Override::Origin::Flag,
                        .source = "--data"};
  BOOST_TEST(errors_of(named, {&latin1, 1}) ==
             "--data: data.path is \"/data/caf\xe9\"; it must be a path in UTF-8, without control "
             "characters, at most 4096.");
  const Override utf8{.key = "data.path", .value = "/data/caf\u00e9"};
  const RunSpec spec = spec_of(named, {&utf8, 1});
  BOOST_TEST(spec.data.path == "/data/caf\u00e9");
  BOOST_TEST(spec_of(effective_run_file(spec)).data.path == "/data/caf\u00e9");
}

BOOST_AUTO_TEST_CASE(a_variable_of_the_environment_is_ignored_where_it_means_nothing) {
  const std::string ring = named + "[data]\nname = \"ring8\"\n";
  Override data{.key = "data.path",
                .value = "/data",
                .origin = Override::Origin::Variable,
                .source = "QUADRILLE_DATA"};
  BOOST_TEST(spec_of(named, {&data, 1}).data.path == "/data");
  BOOST_TEST(spec_of(ring, {&data, 1}).data.path.empty());
  data.origin = Override::Origin::Flag;
  data.source = "--data";
  BOOST_TEST(errors_of(ring, {&data, 1}) ==
             "--data: data.path is \"/data\", but a synthetic set is computed and not read.");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

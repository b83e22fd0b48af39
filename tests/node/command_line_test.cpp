// What a person can type, what comes of it, and what is said to a slip of the finger.
#include "node/cli/command_line.hpp"

#include <boost/test/unit_test.hpp>
#include <sstream>
#include <string>

#include "node/cli/exit_code.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(command_line_test)

namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

template <class T>
T parsed(const std::string& line, const Environment& environment = {}) {
  const auto command = parse_command_line(words_of(line), environment);
  BOOST_REQUIRE_MESSAGE(command.has_value(), (command ? "" : command.error().detail));
  BOOST_REQUIRE(std::holds_alternative<T>(*command));
  return std::get<T>(*command);
}

std::string error_of(const std::string& line, const Environment& environment = {}) {
  const auto command = parse_command_line(words_of(line), environment);
  if (command) return "none";
  BOOST_TEST((command.error().code == ErrorCode::Usage));
  BOOST_TEST(command.error().detail.find('\n') == std::string::npos);
  return command.error().detail;
}

std::string printed(const std::string& line) {
  return parsed<PrintCommand>(line).text;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_file_alone_trains_with_every_default) {
  const auto command = parsed<TrainCommand>("run.toml");
  BOOST_TEST(command.run_file == "run.toml");
  BOOST_TEST(!command.out.has_value());
  BOOST_TEST(!command.resume);
  BOOST_TEST((command.work == WorkFlags{}));
  BOOST_TEST(command.overrides.empty());
}

BOOST_AUTO_TEST_CASE(the_name_of_a_peer_is_checked_as_that_of_a_run_is) {
  const std::string slip = error_of("run.toml --name ../x");
  BOOST_TEST(slip.starts_with("--name is \"../x\"; "), slip);
  BOOST_TEST(slip.find("letters, digits") != std::string::npos, slip);
  BOOST_TEST(error_of("run.toml", {{"QUADRILLE_NAME", "a/b"}}).starts_with("QUADRILLE_NAME is "));
  BOOST_TEST(parsed<SampleCommand>("sample run --threads 3").threads.value() == 3u);
  BOOST_TEST(parsed<SampleCommand>("sample run --data d").overrides.at(0).value == "d");
}

BOOST_AUTO_TEST_CASE(every_flag_of_training_is_read_wherever_it_stands) {
  const auto command = parsed<TrainCommand>(
      "--out o --threads 3 run.toml --cells=4 --data d --resume --device cpu --log-level warning "
      "--name n --set grid.rows=3 --set run.tag=a=b");
  BOOST_TEST(command.run_file == "run.toml");
  BOOST_TEST(command.out.value() == "o");
  BOOST_TEST(command.name.value() == "n");
  BOOST_TEST(command.resume);
  BOOST_TEST((command.work == WorkFlags{.threads = 3, .cells = 4, .log_level = LogLevel::Warning}));
  BOOST_REQUIRE(command.overrides.size() == 3U);
  BOOST_TEST(command.overrides[0].key == "data.path");
  BOOST_TEST(command.overrides[0].source == "--data");
  BOOST_TEST(command.overrides[1].key == "grid.rows");
  BOOST_TEST(command.overrides[1].value == "3");
  BOOST_TEST(command.overrides[2].value == "a=b");
}

BOOST_AUTO_TEST_CASE(a_flag_wins_over_the_environment) {
  const Environment environment{{"QUADRILLE_THREADS", "5"},
                                {"QUADRILLE_OUT", "o"},
                                {"QUADRILLE_DATA", "d"},
                                {"QUADRILLE_CELLS", "auto"},
                                {"QUADRILLE_NAME", ""}};
  const auto command = parsed<TrainCommand>("run.toml --threads 2", environment);
  BOOST_TEST(command.work.threads.value() == 2U);
  BOOST_TEST(command.out.value() == "o");
  BOOST_TEST(!command.name.has_value());
  BOOST_TEST(!command.work.cells.has_value());
  BOOST_REQUIRE(command.overrides.size() == 1U);
  BOOST_TEST((command.overrides[0].origin == Override::Origin::Variable));
  BOOST_TEST(command.overrides[0].source == "QUADRILLE_DATA");
}

BOOST_AUTO_TEST_CASE(only_variables_with_our_prefix_are_looked_at) {
  const char* const variables[] = {"PATH=/bin", "QUADRILLE_OUT=a=b", "QUADRILLE_", nullptr};
  const Environment environment = quadrille_environment(variables);
  BOOST_TEST(environment.size() == 1U);
  BOOST_TEST(environment.at("QUADRILLE_OUT") == "a=b");
}

BOOST_AUTO_TEST_CASE(each_verb_has_its_struct) {
  const auto sample = parsed<SampleCommand>("sample runs/a -n 100 -o x.png");
  BOOST_TEST(sample.run_directory == "runs/a");
  BOOST_TEST(sample.count == 100U);
  BOOST_TEST(sample.output == "x.png");
  BOOST_TEST(!sample.force);
  BOOST_TEST(parsed<SampleCommand>("sample runs/a --force").force);
  const auto evaluate = parsed<EvaluateCommand>("evaluate runs/a --json -n500 --data d");
  BOOST_TEST(evaluate.json);
  BOOST_TEST(evaluate.count == 500U);
  BOOST_TEST(evaluate.overrides.at(0).value == "d");
  BOOST_TEST(parsed<DataCheckCommand>("data check mnist --json").set == "mnist");
  BOOST_TEST(parsed<CheckCommand>("check run.toml --set a.b=1").overrides.size() == 1U);
  parsed<KeysCommand>("check --keys");
  const auto extend = parsed<ExtendCommand>("extend runs/a --generations 50 --threads 2");
  BOOST_TEST(extend.generations == 50U);
  BOOST_TEST(extend.work.threads.value() == 2U);
  BOOST_TEST(extend.overrides.empty());
  const auto moved = parsed<ExtendCommand>("extend runs/a -g 50 --data d");
  BOOST_TEST_REQUIRE(moved.overrides.size() == 1U);
  BOOST_TEST(moved.overrides[0].key == "data.path");
  BOOST_TEST(moved.overrides[0].value == "d");
  const auto bench =
      parsed<BenchCommand>("bench gemm --model toy --batch 64 --threads 2 --seconds 0.5 --json");
  BOOST_TEST((bench.kind == BenchCommand::Kind::Gemm));
  BOOST_TEST(bench.model == "toy");
  BOOST_TEST(bench.batch == 64U);
  BOOST_TEST(bench.seconds == 0.5);
}

BOOST_AUTO_TEST_CASE(help_tells_all_verbs_and_flags_within_90_columns) {
  const std::string help = printed("--help");
  for (const std::string word :
       {"sample", "evaluate", "extend", "check", "data", "bench", "--set", "--data", "--out",
        "--resume", "--threads", "--cells", "--device", "--log-level", "--name", "--version",
        "QUADRILLE_DATA", "Examples"})
    BOOST_TEST((help.find(word) != std::string::npos), word);
  for (const std::string verb :
       {"", "sample ", "evaluate ", "data ", "check ", "extend ", "bench "}) {
    std::istringstream lines(printed(verb + "--help"));
    for (std::string line; std::getline(lines, line);) BOOST_TEST(line.size() <= 90U, line);
  }
  BOOST_TEST(printed("sample -h").starts_with("Usage: peer sample RUNDIR"));
}

BOOST_AUTO_TEST_CASE(version_is_one_line) {
  const std::string version = printed("--version");
  BOOST_TEST(version.starts_with("peer "));
  BOOST_TEST(version.ends_with('\n'));
}

BOOST_AUTO_TEST_CASE(an_unknown_flag_names_the_nearest_one_of_its_verb) {
  BOOST_TEST(error_of("run.toml --thrads 3") ==
             "--thrads is not a flag here; did you mean --threads?");
  BOOST_TEST(error_of("sample r --cuont=3") == "--cuont is not a flag here; did you mean --count?");
  BOOST_TEST(error_of("check r --threads 3") == "--threads is not a flag here; see --help.");
  BOOST_TEST(error_of("run.toml -q") == "-q is not a flag here; see --help.");
}

BOOST_AUTO_TEST_CASE(an_unknown_verb_names_the_nearest_one) {
  BOOST_TEST(error_of("smaple runs/a") ==
             "smaple is neither a verb nor a file; did you mean peer sample?");
  BOOST_TEST(error_of("traim b.toml") ==
             "traim is neither a verb nor a file; training has no verb: did you mean peer b.toml?");
  BOOST_TEST(error_of("train") ==
             "train is neither a verb nor a file; training has no verb: did you mean peer "
             "RUN.toml?");
  BOOST_TEST(error_of("frobnicate b.toml") ==
             "frobnicate is neither a verb nor a file; `peer --help` has the verbs.");
  BOOST_TEST(parsed<TrainCommand>("frobnicate --resume").run_file == "frobnicate");
  BOOST_TEST(error_of("status") == "peer status comes with a later version; see `peer --help`.");
  BOOST_TEST(error_of("data chekc x") == "peer data has one verb: peer data check DIR");
}

BOOST_AUTO_TEST_CASE(joining_over_the_network_is_refused_in_one_line) {
  for (const std::string line : {"--seed host:7746", "--seed=host:7746", "run.toml --listen :7746"})
    BOOST_TEST(error_of(line).find("comes with a later version") != std::string::npos, line);
}

BOOST_AUTO_TEST_CASE(a_value_out_of_range_names_where_it_came_from) {
  BOOST_TEST(error_of("run.toml --threads 0") == "--threads is 0; it must be 1 to 1024.");
  BOOST_TEST(error_of("run.toml --threads two") == "--threads is \"two\"; it must be 1 to 1024.");
  BOOST_TEST(error_of("run.toml --threads 2x") == "--threads is \"2x\"; it must be 1 to 1024.");
  BOOST_TEST(error_of("run.toml", {{"QUADRILLE_THREADS", "9999"}}) ==
             "QUADRILLE_THREADS is 9999; it must be 1 to 1024.");
  BOOST_TEST(error_of("run.toml --cells -1") == "--cells is \"-1\"; it must be 1 to 65536.");
  BOOST_TEST(error_of("run.toml --device cuda") ==
             "--device is \"cuda\"; it must be one of auto, cpu.");
  BOOST_TEST(error_of("run.toml --log-level inof") ==
             "--log-level is \"inof\"; did you mean info? It must be one of info, warning, error, "
             "off.");
  BOOST_TEST(error_of("bench step --seconds nan") == "--seconds is nan; it must be 0.01 to 3600.");
  BOOST_TEST(error_of("bench step --model mpl") ==
             "--model is \"mpl\"; did you mean mlp? It must be one of mlp, toy.");
}

BOOST_AUTO_TEST_CASE(a_missing_or_superfluous_word_is_named) {
  BOOST_TEST(error_of("") == "no run file; start one with peer RUN.toml, or see `peer --help`.");
  BOOST_TEST(error_of("sample") ==
             "peer sample needs the directory of a run; see `peer sample --help`.");
  BOOST_TEST(error_of("extend runs/a") == "peer extend needs --generations N, how many to add.");
  BOOST_TEST(error_of("run.toml other.toml") == "\"other.toml\" is one word too many; see --help.");
  BOOST_TEST(error_of("run.toml --threads") == "--threads needs a value; see --help.");
  BOOST_TEST(error_of("run.toml --out= --resume") ==
             "--out= is not followed by a value; see --help.");
  BOOST_TEST(error_of("run.toml --out --resume") ==
             "--out is followed by --resume, and needs a value; see --help.");
  BOOST_TEST(error_of("run.toml --resume=maybe") == "--resume takes no value; see --help.");
  BOOST_TEST(error_of("run.toml --resume=5") == "--resume takes no value; see --help.");
  BOOST_TEST(error_of("run.toml --resume=false") == "--resume takes no value; see --help.");
  BOOST_TEST(error_of("run.toml --set grid.rows") ==
             "--set grid.rows: needs KEY=VALUE, e.g. --set grid.rows=3.");
}

BOOST_AUTO_TEST_CASE(a_sheet_is_a_png_and_is_called_one) {
  for (const std::string name : {"x.jpg", "x", ".png", "x.png.gz"})
    BOOST_TEST(error_of("sample runs/a -o " + name) ==
               "--output is \"" + name + "\"; a PNG is written: give a name that ends in .png.");
  BOOST_TEST(parsed<SampleCommand>("sample runs/a -o a.b/X.PNG").output == "a.b/X.PNG");
}

BOOST_AUTO_TEST_CASE(a_misspelt_variable_is_an_error_and_a_foreign_one_is_not) {
  BOOST_TEST(error_of("run.toml", {{"QUADRILLE_THREDS", "2"}}) ==
             "QUADRILLE_THREDS is not a variable of peer; did you mean QUADRILLE_THREADS?");
  BOOST_TEST(error_of("run.toml", {{"QUADRILLE_BUILD_HOST", "x"}}) == "none");
}

BOOST_AUTO_TEST_CASE(exit_codes_tell_usage_configuration_and_failure_apart) {
  BOOST_TEST(static_cast<int>(exit_code(ErrorCode::Usage)) == 2);
  for (const ErrorCode code : {ErrorCode::Config, ErrorCode::NotFound, ErrorCode::Corrupt,
                               ErrorCode::Mismatch, ErrorCode::Limit})
    BOOST_TEST(static_cast<int>(exit_code(code)) == 78);
  for (const ErrorCode code : {ErrorCode::Io, ErrorCode::NotFinite})
    BOOST_TEST(static_cast<int>(exit_code(code)) == 1);
  BOOST_TEST(static_cast<int>(ExitCode::Done) == 0);
  BOOST_TEST(static_cast<int>(ExitCode::NoSeed) == 69);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

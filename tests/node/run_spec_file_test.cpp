// Run files on disk: the examples, those that are not there, and the page about them.
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "node/spec/run_keys.hpp"
#include "node/spec/run_spec.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_spec_file_test)

namespace {

namespace fs = std::filesystem;

const fs::path source = QUADRILLE_SOURCE_DIR;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// A working directory of its own for one test.
struct Somewhere {
  Somewhere() {
    fs::create_directories(here / "examples");
    fs::current_path(here);
  }
  ~Somewhere() {
    fs::current_path(before);
    fs::remove_all(here);
  }
  static void write(const fs::path& path, const std::string& text) { std::ofstream(path) << text; }

  const fs::path before = fs::current_path();
  const fs::path here =
      fs::temp_directory_path() / ("quadrille-run-spec-" + std::to_string(::getpid()));
};

std::string error_of(const fs::path& path) {
  const auto spec = read_run_spec(path);
  return spec ? "none" : spec.error().detail;
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_example_loads_under_its_own_name) {
  std::vector<std::string> names;
  for (const fs::directory_entry& file : fs::directory_iterator(source / "examples")) {
    const auto spec = read_run_spec(file.path());
    BOOST_REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().detail));
    BOOST_TEST(spec->name == file.path().stem().string());
    names.push_back(spec->name);
    const std::string text = content_of(file.path());
    BOOST_TEST(text.starts_with("# "), "says what it shows");
    BOOST_TEST(text.find("# Takes about ") != std::string::npos, "says how long it takes");
  }
  for (const std::string name :
       {"fashion-2x2", "mnist-3x3-neurips2018", "ring8-4x4", "mustangs", "lipi-ring"})
    BOOST_TEST((std::ranges::find(names, name) != names.end()), name);
}

BOOST_AUTO_TEST_CASE(the_published_settings_are_those_of_the_paper) {
  const auto spec = read_run_spec(source / "examples/mnist-3x3-neurips2018.toml").value();
  const train::LipizzanerOptions& options = spec.lipizzaner;
  BOOST_TEST((spec.run.grid == GridShape{3, 3}));
  BOOST_TEST(spec.run.generations == 200U);
  BOOST_TEST(options.batch_size == 100U);
  BOOST_TEST(options.discriminator_skip == 1U);
  BOOST_TEST(options.generator_learning_rate == 2e-4);
  BOOST_TEST(options.discriminator_learning_rate == 2e-4);
  BOOST_TEST(options.optimizer.beta1 == 0.5F);
  BOOST_TEST(options.latent_size == 64U);
  BOOST_TEST(!options.selection);
  BOOST_TEST((options.opponents == train::Opponents::Random));
  BOOST_TEST(options.mixture_sigma == 0.01);
}

BOOST_AUTO_TEST_CASE(the_effective_file_of_every_example_reads_back_the_same) {
  for (const fs::directory_entry& file : fs::directory_iterator(source / "examples")) {
    const std::string text = effective_run_file(read_run_spec(file.path()).value());
    const auto again = parse_run_spec(text, "effective");
    BOOST_REQUIRE_MESSAGE(again.has_value(), (again ? "" : again.error().detail));
    BOOST_TEST(effective_run_file(*again) == text);
  }
}

BOOST_AUTO_TEST_CASE(the_effective_file_names_every_key_and_says_which_are_not_used) {
  const std::string text =
      effective_run_file(parse_run_spec("[run]\nname = \"x\"\n", "run.toml").value());
  for (const Key& key : run_keys()) {
    std::string line = "\n";
    line.append(key.name()).append(" = ");
    const bool used = text.find(line) != std::string::npos;
    const bool unused = text.find("\n# " + line.substr(1)) != std::string::npos;
    BOOST_TEST((used || unused || key.shorthand), key.path);
  }
  BOOST_TEST(text.find("\n# radius = 1 ") != std::string::npos);
  BOOST_TEST(text.find("\nrows = 2 ") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_committed_reference_page_is_that_of_the_table) {
  BOOST_TEST(
      (content_of(source / "docs/run-file.md") == run_file_reference()),
      "docs/run-file.md is out of date; write it anew: peer check --keys > docs/run-file.md");
}

BOOST_FIXTURE_TEST_CASE(a_file_that_is_not_there_is_answered_with_a_near_one, Somewhere) {
  write("examples/fashion-2x2.toml", "");
  write("mine.toml", "");
  const std::string fashion = "; did you mean examples/fashion-2x2.toml?";
  BOOST_TEST(error_of("fashon.toml") == "fashon.toml: no such file" + fashion);
  BOOST_TEST(error_of("fashion-2x2") == "fashion-2x2: no such file" + fashion);
  BOOST_TEST(error_of("examples/fashion-2x3.toml") ==
             "examples/fashion-2x3.toml: no such file" + fashion);
  BOOST_TEST(error_of("nime.toml") == "nime.toml: no such file; did you mean mine.toml?");
  BOOST_TEST(error_of("nowhere/mine.toml") ==
             "nowhere/mine.toml: no such file; did you mean mine.toml?");
  BOOST_TEST(error_of("celeba.toml") ==
             "celeba.toml: no such file; `peer --help` shows how to start a run.");
  BOOST_TEST((read_run_spec("celeba.toml").error().code == ErrorCode::NotFound));
}

BOOST_FIXTURE_TEST_CASE(a_directory_is_answered_with_what_to_do_with_it, Somewhere) {
  BOOST_TEST(error_of("examples") == "examples: is a directory; give the run file, RUN.toml.");
  write("examples/run.toml", "");
  BOOST_TEST(error_of("examples") ==
             "examples: is a directory; to go on with its run: peer examples/run.toml --resume.");
}

BOOST_FIXTURE_TEST_CASE(what_is_no_regular_file_is_refused_and_not_waited_for, Somewhere) {
  BOOST_TEST(error_of("/dev/zero") ==
             "/dev/zero: is not a regular file; give the run file, RUN.toml.");
  BOOST_REQUIRE_EQUAL(::mkfifo("pipe", 0600), 0);
  BOOST_TEST(error_of("pipe") == "pipe: is not a regular file; give the run file, RUN.toml.");
}

BOOST_FIXTURE_TEST_CASE(a_path_that_the_system_does_not_follow_is_not_called_missing, Somewhere) {
  fs::create_symlink("loop", "loop");
  BOOST_TEST(error_of("loop") ==
             "loop: cannot be looked at: Too many levels of symbolic links; give the run file, "
             "RUN.toml");
  const std::string longer(300, 'a');
  BOOST_TEST(error_of(longer) == longer +
                                     ": cannot be looked at: File name too long; give the run "
                                     "file, RUN.toml");
  BOOST_TEST((read_run_spec(longer).error().code == ErrorCode::Mismatch));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

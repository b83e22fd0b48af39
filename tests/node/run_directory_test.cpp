// The directory of a run: nothing of an earlier run is overwritten unasked, and each refusal says
// what to do.
#include "node/run/run_directory.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "node/toy_run.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(run_directory)

namespace {

namespace fs = std::filesystem;
using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;
using testing::toy_spec;

struct Refusal {
  ErrorCode code;
  std::string part;  // of what is said
};

void check_refused(const Result<RunDirectory>& opened, const fs::path& path,
                   const Refusal& expected) {
  BOOST_TEST_REQUIRE(!opened.has_value());
  const Error& error = opened.error();
  BOOST_TEST((error.code == expected.code));
  BOOST_TEST(error.detail.starts_with(path.string()), error.detail);
  BOOST_TEST(error.detail.find(expected.part) != std::string::npos, error.detail);
  BOOST_TEST(error.detail.find('\n') == std::string::npos, error.detail);
}

// A run as it stands after a generation.
void make_trained(const fs::path& path, const RunSpec& spec) {
  BOOST_REQUIRE(RunDirectory::open(path, spec, false));
  fs::create_directories(path / "checkpoints/000003");
  put_contents(path / "metrics.jsonl", "{}\n");
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_new_run_gets_its_directories_and_its_effective_file) {
  const ScratchDirectory scratch;
  const auto directory = RunDirectory::open(scratch / "a/b/run", toy_spec(), false);
  BOOST_REQUIRE_MESSAGE(directory.has_value(), (directory ? "" : directory.error().detail));
  BOOST_TEST(fs::is_directory(directory->samples()));
  BOOST_TEST(fs::is_directory(directory->checkpoints()));
  BOOST_TEST(contents_of(directory->run_file()) == effective_run_file(toy_spec()));
  BOOST_TEST(run_id(directory->spec().value()) == run_id(toy_spec()));
}

BOOST_AUTO_TEST_CASE(an_empty_directory_will_do) {
  const ScratchDirectory scratch;
  BOOST_TEST(RunDirectory::open(scratch.path(), toy_spec(), false).has_value());
}

BOOST_AUTO_TEST_CASE(this_run_is_gone_on_with_only_when_asked) {
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  check_refused(RunDirectory::open(scratch / "run", toy_spec(), false), scratch / "run",
                {ErrorCode::Mismatch, "holds this run already, at generation 3: add --resume"});
  BOOST_TEST(RunDirectory::open(scratch / "run", toy_spec(), true).has_value());
  BOOST_TEST(fs::exists(scratch / "run/checkpoints/000003"));
}

BOOST_AUTO_TEST_CASE(a_run_without_a_checkpoint_is_not_overwritten_either) {
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  fs::remove(scratch / "run/checkpoints/000003");
  check_refused(RunDirectory::open(scratch / "run", toy_spec(), false), scratch / "run",
                {ErrorCode::Mismatch, "holds this run already: add --resume"});
}

BOOST_AUTO_TEST_CASE(another_run_is_never_touched) {
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  const auto before = testing::files_below(scratch / "run");
  const RunSpec other = toy_spec({{"run.seed", "8"}});
  for (const bool resume : {false, true})
    check_refused(RunDirectory::open(scratch / "run", other, resume), scratch / "run",
                  {ErrorCode::Mismatch,
                   "holds another run (run.seed is 7 there and 8 here): choose another --out"});
  BOOST_TEST((testing::files_below(scratch / "run") == before));
}

// Whoever opened it writes the file once nothing can be refused any more.
BOOST_AUTO_TEST_CASE(a_longer_run_is_the_same_run_and_its_file_is_not_written_yet) {
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  const RunSpec longer = toy_spec({{"run.generations", "50"}});
  BOOST_REQUIRE(RunDirectory::open(scratch / "run", longer, true));
  const auto directory = RunDirectory::look(scratch / "run");
  BOOST_REQUIRE(directory.has_value());
  BOOST_TEST(directory->spec().value().run.generations == 4u);
}

BOOST_AUTO_TEST_CASE(a_run_that_never_ended_a_generation_may_begin_again_changed_or_not) {
  const ScratchDirectory scratch;
  BOOST_REQUIRE(RunDirectory::open(scratch / "run", toy_spec(), false));
  put_contents(scratch / "run/.run.toml.partial-1-0", "cut");
  put_contents(scratch / "run/metrics.jsonl", "");
  const RunSpec other = toy_spec({{"run.seed", "8"}});
  for (const RunSpec& spec : {toy_spec(), other}) {
    BOOST_REQUIRE(RunDirectory::open(scratch / "run", spec, false));
    BOOST_TEST(contents_of(scratch / "run/run.toml") == effective_run_file(spec));
  }
  BOOST_TEST(!fs::exists(scratch / "run/.run.toml.partial-1-0"));
  // Killed while the directory was being made.
  fs::remove(scratch / "run/run.toml");
  BOOST_TEST(RunDirectory::open(scratch / "run", toy_spec(), false).has_value());
}

BOOST_AUTO_TEST_CASE(there_may_be_nothing_to_resume) {
  const ScratchDirectory scratch;
  for (const fs::path& path : {scratch.path(), scratch / "not there"})
    check_refused(RunDirectory::open(path, toy_spec(), true), path,
                  {ErrorCode::NotFound, "there is no run to resume here: leave --resume away"});
  BOOST_TEST(!fs::exists(scratch / "not there"));
}

BOOST_AUTO_TEST_CASE(files_of_somebody_else_are_left_alone) {
  const ScratchDirectory scratch;
  put_contents(scratch / "letter", "dear");
  check_refused(RunDirectory::open(scratch.path(), toy_spec(), false), scratch.path(),
                {ErrorCode::Mismatch, "is not empty and holds no run: choose another --out"});
  check_refused(RunDirectory::open(scratch / "letter", toy_spec(), false), scratch / "letter",
                {ErrorCode::Mismatch, "is not a directory"});
  BOOST_TEST(scratch.entry_count() == 1u);
}

BOOST_AUTO_TEST_CASE(folders_of_our_names_may_be_somebody_elses) {
  for (const char* file : {"samples/final.png", "checkpoints/best.pt"}) {
    const ScratchDirectory scratch;
    fs::create_directories(scratch / "samples");
    fs::create_directories(scratch / "checkpoints");
    put_contents(scratch / file, "mine");
    check_refused(RunDirectory::open(scratch.path(), toy_spec(), false), scratch.path(),
                  {ErrorCode::Mismatch, "is not empty and holds no run: choose another --out"});
    BOOST_TEST(contents_of(scratch / file) == "mine");
    BOOST_TEST(!fs::exists(scratch / "run.toml"));
  }
}

// It would be written through, to a file of somebody else.
BOOST_AUTO_TEST_CASE(a_link_in_the_place_of_a_file_is_somebody_elses) {
  for (const char* name : {"metrics.jsonl", ".lock", "run.toml", "samples", "checkpoints"}) {
    const ScratchDirectory scratch;
    fs::create_directory(scratch / "run");
    fs::create_symlink("../victim", scratch / "run" / name);
    check_refused(RunDirectory::open(scratch / "run", toy_spec(), false), scratch / "run",
                  {ErrorCode::Mismatch, "is not empty and holds no run: choose another --out"});
    BOOST_TEST(!fs::exists(scratch / "victim"));
  }
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  fs::remove(scratch / "run/.lock");
  fs::create_symlink("../victim", scratch / "run/.lock");
  check_refused(RunDirectory::open(scratch / "run", toy_spec(), true), scratch / "run/.lock",
                {ErrorCode::Mismatch, "is a link"});
  BOOST_TEST(!fs::exists(scratch / "victim"));
  fs::remove(scratch / "run/.lock");
  for (const char* name : {"metrics.jsonl", "summary.json", "run.toml"}) {
    const fs::path file = scratch / "run" / name;
    if (fs::exists(file)) fs::rename(file, scratch / name);
    put_contents(scratch / "summary.json", "mine");
    fs::create_symlink(scratch / name, file);
    check_refused(RunDirectory::open(scratch / "run", toy_spec(), true), file,
                  {ErrorCode::Mismatch, "is a link or no file at all"});
    fs::remove(file);
    if (fs::exists(scratch / name)) fs::rename(scratch / name, file);
  }
}

BOOST_AUTO_TEST_CASE(folders_may_be_linked_to_where_there_is_room) {
  const ScratchDirectory scratch;
  fs::create_directory(scratch / "run");
  fs::create_directory(scratch / "large");
  fs::create_directory_symlink("../large", scratch / "run/checkpoints");
  BOOST_TEST(RunDirectory::open(scratch / "run", toy_spec(), false).has_value());
}

BOOST_AUTO_TEST_CASE(a_path_that_can_be_no_directory_is_told_with_the_reason) {
  const ScratchDirectory scratch;
  fs::create_symlink("nowhere", scratch / "dangling");
  fs::create_symlink("loop", scratch / "loop");
  put_contents(scratch / "file", "mine");
  const std::string longer(300, 'a');
  struct Wrong {
    std::string path;
    std::string part;
  };
  for (const Wrong& wrong : {Wrong{"dangling", "dangling: is a link to what is not there"},
                             Wrong{"dangling/x", "dangling is a link to what is not there"},
                             Wrong{"file", "file: is not a directory: choose another --out"},
                             Wrong{"file/x/y", "file is not a directory: choose another --out"},
                             Wrong{"loop", "cannot be looked at: Too many levels"},
                             Wrong{longer, "cannot be looked at: File name too long"}})
    for (const bool resume : {false, true})
      check_refused(RunDirectory::open(scratch / wrong.path, toy_spec(), resume),
                    scratch / wrong.path, {ErrorCode::Mismatch, wrong.part});
  check_refused(RunDirectory::look(scratch / "loop"), scratch / "loop",
                {ErrorCode::Mismatch, "cannot be looked at: Too many levels"});
  BOOST_TEST(scratch.entry_count() == 3u);
  make_trained(scratch / "run", toy_spec());
  fs::remove(scratch / "run/run.toml");
  fs::create_symlink("run.toml", scratch / "run/run.toml");
  check_refused(RunDirectory::open(scratch / "run", toy_spec(), true), scratch / "run/run.toml",
                {ErrorCode::Mismatch, "cannot be looked at: Too many levels"});
}

BOOST_AUTO_TEST_CASE(a_directory_that_was_moved_or_replaced_is_noticed) {
  const ScratchDirectory scratch;
  const auto directory = RunDirectory::open(scratch / "run", toy_spec(), false);
  BOOST_REQUIRE(directory.has_value());
  BOOST_TEST(directory->check_in_place().has_value());
  fs::remove(scratch / "run/.lock");  // what is in it is still in its place
  BOOST_TEST(directory->check_in_place().has_value());
  fs::rename(scratch / "run", scratch / "moved");
  BOOST_TEST(!directory->check_in_place().has_value());
  const auto other = RunDirectory::open(scratch / "run", toy_spec(), false);
  const auto found = directory->check_in_place();
  BOOST_TEST_REQUIRE(!found.has_value());
  BOOST_TEST((found.error().code == ErrorCode::Io));
  BOOST_TEST(found.error().detail.starts_with((scratch / "run").string() + ": was removed"));
}

// `peer run.toml --out .`
BOOST_AUTO_TEST_CASE(a_run_file_that_a_person_wrote_is_not_replaced) {
  const ScratchDirectory scratch;
  put_contents(scratch / "run.toml", "# mine\nrun.name = \"toy\"\n");
  for (const bool resume : {false, true})
    check_refused(RunDirectory::open(scratch.path(), toy_spec(), resume), scratch.path(),
                  {ErrorCode::Mismatch, "is not empty and holds no run: choose another --out"});
  BOOST_TEST(contents_of(scratch / "run.toml").starts_with("# mine"));
}

BOOST_AUTO_TEST_CASE(two_peers_do_not_share_a_directory) {
  const ScratchDirectory scratch;
  {
    const auto first = RunDirectory::open(scratch / "run", toy_spec(), false);
    BOOST_REQUIRE(first.has_value());
    check_refused(RunDirectory::open(scratch / "run", toy_spec(), false), scratch / "run",
                  {ErrorCode::Limit, "another peer works in this directory: stop it first"});
    BOOST_TEST(RunDirectory::look(scratch / "run").has_value());  // looking is free
  }
  BOOST_TEST(RunDirectory::open(scratch / "run", toy_spec(), false).has_value());
}

BOOST_AUTO_TEST_CASE(a_damaged_run_file_names_its_line) {
  const ScratchDirectory scratch;
  make_trained(scratch / "run", toy_spec());
  put_contents(scratch / "run/run.toml", "[run]\nname = \"toy\nseed = 3\n");
  const auto opened = RunDirectory::open(scratch / "run", toy_spec(), true);
  BOOST_TEST_REQUIRE(!opened.has_value());
  BOOST_TEST((opened.error().code == ErrorCode::Config));
  BOOST_TEST(opened.error().detail.starts_with((scratch / "run/run.toml").string() + ":2"),
             opened.error().detail);
}

BOOST_AUTO_TEST_CASE(looking_finds_the_only_peer_of_a_run) {
  const ScratchDirectory scratch;
  BOOST_REQUIRE(RunDirectory::open(scratch / "run/peer-1", toy_spec(), false));
  const auto found = RunDirectory::look(scratch / "run");
  BOOST_REQUIRE(found.has_value());
  BOOST_TEST(found->path() == scratch / "run/peer-1");
  BOOST_REQUIRE(RunDirectory::open(scratch / "run/peer-2", toy_spec(), false));
  check_refused(RunDirectory::look(scratch / "run"), scratch / "run",
                {ErrorCode::Usage, "holds several peers; name one:"});
}

BOOST_AUTO_TEST_CASE(looking_where_no_run_is_says_where_runs_are) {
  const ScratchDirectory scratch;
  for (const fs::path& path : {scratch.path(), scratch / "not there"})
    check_refused(RunDirectory::look(path), path,
                  {ErrorCode::NotFound, "there is no run here (no run.toml): give the directory"});
}

BOOST_AUTO_TEST_CASE(a_peer_works_below_the_name_of_its_run) {
  BOOST_TEST(default_run_directory(toy_spec(), "a").string() == "runs/toy/peer-a");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

// A run from its run file to its end, broken in every way that leaves a directory behind: what the
// next one makes of it is, in synchronous mode, to the bit what an unbroken run makes.
#include "node/run/training_run.hpp"

#include <boost/test/unit_test.hpp>
#include <filesystem>
#include <string>

#include "node/file_size_limit.hpp"
#include "node/toy_run.hpp"
#include "support/scratch_directory.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(training_run)

namespace {

namespace fs = std::filesystem;
using test::contents_of;
using test::put_contents;
using test::ScratchDirectory;
using testing::check_same_files;
using testing::FileSizeLimit;
using testing::run_toy;
using testing::toy_spec;
using testing::ToyResult;

void require_ending(const ToyResult& result, Ending ending, std::uint64_t generation) {
  BOOST_REQUIRE_MESSAGE(result.outcome.has_value(),
                        (result.outcome ? "" : result.outcome.error().detail));
  BOOST_TEST((result.outcome->ending == ending));
  BOOST_TEST(result.outcome->generation == generation);
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

std::size_t count_of(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_run_leaves_its_file_metrics_checkpoints_a_sheet_and_a_summary) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"output.sheet_every", "2"}});
  require_ending(run_toy(spec, {.directory = scratch / "run"}), Ending::Done, 4);
  for (const char* name :
       {"run.toml", "metrics.jsonl", "summary.json", "samples/final.png",
        "samples/generation-000002.png", "samples/generation-000004.png",
        "checkpoints/000003/cell-00003.safetensors", "checkpoints/000004/cell-00003.safetensors"})
    BOOST_TEST(fs::exists(scratch / "run" / name), name);
  BOOST_TEST(!fs::exists(scratch / "run" / "checkpoints/000002"));
  BOOST_TEST(count_of(contents_of(scratch / "run" / "metrics.jsonl"), "\n") == 16u);
  BOOST_TEST(contains(contents_of(scratch / "run" / "summary.json"), "\"ending\": \"done\""));
}

BOOST_AUTO_TEST_CASE(a_stopped_run_goes_on_to_the_bits_of_an_unbroken_one) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec();
  require_ending(run_toy(spec, {.directory = scratch / "unbroken"}), Ending::Done, 4);
  const ToyResult stopped = run_toy(spec, {.directory = scratch / "broken", .stop_after = 1});
  // The learner is called once more before the stop is seen, and the generation begun is finished.
  require_ending(stopped, Ending::Stopped, 2);
  BOOST_TEST(contains(stopped.said, "stopping: generation 2 is finished and saved first"));
  BOOST_TEST(contains(contents_of(scratch / "broken/summary.json"), "\"ending\": \"stopped\""));
  // Something to look at.
  BOOST_TEST(stopped.outcome->sheet == scratch / "broken/samples/generation-000002.png");
  BOOST_TEST(fs::remove(stopped.outcome->sheet));
  const ToyResult resumed = run_toy(spec, {.directory = scratch / "broken", .resume = true});
  require_ending(resumed, Ending::Done, 4);
  BOOST_TEST(contains(resumed.said, "resumed at generation 2"));
  check_same_files(scratch / "unbroken/checkpoints", scratch / "broken/checkpoints");
  check_same_files(scratch / "unbroken/samples", scratch / "broken/samples");
}

BOOST_AUTO_TEST_CASE(a_stop_whose_sheet_cannot_be_drawn_is_a_stop_all_the_same) {
  const ScratchDirectory scratch;
  const auto spoil = [&](std::uint64_t) {
    fs::remove_all(scratch / "run/samples");
    put_contents(scratch / "run/samples", "no folder");
  };
  const ToyResult stopped = run_toy(
      toy_spec(), {.directory = scratch / "run", .after_generation = spoil, .stop_after = 1});
  require_ending(stopped, Ending::Stopped, 2);
  BOOST_TEST(stopped.outcome->sheet.empty());
  BOOST_TEST(contains(stopped.said, "warning: "));
  BOOST_TEST(contains(contents_of(scratch / "run/summary.json"), "\"ending\": \"stopped\""));
}

// kill -9 leaves the directory as it is at that moment. The shares of the cells differ in size
// here, so that they end their generations at different moments.
BOOST_AUTO_TEST_CASE(a_killed_run_goes_on_to_the_bits_of_an_unbroken_one) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"grid.rows", "1"},
                                 {"grid.columns", "3"},
                                 {"run.generations", "5"},
                                 {"data.partition", "label"},
                                 {"algorithm.batches_per_generation", "0"},
                                 {"algorithm.loss", "mustangs"},
                                 {"algorithm.moments", "true"}});
  const auto copy = [&](std::uint64_t generation) {
    fs::copy(scratch / "unbroken", scratch / ("killed-" + std::to_string(generation)),
             fs::copy_options::recursive);
  };
  require_ending(run_toy(spec, {.directory = scratch / "unbroken", .after_generation = copy}),
                 Ending::Done, 5);
  for (const std::uint64_t generation : {1, 3, 4}) {
    const fs::path killed = scratch / ("killed-" + std::to_string(generation));
    // Another number of threads, too.
    require_ending(run_toy(spec, {.directory = killed, .resume = true, .threads = 2}), Ending::Done,
                   5);
    check_same_files(scratch / "unbroken/checkpoints", killed / "checkpoints");
    check_same_files(scratch / "unbroken/samples", killed / "samples");
  }
}

BOOST_AUTO_TEST_CASE(a_run_killed_within_a_generation_goes_on_from_the_last_whole_one) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec();
  const auto copy = [&](std::uint64_t generation) {
    if (generation != 2) return;
    fs::copy(scratch / "unbroken", scratch / "killed", fs::copy_options::recursive);
    // Half of the next generation is there.
    fs::copy(scratch / "killed/checkpoints/000002", scratch / "killed/checkpoints/000003.partial");
    fs::remove(scratch / "killed/checkpoints/000003.partial/cell-00003.safetensors");
    test::put_contents(scratch / "killed/checkpoints/000003.partial/cell-00002.safetensors", "cut");
  };
  require_ending(run_toy(spec, {.directory = scratch / "unbroken", .after_generation = copy}),
                 Ending::Done, 4);
  const ToyResult resumed = run_toy(spec, {.directory = scratch / "killed", .resume = true});
  require_ending(resumed, Ending::Done, 4);
  BOOST_TEST(contains(resumed.said, "resumed at generation 2"));
  check_same_files(scratch / "unbroken/checkpoints", scratch / "killed/checkpoints");
}

BOOST_AUTO_TEST_CASE(the_number_of_threads_changes_no_bit) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"run.generations", "2"}, {"algorithm.score", "\"modes\""}});
  require_ending(run_toy(spec, {.directory = scratch / "one"}), Ending::Done, 2);
  require_ending(run_toy(spec, {.directory = scratch / "two", .threads = 2}), Ending::Done, 2);
  check_same_files(scratch / "one/checkpoints", scratch / "two/checkpoints");
  check_same_files(scratch / "one/samples", scratch / "two/samples");
}

BOOST_AUTO_TEST_CASE(an_asynchronous_run_resumes_from_one_generation_of_all_cells) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"algorithm.sync", "false"}});
  require_ending(run_toy(spec, {.directory = scratch / "run", .stop_after = 1}), Ending::Stopped,
                 2);
  require_ending(run_toy(spec, {.directory = scratch / "run", .resume = true}), Ending::Done, 4);
}

BOOST_AUTO_TEST_CASE(an_extended_run_is_the_longer_run_to_the_bit) {
  const ScratchDirectory scratch;
  const RunSpec longer = toy_spec({{"run.generations", "6"}});
  require_ending(run_toy(longer, {.directory = scratch / "unbroken"}), Ending::Done, 6);
  require_ending(run_toy(toy_spec(), {.directory = scratch / "run"}), Ending::Done, 4);
  require_ending(run_toy(longer, {.directory = scratch / "run", .resume = true}), Ending::Done, 6);
  check_same_files(scratch / "unbroken/checkpoints", scratch / "run/checkpoints");
}

BOOST_AUTO_TEST_CASE(a_run_that_is_done_is_left_as_it_is) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"run.generations", "1"}});
  require_ending(run_toy(spec, {.directory = scratch / "run"}), Ending::Done, 1);
  const auto before = testing::files_below(scratch / "run");
  require_ending(run_toy(spec, {.directory = scratch / "run", .resume = true}), Ending::DoneBefore,
                 1);
  BOOST_TEST((testing::files_below(scratch / "run") == before));
}

BOOST_AUTO_TEST_CASE(a_run_that_has_more_generations_than_asked_for_is_left_as_it_is) {
  const ScratchDirectory scratch;
  require_ending(run_toy(toy_spec(), {.directory = scratch / "run", .stop_after = 1}),
                 Ending::Stopped, 2);
  const auto before = testing::files_below(scratch / "run");
  const RunSpec fewer = toy_spec({{"run.generations", "1"}});
  require_ending(run_toy(fewer, {.directory = scratch / "run", .resume = true}), Ending::DoneBefore,
                 2);
  BOOST_TEST((testing::files_below(scratch / "run") == before));
}

BOOST_AUTO_TEST_CASE(a_run_killed_after_its_last_checkpoint_still_draws_its_sheet) {
  const ScratchDirectory scratch;
  for (const std::string score : {"none", "modes"}) {
    const fs::path run = scratch / score;
    const RunSpec spec = toy_spec(
        {{"run.seed", "4"}, {"data.scale", "0.01"}, {"algorithm.score", '"' + score + '"'}});
    const ToyResult unbroken = run_toy(spec, {.directory = run});
    require_ending(unbroken, Ending::Done, 4);
    BOOST_TEST_REQUIRE(unbroken.outcome->best_cell.value > 0u, score);
    const std::string sheet = contents_of(run / "samples/final.png");
    fs::remove(run / "samples/final.png");
    fs::remove(run / "summary.json");
    const ToyResult resumed = run_toy(spec, {.directory = run, .resume = true});
    require_ending(resumed, Ending::Done, 4);
    BOOST_TEST(resumed.outcome->best_cell == unbroken.outcome->best_cell);
    BOOST_TEST((resumed.outcome->best_score == unbroken.outcome->best_score));
    BOOST_TEST((contents_of(run / "samples/final.png") == sheet));
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_the_disk_refuses_is_said_once_and_tried_again) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"run.generations", "6"}});
  std::optional<FileSizeLimit> limit;
  bool kept_while_full = false;
  const auto fill_and_free = [&](std::uint64_t generation) {
    if (generation == 2) limit.emplace(200'000);
    if (generation == 4) {
      kept_while_full = fs::exists(scratch / "run/checkpoints/000002/cell-00003.safetensors") &&
                        !fs::exists(scratch / "run/checkpoints/000003") &&
                        !fs::exists(scratch / "run/checkpoints/000003.partial");
      limit.reset();
    }
  };
  const ToyResult result =
      run_toy(spec, {.directory = scratch / "run", .after_generation = fill_and_free});
  require_ending(result, Ending::Done, 6);
  BOOST_TEST(kept_while_full);
  BOOST_TEST(count_of(result.said, "warning: ") == 1u);
  BOOST_TEST(contains(result.said,
                      "000003.partial/cell-00000.safetensors cannot be written: File too large"));
  BOOST_TEST(contains(result.said, "training goes on; the last checkpoint is kept"));
  require_ending(run_toy(spec, {.directory = scratch / "unbroken"}), Ending::Done, 6);
  check_same_files(scratch / "unbroken/checkpoints", scratch / "run/checkpoints");
}

BOOST_AUTO_TEST_CASE(a_run_whose_last_checkpoint_cannot_be_written_ends_with_an_error) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec();
  std::optional<FileSizeLimit> limit;
  const auto fill = [&](std::uint64_t generation) {
    if (generation == 2) limit.emplace(200'000);
  };
  const ToyResult full = run_toy(spec, {.directory = scratch / "run", .after_generation = fill});
  limit.reset();
  BOOST_TEST_REQUIRE(!full.outcome.has_value());
  BOOST_TEST((full.outcome.error().code == ErrorCode::Io));
  BOOST_TEST(contains(full.outcome.error().detail, "000004.partial/cell-00000.safetensors"));
  BOOST_TEST(contains(full.outcome.error().detail, "raise the limit on file sizes"));
  BOOST_TEST(contains(full.said, "generation 4/4"));  // it trained on
  BOOST_TEST(fs::exists(scratch / "run/checkpoints/000002"));
  require_ending(run_toy(spec, {.directory = scratch / "run", .resume = true}), Ending::Done, 4);
  require_ending(run_toy(spec, {.directory = scratch / "unbroken"}), Ending::Done, 4);
  check_same_files(scratch / "unbroken/checkpoints", scratch / "run/checkpoints");
}

// Without it no later generation could be saved, and the others would train for nothing.
BOOST_AUTO_TEST_CASE(a_cell_that_cannot_go_on_ends_the_run_and_what_was_saved_stays) {
  for (const char* sync : {"true", "false"}) {
    const ScratchDirectory scratch;
    const RunSpec spec = toy_spec({{"algorithm.sync", sync}});
    const ToyResult failed = run_toy(spec, {.directory = scratch / "run", .fail_after = 2});
    BOOST_TEST_REQUIRE(!failed.outcome.has_value());
    BOOST_TEST((failed.outcome.error().code == ErrorCode::NotFinite));
    BOOST_TEST(failed.outcome.error().detail == "cell 1: a loss is not finite");
    BOOST_TEST(!contains(failed.said, "generation 3/4"));
    BOOST_TEST(fs::exists(scratch / "run/checkpoints/000002"));
    require_ending(run_toy(spec, {.directory = scratch / "run", .resume = true}), Ending::Done, 4);
  }
}

// It said in the same breath that its generation ended.
BOOST_AUTO_TEST_CASE(a_generation_that_a_cell_could_not_publish_is_no_checkpoint) {
  for (const char* sync : {"true", "false"}) {
    const ScratchDirectory scratch;
    const RunSpec spec = toy_spec({{"algorithm.sync", sync},
                                   {"exchange.codec", "\"fp16\""},
                                   {"output.checkpoints_kept", "1"}});
    const ToyResult failed = run_toy(spec, {.directory = scratch / "run", .overflow_at = 3});
    BOOST_TEST_REQUIRE(!failed.outcome.has_value());
    BOOST_TEST((failed.outcome.error().code == ErrorCode::NotFinite));
    BOOST_TEST(failed.outcome.error().detail.starts_with("cell 1: "));
    BOOST_TEST(!contains(failed.said, "generation 3/4"));
    BOOST_TEST(!fs::exists(scratch / "run/checkpoints/000003"));
    BOOST_TEST(fs::exists(scratch / "run/checkpoints/000002/cell-00003.safetensors"));
    require_ending(run_toy(spec, {.directory = scratch / "run", .resume = true}), Ending::Done, 4);
  }
}

BOOST_AUTO_TEST_CASE(a_checkpoint_that_lacks_a_cell_is_refused_with_the_next_step) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec();
  require_ending(run_toy(spec, {.directory = scratch / "run", .stop_after = 1}), Ending::Stopped,
                 2);
  fs::remove(scratch / "run/checkpoints/000002/cell-00001.safetensors");
  const ToyResult resumed = run_toy(spec, {.directory = scratch / "run", .resume = true});
  BOOST_TEST_REQUIRE(!resumed.outcome.has_value());
  BOOST_TEST((resumed.outcome.error().code == ErrorCode::Corrupt));
  BOOST_TEST(contains(resumed.outcome.error().detail, "checkpoints/000002: lacks cell 1; remove "));
  BOOST_TEST(contains(resumed.outcome.error().detail, "to resume from generation 1"));
}

BOOST_AUTO_TEST_CASE(a_run_that_was_refused_has_changed_nothing) {
  const ScratchDirectory scratch;
  require_ending(run_toy(toy_spec(), {.directory = scratch / "run", .stop_after = 1}),
                 Ending::Stopped, 2);
  const auto before = testing::files_below(scratch / "run");
  const RunSpec narrow = toy_spec({{"grid.rows", "1"}});
  const ToyResult refused = run_toy(narrow, {.directory = scratch / "run", .resume = true});
  BOOST_TEST_REQUIRE(!refused.outcome.has_value());
  BOOST_TEST((refused.outcome.error().code == ErrorCode::Mismatch));
  BOOST_TEST((testing::files_below(scratch / "run") == before));
}

// The lines of generations that are trained again go, and no line is there twice or missing.
BOOST_AUTO_TEST_CASE(the_metrics_of_a_killed_run_end_with_one_line_per_cell_and_generation) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec({{"output.checkpoint_every", "2"}});
  const auto copy = [&](std::uint64_t generation) {
    fs::copy(scratch / "unbroken", scratch / ("killed-" + std::to_string(generation)),
             fs::copy_options::recursive);
  };
  require_ending(run_toy(spec, {.directory = scratch / "unbroken", .after_generation = copy}),
                 Ending::Done, 4);
  for (const char* killed : {"killed-1", "killed-2", "killed-3"}) {
    const ToyResult resumed = run_toy(spec, {.directory = scratch / killed, .resume = true});
    require_ending(resumed, Ending::Done, 4);
    BOOST_TEST(contains(resumed.said, "nothing was saved yet") ==
               (std::string_view(killed) == "killed-1"));
    const std::string metrics = contents_of(scratch / killed / "metrics.jsonl");
    BOOST_TEST(count_of(metrics, "\n") == 16u);
    for (const char* cell : {"0", "1", "2", "3"})
      for (const char* generation : {"1", "2", "3", "4"})
        BOOST_TEST(count_of(metrics, std::string("{\"cell\":") + cell +
                                         ",\"generation\":" + generation + ",") == 1u);
  }
}

BOOST_AUTO_TEST_CASE(a_run_whose_directory_was_moved_away_ends_and_makes_no_other) {
  for (const bool removed : {false, true}) {
    const ScratchDirectory scratch;
    const auto move_away = [&](std::uint64_t generation) {
      if (generation != 2) return;
      fs::rename(scratch / "run", scratch / "moved");
      if (removed) fs::remove_all(scratch / "moved");
    };
    const ToyResult result =
        run_toy(toy_spec(), {.directory = scratch / "run", .after_generation = move_away});
    BOOST_TEST_REQUIRE(!result.outcome.has_value());
    BOOST_TEST((result.outcome.error().code == ErrorCode::Io));
    BOOST_TEST(contains(result.outcome.error().detail, "run: was removed or renamed"));
    BOOST_TEST(!contains(result.said, "warning"), result.said);
    BOOST_TEST(!fs::exists(scratch / "run"));
    if (removed) continue;
    // Put back it goes on.
    fs::rename(scratch / "moved", scratch / "run");
    require_ending(run_toy(toy_spec(), {.directory = scratch / "run", .resume = true}),
                   Ending::Done, 4);
  }
}

BOOST_AUTO_TEST_CASE(metrics_that_are_none_of_the_run_are_set_aside_and_said) {
  const ScratchDirectory scratch;
  const RunSpec spec = toy_spec();
  require_ending(run_toy(spec, {.directory = scratch / "run", .stop_after = 1}), Ending::Stopped,
                 2);
  const fs::path metrics = scratch / "run/metrics.jsonl";
  const std::string before = contents_of(metrics);
  test::put_contents(metrics, before + "a note\n{}\n");
  const ToyResult resumed = run_toy(spec, {.directory = scratch / "run", .resume = true});
  require_ending(resumed, Ending::Done, 4);
  BOOST_TEST(contains(resumed.said, "2 lines were no metrics of this run"), resumed.said);
  BOOST_TEST(contents_of(metrics).starts_with(before));
  BOOST_TEST(contents_of(scratch / "run/metrics.jsonl.damaged") == before + "a note\n{}\n");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

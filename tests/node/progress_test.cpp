// What a person sees while a run trains, letter for letter.
#include "node/run/progress.hpp"

#include <boost/test/unit_test.hpp>
#include <cstdio>
#include <string>

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(progress)

namespace {

ProgressLine line() {
  return {.generation = 12,
          .generations = 100,
          .part = 0.125,
          .score = 34.14,
          .generator_fitness = 0.8312,
          .discriminator_fitness = 0.6149,
          .images_per_second = 12'345.9,
          .seconds_left = 192.4,
          .verdict = "improving"};
}

// A file is no terminal: lines, no bar.
struct Paper {
  std::FILE* file = std::tmpfile();
  ~Paper() { std::fclose(file); }

  std::string text() const {
    std::fflush(file);
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file))
      text.push_back(static_cast<char>(c));
    return text;
  }
};

}  // namespace

BOOST_AUTO_TEST_CASE(a_line_names_each_of_its_numbers) {
  BOOST_TEST(progress_text(line()) ==
             "generation 12/100  score 34.1  G 0.831  D 0.615  12,345 images/s  3m12s left  "
             "improving");
}

BOOST_AUTO_TEST_CASE(what_is_not_known_yet_is_left_out) {
  ProgressLine early = line();
  early.score.reset();
  early.seconds_left.reset();
  early.images_per_second = 0;
  early.verdict = "starting";
  BOOST_TEST(progress_text(early) == "generation 12/100  G 0.831  D 0.615  starting");
}

BOOST_AUTO_TEST_CASE(before_the_first_generation_there_is_no_fitness) {
  ProgressLine begin = line();
  begin.score = begin.generator_fitness = begin.discriminator_fitness = begin.seconds_left = {};
  begin.images_per_second = 0;
  BOOST_TEST(progress_text(begin) == "generation 12/100  improving");
}

BOOST_AUTO_TEST_CASE(a_narrow_terminal_keeps_what_matters) {
  const std::string whole = "[##..................] " + progress_text(line());
  BOOST_TEST(bar_text(line(), whole.size() + 1) == whole);
  BOOST_TEST(bar_text(line(), whole.size()) == progress_text(line()));
  const std::string no_rate =
      "generation 12/100  score 34.1  G 0.831  D 0.615  3m12s left  improving";
  BOOST_TEST(bar_text(line(), 80) == no_rate);
  BOOST_TEST(bar_text(line(), no_rate.size()) ==
             "generation 12/100  score 34.1  3m12s left  improving");
  BOOST_TEST(bar_text(line(), 21) == "generation 12/100  s");
  BOOST_TEST(bar_text(line(), 1) == "");
}

BOOST_AUTO_TEST_CASE(a_file_gets_a_line_a_generation_and_no_bar) {
  const Paper paper;
  Progress progress(paper.file);
  progress.say("hello");
  progress.tick(line(), {});
  progress.generation(line(), {});
  progress.tick(line(), TimePoint{std::chrono::seconds(9)});
  progress.finish();
  BOOST_TEST(paper.text() == "hello\n" + progress_text(line()) + "\n");
}

BOOST_AUTO_TEST_CASE(each_level_says_less_than_the_one_before) {
  const auto said_at = [](LogLevel level) {
    const Paper paper;
    Progress progress(paper.file, level);
    progress.say("hello");
    progress.warn("look here");
    progress.generation(line(), {});
    progress.finish();
    return paper.text();
  };
  BOOST_TEST(said_at(LogLevel::Info) == "hello\nlook here\n" + progress_text(line()) + "\n");
  BOOST_TEST(said_at(LogLevel::Warning) == "look here\n");
  BOOST_TEST(said_at(LogLevel::Error) == "");
  BOOST_TEST(said_at(LogLevel::Off) == "");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

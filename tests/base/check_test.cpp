// CHECK ends the program, and says where and why. The failing ones run in a child process.
#include "base/check.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <boost/test/unit_test.hpp>
#include <csignal>

BOOST_AUTO_TEST_SUITE(checks)

namespace {

struct Ending {
  bool aborted = false;
  std::string standard_error;
};

template <class F>
Ending in_a_child(F function) {
  std::array<int, 2> pipe_ends{};
  BOOST_REQUIRE_EQUAL(::pipe(pipe_ends.data()), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGABRT, SIG_DFL);  // Boost.Test has a handler of its own
    ::dup2(pipe_ends[1], STDERR_FILENO);
    function();
    ::_exit(0);
  }
  BOOST_REQUIRE_GT(child, 0);
  ::close(pipe_ends[1]);
  Ending ending;
  std::array<char, 512> text;
  for (ssize_t got; (got = ::read(pipe_ends[0], text.data(), text.size())) > 0;)
    ending.standard_error.append(text.data(), static_cast<std::size_t>(got));
  ::close(pipe_ends[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  ending.aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
  return ending;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_check_that_holds_does_nothing) {
  int evaluated = 0;
  CHECK(++evaluated == 1);
  CHECK(evaluated == 1, "not shown", ++evaluated);
  BOOST_TEST(evaluated == 1);  // the values that explain are only computed for a failure
}

BOOST_AUTO_TEST_CASE(a_check_that_fails_ends_the_program_with_place_condition_and_values) {
  const int rows = 3;
  const Ending ending = in_a_child([&] { CHECK(rows == 4, rows, "rows"); });
  BOOST_TEST(ending.aborted);
  BOOST_TEST(ending.standard_error.find("check_test.cpp:") != std::string::npos);
  BOOST_TEST(ending.standard_error.find("CHECK failed: rows == 4 with 3 rows\n") !=
             std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_check_without_values_says_only_what_failed) {
  const Ending ending = in_a_child([] { CHECK(1 + 1 == 3); });
  BOOST_TEST(ending.aborted);
  BOOST_TEST(ending.standard_error.ends_with("CHECK failed: 1 + 1 == 3\n"));
}

BOOST_AUTO_TEST_CASE(a_check_is_one_statement) {
  // An else after it belongs to the outer if.
  bool other = false;
  if (other)
    CHECK(true);
  else
    other = true;
  BOOST_TEST(other);
}

BOOST_AUTO_TEST_SUITE_END()

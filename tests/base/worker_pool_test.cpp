// The pool runs every task once, whatever the number of threads, nested or not, and passes
// exceptions on.
#include "base/worker_pool.hpp"

#include <sys/resource.h>

#include <atomic>
#include <barrier>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <set>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

#include "support/signal_of.hpp"

using namespace quadrille;

BOOST_AUTO_TEST_SUITE(worker_pools)

namespace {

constexpr std::size_t thread_counts[] = {1, 2, 3, 8};

// What run() throws, or nothing.
std::string thrown_by(WorkerPool& pool, std::size_t count, TaskRef task) {
  try {
    pool.run(count, task);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_task_runs_once_for_counts_below_and_above_the_threads) {
  for (const std::size_t threads : thread_counts) {
    WorkerPool pool(threads);
    BOOST_TEST(pool.thread_count() == threads);
    for (const std::size_t count : {0u, 1u, 2u, 3u, 7u, 8u, 9u, 1000u}) {
      std::vector<std::atomic<int>> ran(count);
      pool.run(count, [&](std::size_t index) { ++ran.at(index); });
      for (const auto& times : ran) BOOST_TEST(times == 1);
    }
  }
}

BOOST_AUTO_TEST_CASE(what_tasks_wrote_is_seen_after_the_run) {
  WorkerPool pool(4);
  std::vector<std::size_t> squares(500);  // plain memory: a thread sanitizer watches it
  for (int round = 0; round < 50; ++round) {
    pool.run(squares.size(), [&](std::size_t index) { squares[index] = index * index; });
    for (std::size_t i = 0; i < squares.size(); ++i) BOOST_REQUIRE_EQUAL(squares[i], i * i);
  }
}

BOOST_AUTO_TEST_CASE(tasks_run_on_all_threads_at_once) {
  constexpr std::size_t threads = 4;
  WorkerPool pool(threads);
  std::barrier together(threads);  // passes only when four tasks are under way
  pool.run(threads, [&](std::size_t) { together.arrive_and_wait(); });
}

BOOST_AUTO_TEST_CASE(a_task_may_run_tasks_of_its_own) {
  for (const std::size_t threads : thread_counts) {
    WorkerPool pool(threads);
    std::atomic<int> leaves = 0;
    pool.run(6, [&](std::size_t) {
      pool.run(5, [&](std::size_t) { pool.run(4, [&](std::size_t) { ++leaves; }); });
    });
    BOOST_TEST(leaves == 6 * 5 * 4);
  }
}

BOOST_AUTO_TEST_CASE(other_threads_help_with_an_inner_run) {
  WorkerPool pool(2);
  std::barrier together(2);
  // The inner tasks need two threads at once, and one of the two may still be busy with the outer
  // run's first task.
  pool.run(2, [&](std::size_t outer) {
    if (outer == 0) return;
    pool.run(2, [&](std::size_t) { together.arrive_and_wait(); });
  });
}

BOOST_AUTO_TEST_CASE(several_threads_may_use_one_pool) {
  WorkerPool pool(3);
  std::atomic<int> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int round = 0; round < 100; ++round) pool.run(7, [&](std::size_t) { ++done; });
      });
  }
  BOOST_TEST(done == 4 * 100 * 7);
}

BOOST_AUTO_TEST_CASE(an_exception_reaches_the_caller_and_the_other_tasks_still_run) {
  for (const std::size_t threads : thread_counts) {
    WorkerPool pool(threads);
    for (const std::size_t count : {1u, 2u, 100u}) {
      std::atomic<std::size_t> ran = 0;
      const std::string thrown = thrown_by(pool, count, [&](std::size_t index) {
        ++ran;
        if (index == 0) throw std::runtime_error("task 0");
      });
      BOOST_TEST(thrown == "task 0");
      BOOST_TEST(ran == count);
    }
  }
}

BOOST_AUTO_TEST_CASE(of_several_exceptions_that_of_the_lowest_index_is_thrown) {
  for (const std::size_t threads : thread_counts) {
    WorkerPool pool(threads);
    for (int round = 0; round < 50; ++round)
      BOOST_TEST(thrown_by(pool, 40, [](std::size_t index) {
                   if (index % 10 == 3) throw std::runtime_error("task " + std::to_string(index));
                 }) == "task 3");
  }
}

BOOST_AUTO_TEST_CASE(an_exception_of_an_inner_run_passes_through_the_outer_one) {
  for (const std::size_t threads : thread_counts) {
    WorkerPool pool(threads);
    const std::string thrown = thrown_by(pool, 4, [&](std::size_t outer) {
      pool.run(4, [&](std::size_t inner) {
        if (outer == 2 && inner == 1) throw std::runtime_error("inner");
      });
    });
    BOOST_TEST(thrown == "inner");
  }
}

BOOST_AUTO_TEST_CASE(a_pool_works_on_after_an_exception) {
  WorkerPool pool(3);
  for (int round = 0; round < 20; ++round) {
    BOOST_TEST(thrown_by(pool, 10, [](std::size_t) { throw std::runtime_error("all"); }) == "all");
    std::atomic<int> ran = 0;
    pool.run(10, [&](std::size_t) { ++ran; });
    BOOST_TEST(ran == 10);
  }
}

// Sanitizers take addresses of their own, and end the program when there are none.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(threads_that_the_system_does_not_have_are_an_exception) {
  const auto too_many = [] {
    const rlimit addresses{1 << 30, 1 << 30};  // of which a thread's stack takes some megabytes
    ::setrlimit(RLIMIT_AS, &addresses);
    try {
      WorkerPool pool(10'000);
    } catch (const std::system_error&) {
      std::raise(SIGUSR1);
    }
  };
  BOOST_TEST(quadrille::test::signal_of(too_many) == SIGUSR1);
}
#endif

BOOST_AUTO_TEST_CASE(one_thread_is_the_caller_s_own) {
  WorkerPool pool(1);
  std::set<std::thread::id> ids;
  pool.run(5, [&](std::size_t) { ids.insert(std::this_thread::get_id()); });
  BOOST_TEST((ids == std::set{std::this_thread::get_id()}));
}

BOOST_AUTO_TEST_CASE(a_task_may_be_a_const_or_a_temporary_callable) {
  WorkerPool pool(2);
  std::atomic<int> ran = 0;
  const auto task = [&](std::size_t) { ++ran; };
  pool.run(3, task);
  pool.run(3, TaskRef(task));
  BOOST_TEST(ran == 6);
}

BOOST_AUTO_TEST_SUITE_END()

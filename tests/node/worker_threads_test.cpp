// As many threads as are asked for, or the option that takes fewer.
#include "node/run/worker_threads.hpp"

#include <sys/resource.h>

#include <boost/test/unit_test.hpp>
#include <csignal>

#include "support/signal_of.hpp"

namespace quadrille::node {

BOOST_AUTO_TEST_SUITE(worker_threads)

BOOST_AUTO_TEST_CASE(as_many_are_started_as_are_asked_for) {
  const auto pool = start_threads(3);
  BOOST_TEST_REQUIRE(pool.has_value());
  BOOST_TEST((*pool)->thread_count() == 3u);
}

// Sanitizers take addresses of their own, and end the program when there are none.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
BOOST_AUTO_TEST_CASE(what_the_system_does_not_start_is_an_error_that_names_the_option) {
  const auto too_many = [] {
    const rlimit addresses{1 << 30, 1 << 30};  // of which a thread's stack takes some megabytes
    ::setrlimit(RLIMIT_AS, &addresses);
    const auto pool = start_threads(10'000);
    if (!pool && pool.error().code == ErrorCode::Io &&
        pool.error().detail ==
            "10000 threads cannot be started: Resource temporarily unavailable; give fewer with "
            "--threads")
      std::raise(SIGUSR1);
  };
  BOOST_TEST(test::signal_of(too_many) == SIGUSR1);
}
#endif

BOOST_AUTO_TEST_SUITE_END()

}  // namespace quadrille::node

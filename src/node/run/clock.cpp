#include "node/run/clock.hpp"

#include <chrono>
#include <ctime>
#include <thread>

namespace quadrille::node {

using SteadyClock = std::chrono::steady_clock;

TimePoint SystemClock::now() {
  return {std::chrono::duration_cast<Duration>(SteadyClock::now().time_since_epoch())};
}

void SystemClock::sleep_until(TimePoint time) {
  std::this_thread::sleep_until(
      SteadyClock::time_point(std::chrono::duration_cast<SteadyClock::duration>(time.since_start)));
}

double process_cpu_seconds() {
  timespec used{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + 1e-9 * static_cast<double>(used.tv_nsec);
}

}  // namespace quadrille::node

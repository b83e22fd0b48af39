// The driver's clock. Everything below node is handed the time; here it comes from the system, in
// tests from a hand-turned clock.
#pragma once

#include "base/time.hpp"

namespace quadrille::node {

class Clock {
 public:
  virtual ~Clock() = default;
  virtual TimePoint now() = 0;
  virtual void sleep_until(TimePoint time) = 0;
};

// The steady clock of the system.
class SystemClock final : public Clock {
 public:
  TimePoint now() override;
  void sleep_until(TimePoint time) override;
};

// Seconds of CPU time that this process has used.
double process_cpu_seconds();

}  // namespace quadrille::node

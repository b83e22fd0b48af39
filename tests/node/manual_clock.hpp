// A clock that a test turns by hand; a sleep jumps to its end.
#pragma once

#include "node/run/clock.hpp"

namespace quadrille::testing {

class ManualClock final : public node::Clock {
 public:
  TimePoint now() override { return now_; }
  void sleep_until(TimePoint time) override { now_ = time; }
  void advance(Duration delta) { now_ = now_ + delta; }

 private:
  TimePoint now_;
};

}  // namespace quadrille::testing

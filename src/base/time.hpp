// Time as a value. Only swarm and node read a clock; everything else is handed a TimePoint.
#pragma once

#include <chrono>

namespace quadrille {

using Duration = std::chrono::nanoseconds;

// A point on the driver's steady clock, whose zero means nothing.
struct TimePoint {
  Duration since_start{};

  // Later than all others: of a deadline that there is none.
  static constexpr TimePoint never() { return {Duration::max()}; }
  auto operator<=>(const TimePoint&) const = default;
};

inline double in_seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

inline TimePoint operator+(TimePoint time, Duration delta) {
  return {time.since_start + delta};
}
inline Duration operator-(TimePoint a, TimePoint b) {
  return a.since_start - b.since_start;
}

}  // namespace quadrille

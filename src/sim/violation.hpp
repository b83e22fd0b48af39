// An invariant that does not hold: which, where, and what was seen. It ends the run.
#pragma once

#include <string>

#include "base/printed.hpp"
#include "base/time.hpp"
#include "sim/event_queue.hpp"

namespace quadrille::sim {

struct Violation {
  std::string invariant;  // "I3"; docs/simulation.md lists them
  NodeIndex node = 0;
  std::string text;
  TimePoint time;
};

// Of a time that whoever collects violations fills in.
Violation broken(const char* invariant, NodeIndex node, const auto&... parts) {
  return {.invariant = invariant, .node = node, .text = printed(parts...), .time = {}};
}

}  // namespace quadrille::sim

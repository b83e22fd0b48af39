// What a fleet that has nothing to do sends and costs: the price of staying together.
#pragma once

#include <optional>

#include "base/time.hpp"
#include "sim/report.hpp"
#include "sim/scenario.hpp"
#include "sim/world.hpp"

namespace quadrille::sim {

// Waits until what happened before has died away, measures for `length`, and reports the bytes and
// datagrams of a peer, the cost of a second, and cells that moved, which none may.
struct RestOptions {
  Duration length{};
  std::optional<double> cpu_max;  // seconds of one core for a second of the fleet
};
void measure_at_rest(World& world, const ScenarioOptions& options, const RestOptions& rest,
                     Report& report);

}  // namespace quadrille::sim

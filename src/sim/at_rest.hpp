// What a fleet does once it has come to rest: it stays so, every edge goes on bringing rounds, and
// it sends and costs what staying together is worth.
#pragma once

#include <optional>

#include "base/time.hpp"
#include "sim/report.hpp"
#include "sim/scenario.hpp"
#include "sim/world.hpp"

namespace quadrille::sim {

// For `length`, or longer if edges need it: L5, no cell moves, and L6, every edge brings a round.
// In a synchronous run the half that is ahead first waits until the other one has caught up.
void check_rest(World& world, Duration length, Report& report);

// Waits until what happened before has died away, measures for `length`, and reports the bytes and
// datagrams of a peer, the cost of a second, and cells that moved, which none may.
struct RestOptions {
  Duration length{};
  std::optional<double> cpu_max;  // seconds of one core for a second of the fleet
};
void measure_at_rest(World& world, const ScenarioOptions& options, const RestOptions& rest,
                     Report& report);

}  // namespace quadrille::sim

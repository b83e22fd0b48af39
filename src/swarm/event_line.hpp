// What a peer tells, as a line for a person: hosts by their names, a cell where the event is about
// one.
#pragma once

#include <string>

#include "sim/world.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::swarm {

// "31.020 s host-4 cell gained cell 7: claimed"
std::string event_line(const sim::World& world, sim::NodeIndex teller,
                       const wire::WatchEvent& event);

}  // namespace quadrille::swarm

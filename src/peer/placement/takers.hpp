// The peers of a view that can be given cells, as Plan takes them, and what a fair share of the
// grid is for each.
#pragma once

#include <vector>

#include "peer/placement/owner_map.hpp"
#include "peer/placement/plan.hpp"

namespace quadrille::peer {

// Live, not leaving, with capacity, and with a run to spare in its record.
std::vector<Taker> takers_of(const OwnerMap& owners);
// How many of them hold less than they can.
std::uint32_t takers_with_room(const OwnerMap& owners);

// The level if all cells were dealt out anew: nobody has to hold more than its ceiling, and nobody
// who could hold more should hold less than its floor.
WaterLevel fair_level(const OwnerMap& owners);

}  // namespace quadrille::peer

// A peer that leaves hands its cells over: to those whom the plan would give them to if they were
// vacant, and what one of those declines to another. More stretches than a record can yield at once
// go in turn.
#pragma once

#include "base/time.hpp"
#include "peer/placement/holdings.hpp"
#include "peer/placement/placement_output.hpp"

namespace quadrille::peer {

class Departure {
 public:
  // For how long it waits for a taker, from the act() that yields to it.
  explicit Departure(Duration yield_deadline) : yield_deadline_(yield_deadline) {}

  void note() { planned_ = false; }  // a change of the view
  // Yields what it can, when the view changed since it last did. The peer is leaving, and its
  // record says so.
  void act(Holdings& holdings, TimePoint now, PlacementOutput& out);
  // Everything was taken, or nobody can take it, or wants it.
  bool is_done(const Holdings& holdings) const;

 private:
  Duration yield_deadline_;
  bool planned_ = false;
};

}  // namespace quadrille::peer

// What placement wants done, as words that a test can be read by.
#pragma once

#include <sstream>
#include <utility>
#include <variant>

#include "base/overloaded.hpp"
#include "peer/placement/placement_output.hpp"
#include "peer/words.hpp"

namespace quadrille::peer::test {

// Peers by their numbers: see records.hpp.
inline Words words_of(const PlacementOutput& out) {
  Words words;
  for (const PlacementOutput::Action& action : out.actions) {
    std::ostringstream word;
    std::visit(Overloaded{
                   [&](const PlacementOutput::Gained& gained) { word << "gained " << gained.cell; },
                   [&](const PlacementOutput::Offered& offered) {
                     word << "offered " << offered.cell << " by " << offered.from.low;
                   },
                   [&](const PlacementOutput::Dropped& dropped) {
                     word << "dropped " << dropped.cell;
                     if (dropped.winner) word << " to " << dropped.winner->low;
                   },
                   [&](const PlacementOutput::Yielding& yielding) {
                     word << "yielding " << yielding.cell << " to " << yielding.to.low;
                   },
                   [&](const PlacementOutput::Returned& returned) {
                     word << "returned " << returned.cell;
                   },
                   [&](const PlacementOutput::Grown& grown) {
                     word << "grown to " << grown.grid.epoch.rows << " x "
                          << grown.grid.epoch.columns;
                   },
               },
               action);
    words.push_back(std::move(word).str());
  }
  if (out.claims_changed) words.push_back("changed");
  return words;
}

}  // namespace quadrille::peer::test

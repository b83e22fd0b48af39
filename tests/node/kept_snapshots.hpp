// Copies of what an exchange keeps of a cell, as a checkpoint of it would be read back.
#pragma once

#include <vector>

#include "node/run/local_exchange.hpp"

namespace quadrille::testing {

inline std::vector<node::PublishedSnapshot> snapshots_in(const node::LocalExchange& exchange,
                                                         CellIndex source) {
  std::vector<node::PublishedSnapshot> copies;
  for (const auto& [snapshot, values] : exchange.kept(source))
    copies.emplace_back(snapshot).values.assign(values.begin(), values.end());
  return copies;
}

}  // namespace quadrille::testing

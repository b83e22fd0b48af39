// What outlives a process of a host: unless its disk is lost with it.
#pragma once

#include <map>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "wire/endpoint.hpp"

namespace quadrille::sim {

struct Disk {
  std::vector<wire::Endpoint> known_peers;
  std::map<CellIndex, Round> checkpoints;  // the newest of each cell
  std::map<CellIndex, ByteBuffer> states;  // of the same, where a worker has more than a round
};

}  // namespace quadrille::sim

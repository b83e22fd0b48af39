// Which state of its replica an end of an edge holds. Two ends agree when both numbers do: versions
// alone are counted anew by every owner of a cell.
#pragma once

#include <cstdint>

namespace quadrille::peer {

struct EdgeVersion {
  std::uint64_t version = 0;  // 0: nothing
  std::uint64_t checksum = 0;

  bool operator==(const EdgeVersion&) const = default;
};

}  // namespace quadrille::peer

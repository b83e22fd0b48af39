// Rendezvous hashing, also highest random weight (Thaler, Ravishankar, 1998): everybody who knows
// the same peers agrees which of them comes first for a cell, and one that goes changes nothing
// among the others. Here it breaks ties and names understudies; who takes what is Plan's.
#pragma once

#include <cstdint>

#include "base/hash.hpp"
#include "base/ids.hpp"

namespace quadrille::peer {

// The larger comes first.
constexpr std::uint64_t rendezvous_weight(CellIndex cell, PeerId peer) {
  return chain(chain(mix64(cell.value), peer.high), peer.low);
}

}  // namespace quadrille::peer

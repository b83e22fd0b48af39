// What a peer's record says of one cell, and how that ranks against what others say of it.
//
// A record that comes from elsewhere is read as it is: runs past the grid, stamps of any size and
// yields to oneself are possible and harm nobody but their author.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.hpp"
#include "wire/peer_record.hpp"

namespace quadrille::peer {

struct Claim {
  bool yielding = false;    // its owner offers it to a peer: any other claim is better
  std::uint64_t stamp = 0;  // seniority: the smaller is better

  auto operator<=>(const Claim&) const = default;
};

// What the record says of the cell with that index; nothing when it does not claim it.
std::optional<Claim> claim_on(const wire::PeerRecord& record, std::uint64_t index);

// Does the record yield something to that peer, and that cell?
bool yields_to(const wire::PeerRecord& record, PeerId peer);
bool yields_to(const wire::PeerRecord& record, CellIndex cell, PeerId peer);

// Does the first own the cell when both claim it? By claim, then by rendezvous, then by identity: a
// strict order of all peers.
bool ranks_before(const wire::PeerRecord& a, const wire::PeerRecord& b, CellIndex cell);

// The stretches of indices on which a peer's old and new record differ, ascending. Either may be
// null: a peer that comes or goes.
struct IndexRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
};
std::vector<IndexRange> differing(const wire::PeerRecord* before, const wire::PeerRecord* after);

}  // namespace quadrille::peer

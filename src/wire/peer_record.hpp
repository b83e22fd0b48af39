// What a peer says of itself: who and where it is, what it can take and what it claims. Only the
// peer itself writes its record; all others pass it on as the bytes that they received, so that a
// signature stays valid and fields of a later version are not lost on the way.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "wire/endpoint.hpp"
#include "wire/limits.hpp"

namespace quadrille::wire {

// The torus as it is now. A cell's index is row * stride + column, where the stride is the largest
// number of columns that the run allows: so a grid that grows renumbers nothing.
struct GridEpoch {
  std::uint32_t epoch = 0;  // 0: as the run began; one more each time it grew
  std::uint16_t rows = 1;
  std::uint16_t columns = 1;

  auto operator<=>(const GridEpoch&) const = default;  // the larger epoch wins
};

// Cells `first` to `first + count - 1`, claimed at one moment. Of the indices in between, those
// that are no cell of the grid (columns it has not grown to) are nobody's.
struct ClaimRun {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  std::uint64_t stamp = 0;  // Lamport time of the claim: the smaller one has seniority

  bool operator==(const ClaimRun&) const = default;
};

// The owner offers these of its claims to that peer and to no other, and gives each up when the
// peer claims it.
struct CellYield {
  std::uint32_t first = 0;
  std::uint32_t count = 1;
  PeerId to;

  bool operator==(const CellYield&) const = default;
};

struct PeerRecord {
  PeerId id;  // not 0
  // Grows when the peer refutes a suspicion; at its start, the milliseconds since 1970.
  std::uint64_t incarnation = 0;
  std::uint32_t version = 0;  // grows with every other change; starts again at each incarnation
  std::string name;           // unique on its host; for people
  std::string zone;           // the failure domain, such as "eu-west-1a"; may be empty
  std::vector<Endpoint> endpoints;  // 1 to 4, each of one host, the preferred one first
  std::uint32_t capacity = 0;       // cells that it can hold at most
  bool leaving = false;             // takes no more cells
  std::uint64_t features = 0;       // bits of what it can do beyond this version
  GridEpoch grid;                   // the newest that it knows
  std::vector<ClaimRun> claims;     // 0 to 28, ascending, disjoint
  std::vector<CellYield> yields;    // 0 to 4, ascending, disjoint, each within one claim
  ByteBuffer signature;             // empty, or 64 bytes: reserved (Ed25519 over the other fields)

  bool operator==(const PeerRecord&) const = default;
};

// CHECKs that the record is within its limits.
ByteBuffer encode(const PeerRecord& record);
// Corrupt: not a record, or one that breaks a rule that is written above.
Result<PeerRecord> decode_peer_record(Bytes bytes);

}  // namespace quadrille::wire

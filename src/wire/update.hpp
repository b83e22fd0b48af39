// A statement about a member, as gossip passes it on (SWIM, section 4.1 and 4.2).
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace quadrille::wire {

enum class UpdateKind : std::uint8_t {
  Unknown,  // a later version's: passed over
  Alive,    // carries the record
  Suspect,  // `accuser` had no answer from it
  Dead,     // a suspicion that nobody refuted in time
  Left,     // it said so itself
};

struct Update {
  UpdateKind kind = UpdateKind::Unknown;
  PeerId subject;
  std::uint64_t incarnation = 0;
  std::uint32_t version = 0;  // of the record; Alive only
  PeerId accuser;             // Suspect and Dead only
  ByteBuffer record;  // an encoded PeerRecord of that subject, incarnation, version; Alive only

  bool operator==(const Update&) const = default;
};

// No less than what the update takes of a datagram or frame; the same of one that is not built yet.
std::size_t encoded_bytes_bound(const Update& update);
std::size_t encoded_update_bytes_bound(bool has_accuser, std::size_t record_bytes);

}  // namespace quadrille::wire

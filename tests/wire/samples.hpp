// Messages of random content, all of them within the protocol's limits, and a table of every body
// that is decoded anywhere: what holds for all of them is tested, and fuzzed, in one loop.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "base/bytes.hpp"
#include "base/random.hpp"
#include "base/result.hpp"
#include "wire/datagram.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/frame.hpp"
#include "wire/peer_record.hpp"
#include "wire/session_messages.hpp"
#include "wire/sync_messages.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::wire::test {

PeerId any_peer(RandomStream& random);
Endpoint any_endpoint(RandomStream& random);
PeerRecord any_record(RandomStream& random);
Message any_message(RandomStream& random);
CellStatus any_status(RandomStream& random);
Update any_update(RandomStream& random);
// With as many updates and statuses as its limits allow, or fewer.
Datagram any_datagram(RandomStream& random);

// The largest record of version 1: every list and text as long as it may be, no number at its
// default.
PeerRecord largest_record();

struct BodyKind {
  std::string_view name;
  std::optional<FrameType> frame;  // none: not the body of a frame
  // A message of random content, encoded; it has been decoded to the same value.
  ByteBuffer (*sample)(RandomStream& random);
  // What these bytes say, encoded again.
  Result<ByteBuffer> (*rewrite)(Bytes body);
};

std::span<const BodyKind> every_body();

}  // namespace quadrille::wire::test

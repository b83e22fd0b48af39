// What a peer wants done by its driver, in order.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/endpoint.hpp"
#include "wire/watch_messages.hpp"

namespace quadrille::peer {

struct SendDatagram {
  wire::Endpoint to;
  ByteBuffer bytes;  // envelope and body: the driver seals the body
};
struct OpenStream {
  StreamId stream;
  wire::Endpoint to;
};
struct SendBytes {
  StreamId stream;
  ByteBuffer head;  // whole frames, or a frame's header and the front of its body
  Payload tail;     // and then these, where they lie
  std::size_t tail_offset = 0;
  std::size_t tail_bytes = 0;
};
struct CloseStream {  // after what was sent on it
  StreamId stream;
};
// To be found again after a restart: see StoredPeer.
struct StoreKnownPeers {
  std::vector<wire::Endpoint> endpoints;
};

struct Effects {
  using StreamAction = std::variant<OpenStream, SendBytes, CloseStream>;

  std::vector<SendDatagram> datagrams;
  std::vector<StreamAction> streams;
  std::vector<WorkerCommand> commands;
  std::optional<StoreKnownPeers> store;
  std::vector<wire::WatchEvent> events;
  bool has_left = false;  // the peer is done: everything is handed over and said

  void clear() { *this = {}; }
};

}  // namespace quadrille::peer

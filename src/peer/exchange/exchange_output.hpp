// What the exchange is told once, and what it wants done.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {

struct ExchangeOptions {
  bool synchronous = false;  // every round of every edge, each a difference against the one before
  // What a payload may claim: set it to what the run's model can take.
  std::uint64_t payload_bytes_max = wire::object_bytes_max;
};

// What a cell reads, as the torus and its owners are now. With owner = self the edge stays within
// the process: encoded and applied all the same.
struct EdgeSource {
  CellIndex cell;
  PeerId owner;
  bool operator==(const EdgeSource&) const = default;
};

struct ExchangeOutput {
  std::vector<OutFrame> frames;
  std::vector<PeerId> dials;  // open a stream of purpose Exchange to this peer
  std::vector<StreamId> hang_ups;
  std::vector<WorkerCommand> commands;
  struct Fault {  // reported with the sender
    EdgeId edge;
    PeerId sender;
    wire::PayloadFault fault;
  };
  std::vector<Fault> faults;
  struct Keyframe {  // in place of what the reader held: its edge began anew
    EdgeId edge;
    PeerId sender;
    Round round;
  };
  std::vector<Keyframe> keyframes;
  std::vector<Offence> offences;

  bool empty() const {
    return frames.empty() && dials.empty() && hang_ups.empty() && commands.empty() &&
           faults.empty() && keyframes.empty() && offences.empty();
  }
};

}  // namespace quadrille::peer

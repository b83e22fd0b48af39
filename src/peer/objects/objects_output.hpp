// What fetching and serving objects is told once, and what it leads to: frames, streams, worker
// commands, and the answers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "peer/stream.hpp"
#include "peer/worker.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {

// Names a fetch or a question of this peer's; never used twice.
struct FetchId {
  std::uint32_t value = 0;
  auto operator<=>(const FetchId&) const = default;
};

struct ObjectsOptions {
  // What a state or a snapshot may claim: set it to what the run's model can take.
  std::uint64_t object_bytes_max = wire::object_bytes_max;
};

struct ObjectsOutput {
  std::vector<OutFrame> frames;
  std::vector<PeerId> dials;  // open a stream of purpose Object to this peer
  std::vector<StreamId> hang_ups;
  std::vector<WorkerCommand> commands;
  // Exactly one for every ask() and fetch().
  struct Answer {
    FetchId fetch;
    CellIndex cell;
    bool found = false;  // false too when the peer could not be reached, or took too long
    Round round;
    Payload payload;  // of a fetch
  };
  std::vector<Answer> answers;
  std::vector<Offence> offences;

  bool empty() const {
    return frames.empty() && dials.empty() && hang_ups.empty() && commands.empty() &&
           answers.empty() && offences.empty();
  }
};

}  // namespace quadrille::peer

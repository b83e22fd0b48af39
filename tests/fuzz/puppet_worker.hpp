// A worker that keeps to the contract of peer/worker.hpp and computes nothing: commands are
// answered in order, each answer when the input says so. What no peer may ask is a CHECK.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <vector>

#include "peer/worker.hpp"

namespace quadrille::fuzz {

class PuppetWorker {
 public:
  void submit(const peer::WorkerCommand& command);

  // The next answer; `twist` decides between a good one and a bad one.
  std::optional<peer::WorkerReport> take_answer(std::uint8_t twist);
  // What a cell that trains says by itself; none while nothing trains.
  std::optional<peer::WorkerReport> tell(std::uint8_t choice, std::uint8_t kind);

 private:
  struct Replica {
    std::uint64_t version = 0;
    std::uint64_t checksum = 0;
  };

  peer::WorkerReport encode(const peer::EncodePayload& command);
  peer::WorkerReport apply(const peer::ApplyPayload& command, std::uint8_t twist);

  std::deque<peer::WorkerCommand> commands_;
  std::map<CellIndex, Round> cells_;
  std::map<peer::EdgeId, Replica> sending_;
  std::map<peer::EdgeId, Replica> receiving_;
};

}  // namespace quadrille::fuzz

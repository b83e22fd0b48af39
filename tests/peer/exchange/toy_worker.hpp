// A worker with floats enough to be wrong about: it runs a learner, and keeps replicas whose
// versions and checksums it checks as the real one does (codec/edge.hpp). A payload is its
// replica's numbers, padded to the size that a test wants to see on the wire.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "peer/learner.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer::test {

struct ToySnapshot {
  Round round;
  std::vector<float> values;
  ByteBuffer exact;
  std::map<CellIndex, Round> heard;  // what the cell had been given when it published this
};

class ToyWorker {
 public:
  struct Options {
    bool synchronous = false;
    std::size_t difference_bytes = 1000;
    std::size_t keyframe_bytes = 4000;
  };
  static constexpr std::size_t snapshots_kept = 8;

  ToyWorker(Options options, Learner& learner) : options_(options), learner_(learner) {}

  // What the command leads to, in order.
  std::vector<WorkerReport> carry_out(const WorkerCommand& command);

  // The reader's replica of the edge is no longer the sender's.
  void damage(EdgeId edge) {
    if (const auto found = receiving_.find(edge); found != receiving_.end())
      found->second.checksum ^= 1;
  }
  // And its next state will not be, as its checksum shows.
  void damage_next(EdgeId edge) { miscalculated_.insert(edge); }
  // The next payloads of the edge are refused.
  void refuse(EdgeId edge, wire::PayloadFault fault, int times = 1);

  std::uint64_t version_sent(EdgeId edge) const { return sending_.at(edge).version; }
  bool is_sending(EdgeId edge) const { return sending_.contains(edge); }
  bool is_receiving(EdgeId edge) const { return receiving_.contains(edge); }
  int keyframes_encoded = 0;
  int differences_encoded = 0;

 private:
  struct SendingEnd {
    std::uint64_t version = 0;
    std::uint64_t checksum = 0;
    ToySnapshot state;
  };
  struct Received {
    Round round;
    std::vector<float> values;
    ByteBuffer exact;
    std::optional<Round> heard;
  };
  struct ReceivingEnd {
    std::uint64_t version = 0;
    std::uint64_t checksum = 0;
    std::deque<Received> kept;  // the last two
  };

  void start(const StartCell& command, std::vector<WorkerReport>& out);
  void advance(const AdvanceCell& command, std::vector<WorkerReport>& out);
  void run(const CellInput& input, std::vector<WorkerReport>& out);
  bool report(Action& action, std::vector<WorkerReport>& out);
  PayloadEncoded encode(const EncodePayload& command);
  PayloadTaken apply(const ApplyPayload& command);
  const ToySnapshot* snapshot_to_encode(const EncodePayload& command, std::uint64_t version) const;

  Options options_;
  Learner& learner_;
  std::map<CellIndex, std::deque<ToySnapshot>> published_;
  std::set<CellIndex> waiting_;                            // for what they need
  std::map<CellIndex, std::map<CellIndex, Round>> given_;  // by reader, source
  std::map<EdgeId, SendingEnd> sending_;
  std::map<EdgeId, ReceivingEnd> receiving_;
  std::set<EdgeId> miscalculated_;
  std::map<EdgeId, std::pair<wire::PayloadFault, int>> refusals_;
};

}  // namespace quadrille::peer::test

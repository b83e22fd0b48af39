// What the edges that are read here hold: the floats that their payloads lead to, of the newest
// round and of the one before.
//
// A payload is hostile until it was applied: damaged, of another replica, not finite or far from
// what the edge carried so far, it is refused and the newest state stays what it was.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "codec/decoder.hpp"
#include "codec/edge.hpp"
#include "peer/learner.hpp"
#include "peer/worker.hpp"
#include "worker/norm_history.hpp"
#include "worker/saved_cell.hpp"

namespace quadrille::worker {

class HeldReplicas {
 public:
  // Of closed edges of one reader; the oldest goes.
  static constexpr std::size_t left_max = 16;

  explicit HeldReplicas(std::size_t float_count) : float_count_(float_count) {}

  // Begins with nothing, even where it was open.
  void open(peer::EdgeId edge);
  // What it held last stays for newest_of(), until its reader is dropped.
  void close(peer::EdgeId edge);
  void drop(CellIndex reader);
  // With a fault, the newest state is what it was, and the one before is gone. Mismatch, too, where
  // the edge is not open.
  peer::PayloadTaken apply(const peer::ApplyPayload& command);

  // The snapshot of that round, if it is held; the views last until the edge's next command.
  std::optional<peer::SnapshotView> at(peer::EdgeId edge, Round round) const;
  // The newest snapshot of the cell that any edge holds, or held when it was closed.
  std::optional<PublishedSnapshot> newest_of(CellIndex source) const;
  const codec::Replica* replica(peer::EdgeId edge) const;

 private:
  // What came with a payload, beside the floats.
  struct Came {
    Round round;
    ByteBuffer exact;
    std::optional<Round> heard;
  };
  struct Edge {
    explicit Edge(std::size_t float_count) : end(float_count) {}
    codec::ReceivingEdge end;
    NormHistory norms;
    std::optional<Came> newest{};
    std::optional<Came> previous{};
  };
  struct Left {
    CellIndex source;
    PublishedSnapshot snapshot;
  };

  std::optional<wire::PayloadFault> try_apply(Edge& edge, const peer::ApplyPayload& command);
  wire::PayloadFault fault_of(const Error& error, Bytes payload);
  static PublishedSnapshot newest_snapshot(const Edge& edge);

  std::size_t float_count_;
  codec::Decoder decoder_;
  std::map<peer::EdgeId, Edge> edges_;
  std::map<CellIndex, std::vector<Left>> left_;  // by reader, the oldest first
};

}  // namespace quadrille::worker

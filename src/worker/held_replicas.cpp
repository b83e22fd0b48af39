#include "worker/held_replicas.hpp"

#include <algorithm>

#include "codec/payload.hpp"

namespace quadrille::worker {

using wire::PayloadFault;

void HeldReplicas::open(peer::EdgeId edge) {
  edges_.erase(edge);
  edges_.emplace(edge, Edge(float_count_));
}

void HeldReplicas::close(peer::EdgeId edge) {
  const auto found = edges_.find(edge);
  if (found == edges_.end()) return;
  if (found->second.newest) {
    std::vector<Left>& left = left_[edge.reader];
    std::erase_if(left, [&](const Left& each) { return each.source == edge.source; });
    if (left.size() == left_max) left.erase(left.begin());
    left.push_back({.source = edge.source, .snapshot = newest_snapshot(found->second)});
  }
  edges_.erase(found);
}

void HeldReplicas::drop(CellIndex reader) {
  left_.erase(reader);
  std::erase_if(edges_, [&](const auto& entry) { return entry.first.reader == reader; });
}

peer::PayloadTaken HeldReplicas::apply(const peer::ApplyPayload& command) {
  peer::PayloadTaken taken{.edge = command.edge,
                           .round = command.round,
                           .version = command.version,
                           .checksum = 0,
                           .fault = PayloadFault::Mismatch};
  const auto found = edges_.find(command.edge);
  if (found == edges_.end()) return taken;
  Edge& edge = found->second;
  taken.fault = try_apply(edge, command);
  if (taken.fault) {
    edge.previous.reset();  // the codec may have written over it
  } else {
    edge.previous = std::exchange(
        edge.newest, Came{.round = command.round, .exact = command.exact, .heard = command.heard});
  }
  if (edge.newest) taken.checksum = codec::checksum_of(edge.end.replica().newest());
  return taken;
}

std::optional<PayloadFault> HeldReplicas::try_apply(Edge& edge, const peer::ApplyPayload& command) {
  if (command.payload == nullptr) return PayloadFault::Corrupt;
  const Bytes payload = *command.payload;
  const Result<codec::PayloadHeader> header = codec::read_header(payload, float_count_);
  if (!header) return fault_of(header.error(), payload);
  if (header->version != command.version) return PayloadFault::Corrupt;
  const std::uint64_t version_before = edge.end.replica().version();
  if (const Result<void> applied = edge.end.apply(decoder_, payload); !applied)
    return fault_of(applied.error(), payload);
  if (edge.norms.accepts(norm_of(edge.end.replica().newest()))) return std::nullopt;
  edge.end.restore(version_before, edge.end.replica().previous());
  return PayloadFault::OutOfNorm;
}

// What opens, is whole: it decoded to something that is not finite.
PayloadFault HeldReplicas::fault_of(const Error& error, Bytes payload) {
  if (error.code == ErrorCode::Mismatch) return PayloadFault::Mismatch;
  return decoder_.open(payload, float_count_) ? PayloadFault::NotFinite : PayloadFault::Corrupt;
}

std::optional<peer::SnapshotView> HeldReplicas::at(peer::EdgeId edge, Round round) const {
  const auto found = edges_.find(edge);
  if (found == edges_.end()) return std::nullopt;
  const Edge& held = found->second;
  const auto view = [&](const Came& came, std::span<const float> values) {
    return peer::SnapshotView{.cell = edge.source,
                              .round = came.round,
                              .values = values,
                              .exact = came.exact,
                              .heard = came.heard};
  };
  if (held.newest && held.newest->round == round)
    return view(*held.newest, held.end.replica().newest());
  if (held.previous && held.previous->round == round)
    return view(*held.previous, held.end.replica().previous());
  return std::nullopt;
}

PublishedSnapshot HeldReplicas::newest_snapshot(const Edge& edge) {
  const std::span<const float> values = edge.end.replica().newest();
  return {.round = edge.newest->round,
          .values = {values.begin(), values.end()},
          .exact = edge.newest->exact,
          .heard = {}};
}

std::optional<PublishedSnapshot> HeldReplicas::newest_of(CellIndex source) const {
  const Edge* open = nullptr;
  for (const auto& [id, edge] : edges_)
    if (id.source == source && edge.newest &&
        (open == nullptr || edge.newest->round > open->newest->round))
      open = &edge;
  const PublishedSnapshot* closed = nullptr;
  for (const auto& [reader, all] : left_)
    for (const Left& each : all)
      if (each.source == source && (closed == nullptr || each.snapshot.round > closed->round))
        closed = &each.snapshot;
  if (open != nullptr && (closed == nullptr || open->newest->round >= closed->round))
    return newest_snapshot(*open);
  if (closed != nullptr) return *closed;
  return std::nullopt;
}

const codec::Replica* HeldReplicas::replica(peer::EdgeId edge) const {
  const auto found = edges_.find(edge);
  return found == edges_.end() ? nullptr : &found->second.end.replica();
}

}  // namespace quadrille::worker

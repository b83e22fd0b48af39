// The toy worker's edges: replicas that are a version and a chain of checksums, moved by the same
// rules as those of codec/edge.hpp.
#include <algorithm>
#include <utility>

#include "base/check.hpp"
#include "base/hash.hpp"
#include "base/printed.hpp"
#include "sim/toy_worker.hpp"

namespace quadrille::sim {
namespace {

std::string text_of(const char* what, const peer::EdgeId& edge) {
  return printed(what, edge.source, " to ", edge.reader);
}

}  // namespace

void ToyWorker::carry_out(const peer::OpenSendingEdge& command, Reports&) {
  sending_[command.edge] = Replica{};
}

void ToyWorker::carry_out(const peer::CloseSendingEdge& command, Reports&) {
  sending_.erase(command.edge);
}

void ToyWorker::carry_out(const peer::OpenReceivingEdge& command, Reports&) {
  receiving_[command.edge] = Replica{};
}

void ToyWorker::carry_out(const peer::CloseReceivingEdge& command, Reports&) {
  const auto edge = receiving_.find(command.edge);
  if (edge == receiving_.end()) return;
  if (edge->second.version > 0)
    left_[{command.edge.reader, command.edge.source}] = edge->second.round;
  receiving_.erase(edge);
}

// A keyframe is the replica as it is; the first state is one, too.
void ToyWorker::carry_out(const peer::EncodePayload& command, Reports& reports) {
  const auto edge = sending_.find(command.edge);
  if (edge == sending_.end())
    return complain(text_of("it is encoded, but not open: edge ", command.edge));
  const auto source = cells_.find(command.edge.source);
  if (source == cells_.end())
    return complain(text_of("its source is not here: edge ", command.edge));
  Replica& replica = edge->second;
  const bool is_keyframe = command.keyframe || replica.version == 0;
  const Replica base = is_keyframe ? Replica{} : replica;
  if (!command.keyframe || replica.version == 0) {
    replica.round = command.round.value_or(source->second.round);
    replica.checksum = chain(chain(replica.checksum, replica.round.index), ++replica.version);
  }
  const ToyPayload payload{.edge = command.edge,
                           .round = replica.round,
                           .base_version = base.version,
                           .base_checksum = base.checksum,
                           .version = replica.version,
                           .checksum = replica.checksum,
                           .is_finite = random_.uniform() >= options_.not_finite};
  // The edge in the other direction says what its source has heard of the reader.
  const auto back = receiving_.find({command.edge.reader, command.edge.source});
  const bool has_heard = back != receiving_.end() && back->second.version > 0;
  reports.emplace_back(peer::PayloadEncoded{
      .edge = command.edge,
      .round = payload.round,
      .base_version = payload.base_version,
      .base_checksum = payload.base_checksum,
      .version = payload.version,
      .checksum = payload.checksum,
      .heard = has_heard ? std::optional(back->second.round) : std::nullopt,
      .payload = std::make_shared<const ByteBuffer>(to_bytes(payload, options_.payload_bytes)),
      .exact = ByteBuffer(16)});
}

void ToyWorker::carry_out(const peer::ApplyPayload& command, Reports& reports) {
  const auto edge = receiving_.find(command.edge);
  if (edge == receiving_.end())
    return complain(text_of("it is applied, but not open: edge ", command.edge));
  Replica& replica = edge->second;
  const auto payload = command.payload ? toy_payload(*command.payload) : std::nullopt;
  std::optional<wire::PayloadFault> fault;
  if (!payload || payload->edge != command.edge || payload->version != command.version)
    fault = wire::PayloadFault::Corrupt;
  else if (!payload->is_finite)
    fault = wire::PayloadFault::NotFinite;
  else if (payload->base_version != 0 &&
           (payload->base_version != replica.version || payload->base_checksum != replica.checksum))
    fault = wire::PayloadFault::Mismatch;
  if (!fault) {
    const std::optional<Round> previous =
        replica.version > 0 ? std::optional(replica.round) : std::nullopt;
    replica = {.version = payload->version,
               .checksum = payload->checksum,
               .round = payload->round,
               .previous = previous};
  }
  reports.emplace_back(peer::PayloadTaken{.edge = command.edge,
                                          .round = command.round,
                                          .version = command.version,
                                          .checksum = replica.checksum,
                                          .fault = fault});
}

void ToyWorker::carry_out(const peer::PackSnapshot& command, Reports& reports) {
  std::optional<Round> newest = round_of(command.cell);
  const auto consider = [&](CellIndex source, Round round) {
    if (source == command.cell) newest = std::max(newest.value_or(round), round);
  };
  if (!newest) {
    for (const auto& [edge, replica] : receiving_)
      if (replica.version > 0) consider(edge.source, replica.round);
    for (const auto& [edge, round] : left_) consider(edge.second, round);
  }
  if (!newest) return report_object(command, {}, nullptr, reports);
  const ToyCell packed{.cell = command.cell, .round = *newest, .saved_by = self_.node};
  report_object(command, *newest,
                std::make_shared<const ByteBuffer>(
                    to_bytes(ToyKind::Snapshot, packed, options_.payload_bytes)),
                reports);
}

}  // namespace quadrille::sim

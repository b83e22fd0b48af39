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
  if (!sending_.insert_or_assign(command.edge, Replica{}).second)
    complain(text_of("it was opened twice to send: edge ", command.edge));
}

void ToyWorker::carry_out(const peer::CloseSendingEdge& command, Reports&) {
  if (sending_.erase(command.edge) == 0)
    complain(text_of("it is closed to send, but not open: edge ", command.edge));
}

void ToyWorker::carry_out(const peer::OpenReceivingEdge& command, Reports&) {
  if (!receiving_.insert_or_assign(command.edge, Replica{}).second)
    complain(text_of("it was opened twice to receive: edge ", command.edge));
}

void ToyWorker::carry_out(const peer::CloseReceivingEdge& command, Reports&) {
  const auto edge = receiving_.find(command.edge);
  if (edge == receiving_.end())
    return complain(text_of("it is closed to receive, but not open: edge ", command.edge));
  if (edge->second.version > 0)
    left_[{command.edge.reader, command.edge.source}] = edge->second.round;
  receiving_.erase(edge);
}

// Of a cell that is released: a worker drops them with it, whatever the peer believes.
void ToyWorker::check_edges_closed(CellIndex cell) {
  for (const auto& [edge, replica] : sending_)
    if (edge.source == cell) complain(text_of("its source is released: edge ", edge));
  for (const auto& [edge, replica] : receiving_)
    if (edge.reader == cell) complain(text_of("its reader is released: edge ", edge));
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
                           .weights = draw_weights()};
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

// Every other payload that no reader may take has leapt, and is finite.
ToyWeights ToyWorker::draw_weights() {
  const double draw = random_.uniform();
  if (draw >= options_.not_finite) return ToyWeights::Sound;
  return draw < options_.not_finite / 2 ? ToyWeights::OutOfNorm : ToyWeights::NotFinite;
}

std::optional<wire::PayloadFault> ToyWorker::fault_of(const std::optional<ToyPayload>& payload,
                                                      const peer::ApplyPayload& command,
                                                      const Replica& replica) {
  using wire::PayloadFault;
  if (!payload || payload->edge != command.edge || payload->version != command.version)
    return PayloadFault::Corrupt;
  if (payload->base_version != 0 &&
      (payload->base_version != replica.version || payload->base_checksum != replica.checksum))
    return PayloadFault::Mismatch;
  switch (payload->weights) {
    case ToyWeights::Sound:
      return std::nullopt;
    case ToyWeights::NotFinite:
      return PayloadFault::NotFinite;
    case ToyWeights::OutOfNorm:
      return PayloadFault::OutOfNorm;
  }
  return PayloadFault::Corrupt;
}

void ToyWorker::carry_out(const peer::ApplyPayload& command, Reports& reports) {
  const auto edge = receiving_.find(command.edge);
  if (edge == receiving_.end())
    return complain(text_of("it is applied, but not open: edge ", command.edge));
  Replica& replica = edge->second;
  const auto payload = command.payload ? toy_payload(*command.payload) : std::nullopt;
  const std::optional<wire::PayloadFault> fault = fault_of(payload, command, replica);
  if (fault)
    replica.previous.reset();  // a codec may have written over it
  else
    replica = {.version = payload->version,
               .checksum = payload->checksum,
               .round = payload->round,
               .previous = replica.version > 0 ? std::optional(replica.round) : std::nullopt};
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

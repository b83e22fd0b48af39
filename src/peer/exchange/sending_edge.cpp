#include "peer/exchange/sending_edge.hpp"

#include <utility>

#include "base/check.hpp"

namespace quadrille::peer {

void SendingEdgeState::mark(Round round) {
  if (replica_.version > 0 && round <= replica_round_) return;
  if (!waiting_.empty() && round <= waiting_.back()) return;
  if (!synchronous_) waiting_.clear();
  waiting_.push_back(round);
  if (waiting_.size() > rounds_waiting_max) waiting_.pop_front();
}

void SendingEdgeState::on_reader(EdgeVersion held) {
  reader_ = held;
  travelling_ = false;
  barred_ = false;
  if (reader_has_replica()) kept_.reset();
}

void SendingEdgeState::on_reader_lost() {
  reader_.reset();
  travelling_ = false;
}

bool SendingEdgeState::reader_has_replica() const {
  return replica_was_sent_ && *reader_ == replica_;
}

bool SendingEdgeState::kept_fits() const {
  if (!kept_) return false;
  return kept_->base_version == 0 ||
         *reader_ == EdgeVersion{kept_->base_version, kept_->base_checksum};
}

SendingEdgeState::Step SendingEdgeState::next() const {
  if (!reader_ || encoding_ || travelling_) return Step::None;
  if (barred_ || replica_.version == 0 || reader_has_replica())
    return waiting_.empty() ? Step::None : Step::Encode;
  return kept_fits() ? Step::Send : Step::Encode;
}

// The replica as it is, for a reader that holds another one. A barred replica moves on first.
bool SendingEdgeState::wants_keyframe() const {
  return replica_.version == 0 || (!barred_ && !reader_has_replica());
}

EncodePayload SendingEdgeState::start_encoding() {
  CHECK(next() == Step::Encode, edge_.source, edge_.reader);
  EncodePayload command{.edge = edge_, .keyframe = wants_keyframe(), .round = {}};
  const bool moves = replica_.version == 0 || !command.keyframe;
  if (moves) {
    if (synchronous_) command.round = waiting_.front();
    waiting_.pop_front();
  }
  encoding_ = true;
  barred_ = false;
  kept_.reset();
  return command;
}

void SendingEdgeState::on_encoded(PayloadEncoded encoded) {
  CHECK(encoding_, edge_.source, edge_.reader);
  encoding_ = false;
  if (encoded.payload == nullptr) {
    barred_ = true;
    return;
  }
  const EdgeVersion moved_to{encoded.version, encoded.checksum};
  if (moved_to != replica_) replica_was_sent_ = false;
  replica_ = moved_to;
  replica_round_ = encoded.round;
  while (!waiting_.empty() && waiting_.front() <= replica_round_) waiting_.pop_front();
  kept_ = std::move(encoded);
}

wire::PayloadBegin SendingEdgeState::start_sending(std::uint32_t transfer, std::uint16_t degree) {
  CHECK(next() == Step::Send, edge_.source, edge_.reader);
  travelling_ = true;
  replica_was_sent_ = true;
  return {.edge = edge_,
          .transfer = transfer,
          .round = kept_->round,
          .degree = degree,
          .heard = kept_->heard,
          .base_version = kept_->base_version,
          .base_checksum = kept_->base_checksum,
          .version = kept_->version,
          .bytes = kept_->payload->size(),
          .exact = kept_->exact};
}

bool SendingEdgeState::is_travelling(std::uint64_t version) const {
  return travelling_ && kept_->version == version;
}

bool SendingEdgeState::on_applied(std::uint64_t version) {
  if (!is_travelling(version)) return false;
  travelling_ = false;
  reader_ = replica_;
  kept_.reset();
  return true;
}

// A keyframe mends a difference that did not fit or was damaged. Weights that the reader does not
// want, and keyframes that it does not take, are not offered again: only what the next round makes.
bool SendingEdgeState::on_refused(std::uint64_t version, wire::PayloadFault fault) {
  using wire::PayloadFault;
  if (!is_travelling(version)) return false;
  const bool keyframe_mends = fault == PayloadFault::Mismatch || fault == PayloadFault::Corrupt;
  barred_ = !keyframe_mends || kept_->base_version == 0;
  travelling_ = false;
  reader_ = EdgeVersion{};
  kept_.reset();
  return true;
}

}  // namespace quadrille::peer

#include "peer/exchange/receiving_edge.hpp"

#include <bit>
#include <string>
#include <utility>

#include "base/check.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {
namespace {

// How many rounds lie between the two: mixing rounds within one iteration, else whole iterations.
std::uint64_t rounds_between(Round before, Round after) {
  if (after <= before) return 0;
  if (after.index == before.index) return after.subround - before.subround - 1;
  return after.index - before.index - 1;
}

}  // namespace

wire::Subscribe ReceivingEdgeState::subscribe(std::uint16_t degree) {
  CHECK(phase_ == Phase::Idle, edge_.source, edge_.reader);
  version_seen_ = 0;
  return {.edge = edge_, .version = held_.version, .checksum = held_.checksum, .degree = degree};
}

void ReceivingEdgeState::on_line_lost() {
  if (phase_ != Phase::Receiving && phase_ != Phase::Ready) return;
  phase_ = Phase::Idle;
  payload_.reset();
}

Result<bool> ReceivingEdgeState::on_begin(const wire::PayloadBegin& begin, TimePoint now) {
  if (phase_ != Phase::Idle)
    return failure(ErrorCode::Corrupt, "a payload before the last one was answered");
  if (begin.exact.size() > wire::exact_bytes_max)
    return failure(ErrorCode::Limit, "an exact part that is too long");
  // A keyframe may begin the count anew: the cell left its owner and came back.
  const bool is_difference = begin.base_version != 0;
  if (begin.version <= begin.base_version || (is_difference && begin.version < version_seen_))
    return failure(ErrorCode::Corrupt, "version " + std::to_string(begin.version) + " after " +
                                           std::to_string(version_seen_) + ", from base " +
                                           std::to_string(begin.base_version));
  version_seen_ = begin.version;
  begin_ = begin;
  began_at_ = now;
  if (is_difference && EdgeVersion{begin.base_version, begin.base_checksum} != held_) return false;
  phase_ = Phase::Receiving;
  return true;
}

void ReceivingEdgeState::on_complete(Payload payload) {
  CHECK(phase_ == Phase::Receiving, edge_.source, edge_.reader);
  phase_ = Phase::Ready;
  payload_bytes_ = payload->size();
  payload_ = std::move(payload);
}

ApplyPayload ReceivingEdgeState::start_applying() {
  CHECK(phase_ == Phase::Ready, edge_.source, edge_.reader);
  phase_ = Phase::Applying;
  return {.edge = edge_,
          .round = begin_.round,
          .version = begin_.version,
          .payload = std::move(payload_),
          .exact = begin_.exact,
          .heard = begin_.heard};
}

std::optional<ReaderMessage> ReceivingEdgeState::on_taken(const PayloadTaken& taken,
                                                          TimePoint now) {
  CHECK(phase_ == Phase::Applying, edge_.source, edge_.reader);
  if (taken.fault) {
    previous_.reset();  // the worker may have written over it (codec/edge.hpp)
    return refuse(*taken.fault, now);
  }
  phase_ = Phase::Idle;
  remember(false);
  count(taken, now);
  held_ = {taken.version, taken.checksum};
  previous_ = std::exchange(newest_, taken.round);
  source_degree_ = begin_.degree;
  heard_ = begin_.heard;
  return wire::PayloadApplied{.edge = edge_, .version = begin_.version};
}

void ReceivingEdgeState::count(const PayloadTaken& taken, TimePoint now) {
  ++statistics_.payloads;
  if (begin_.base_version == 0) ++statistics_.keyframes;
  statistics_.bytes += payload_bytes_;
  if (newest_) statistics_.rounds_merged += rounds_between(*newest_, taken.round);
  statistics_.newest = taken.round;
  statistics_.last_delay = now - began_at_;
}

std::optional<ReaderMessage> ReceivingEdgeState::refuse(wire::PayloadFault fault, TimePoint now) {
  phase_ = Phase::Idle;
  ++statistics_.faults;
  remember(true);
  const wire::PayloadRefused refused{.edge = edge_, .version = begin_.version, .fault = fault};
  if (std::popcount(outcomes_) < faults_max) return refused;
  phase_ = Phase::Quarantined;
  quarantined_until_ = now + quarantine;
  withheld_ = refused;
  return std::nullopt;
}

void ReceivingEdgeState::remember(bool fault) {
  constexpr std::uint32_t kept = (1U << outcomes_kept) - 1;
  outcomes_ = ((outcomes_ << 1) | (fault ? 1U : 0U)) & kept;
}

std::optional<TimePoint> ReceivingEdgeState::quarantined_until() const {
  if (phase_ != Phase::Quarantined) return std::nullopt;
  return quarantined_until_;
}

ReaderMessage ReceivingEdgeState::end_quarantine() {
  CHECK(phase_ == Phase::Quarantined, edge_.source, edge_.reader);
  phase_ = Phase::Idle;
  outcomes_ = 0;
  return withheld_;
}

// A payload that is being applied pushes the previous state out.
RoundsHeld ReceivingEdgeState::rounds() const {
  if (phase_ == Phase::Applying) return {.newest = newest_};
  return {.previous = previous_, .newest = newest_};
}

}  // namespace quadrille::peer

// The receiving end of an edge: what the worker's replica holds, and the one payload under way.
//
//          Subscribe           on_begin           on_complete          start_applying
//   (idle) ---------> Idle ------------> Receiving ---------> Ready ------------------> Applying
//                      ^  \ another base                                                   |
//                      |   `--> refused                                          on_taken  |
//                      +-------------------------------------------------------------------+
//                      ^                                                                   |
//                      +------------- Quarantined <--- the third fault of ten -------------+
//
// In quarantine the answer is withheld: since a sender has one payload of an edge on its way, it is
// silent until it hears.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/exchange/edge_messages.hpp"
#include "peer/exchange/edge_version.hpp"
#include "peer/worker.hpp"

namespace quadrille::peer {

struct EdgeStatistics {
  std::uint64_t payloads = 0;
  std::uint64_t keyframes = 0;
  std::uint64_t faults = 0;         // payloads that were refused
  std::uint64_t bytes = 0;          // of payloads that were applied
  std::uint64_t rounds_merged = 0;  // rounds that travelled within a later one's difference
  Round newest;                     // applied
  Duration last_delay{};            // from the begin of the last payload until it was applied
};

// The rounds that the worker holds of an edge, whatever it is doing at the moment.
struct RoundsHeld {
  std::optional<Round> previous{};
  std::optional<Round> newest{};
};

class ReceivingEdgeState {
 public:
  enum class Phase { Idle, Receiving, Ready, Applying, Quarantined };
  static constexpr int outcomes_kept = 10;
  static constexpr int faults_max = 3;  // of those: then the edge is quarantined
  static constexpr Duration quarantine = std::chrono::seconds(60);

  explicit ReceivingEdgeState(EdgeId edge) : edge_(edge) {}

  Phase phase() const { return phase_; }
  wire::Subscribe subscribe(std::uint16_t degree);
  // The line to the sender is gone, and with it a payload that was not yet given to the worker.
  void on_line_lost();

  // False: a difference against something else than what is held; refuse(Mismatch) says so.
  // Corrupt: what no sender may send.
  Result<bool> on_begin(const wire::PayloadBegin& begin, TimePoint now);
  void on_complete(Payload payload);
  ApplyPayload start_applying();
  // None while the answer is withheld.
  std::optional<ReaderMessage> on_taken(const PayloadTaken& taken, TimePoint now);
  std::optional<ReaderMessage> refuse(wire::PayloadFault fault, TimePoint now);

  std::optional<TimePoint> quarantined_until() const;
  ReaderMessage end_quarantine();

  RoundsHeld rounds() const;
  // What applying the payload that is ready would push out of the worker's replica.
  std::optional<Round> leaving_round() const { return previous_; }
  std::optional<Round> newest_round() const { return newest_; }
  const EdgeStatistics& statistics() const { return statistics_; }
  // Of the source, as it last said.
  std::uint16_t source_degree() const { return source_degree_; }
  std::optional<Round> heard() const { return heard_; }

 private:
  void remember(bool fault);
  void count(const PayloadTaken& taken, TimePoint now);

  EdgeId edge_;
  Phase phase_ = Phase::Idle;
  EdgeVersion held_;
  std::optional<Round> newest_;
  std::optional<Round> previous_;

  wire::PayloadBegin begin_;  // of the payload under way, or of the last one
  TimePoint began_at_;
  Payload payload_;
  std::uint64_t payload_bytes_ = 0;
  std::uint64_t version_seen_ = 0;  // the last that began since the subscription

  std::uint16_t source_degree_ = 0;
  std::optional<Round> heard_;
  std::uint32_t outcomes_ = 0;  // a bit each, 1 for a fault, the last in the lowest
  TimePoint quarantined_until_;
  wire::PayloadRefused withheld_;
  EdgeStatistics statistics_;
};

}  // namespace quadrille::peer

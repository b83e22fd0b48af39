// The sending end of an edge: which payload its reader gets next. What follows is a pure function
// of what the reader holds, what the worker's replica is, and the payload that is kept:
//
//   nothing was encoded yet        a round waits: encode it, it is the first state
//   the reader holds the replica   a round waits: encode the difference
//   the kept payload fits it       send that (again: the connection broke)
//   neither                        encode a keyframe: the replica as it is
//
// The worker moves its replica with every encoding, so one payload is on its way at a time, and it
// is kept until it is acknowledged.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

#include "base/ids.hpp"
#include "peer/exchange/edge_version.hpp"
#include "peer/worker.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer {

class SendingEdgeState {
 public:
  SendingEdgeState(EdgeId edge, bool synchronous) : edge_(edge), synchronous_(synchronous) {}

  // The source published it.
  void mark(Round round);
  // Somebody reads from now on, and holds this.
  void on_reader(EdgeVersion held);
  void on_reader_lost();

  enum class Step { None, Encode, Send };
  Step next() const;

  EncodePayload start_encoding();
  // Without a payload: the worker had nothing that it could encode; the next round may do.
  void on_encoded(PayloadEncoded encoded);
  wire::PayloadBegin start_sending(std::uint32_t transfer, std::uint16_t degree);
  const Payload& payload() const { return kept_->payload; }

  // False: no such payload is on its way.
  bool on_applied(std::uint64_t version);
  bool on_refused(std::uint64_t version, wire::PayloadFault fault);
  // The replica as it is was refused, or nothing could be encoded: a round that moves it may help.
  bool is_barred() const { return barred_; }
  // Or time: offer it again.
  void unbar() { barred_ = false; }

  bool encoding() const { return encoding_; }
  EdgeVersion replica() const { return replica_; }

 private:
  bool is_travelling(std::uint64_t version) const;
  bool wants_keyframe() const;
  bool reader_has_replica() const;
  bool kept_fits() const;

  EdgeId edge_;
  bool synchronous_;
  std::optional<EdgeVersion> reader_;  // what it holds, while there is one
  EdgeVersion replica_;                // the worker's, after what it encoded last
  Round replica_round_;
  // Whether it was ever sent. Else a reader that holds the same bits has them from another owner of
  // the cell, and under another round: an adopter publishes again what it adopted.
  bool replica_was_sent_ = false;
  std::optional<PayloadEncoded> kept_;
  bool encoding_ = false;
  bool travelling_ = false;
  bool barred_ = false;
  std::deque<Round> waiting_;  // published and not encoded: each of them, or the newest alone
};

}  // namespace quadrille::peer

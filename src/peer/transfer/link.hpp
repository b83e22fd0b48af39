// What exchange, objects and watching have in common: small frames go at once, payloads in chunks
// under the receiver's credit, one chunk of each in turn so that none waits for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/stream.hpp"
#include "wire/exchange_messages.hpp"
#include "wire/limits.hpp"

namespace quadrille::peer {

// The sender's half.
class OutgoingLink {
 public:
  // Small, since a receiver sees whole chunks only: at 1.6 kB/s one still arrives within
  // IncomingLink::stall_max.
  static constexpr std::size_t chunk_bytes = std::size_t{16} << 10;

  explicit OutgoingLink(StreamId stream) : stream_(stream) {}

  std::size_t size() const { return transfers_.size(); }  // those that wait for credit
  bool empty() const { return transfers_.empty(); }
  // Nothing can begin before one of the transfers is handed out or cancelled.
  bool full() const { return transfers_.size() >= wire::transfers_max; }
  // Sends the message that begins a transfer, and then the payload in chunks as credit allows. The
  // caller gave the message next_transfer().
  std::uint32_t next_transfer() const { return next_transfer_; }
  template <class Message>
  void begin(const Message& message, Payload payload, std::vector<OutFrame>& out) {
    out.push_back(frame_of(stream_, message));
    add(std::move(payload), out);
  }
  // False: more than wire::credit_bytes_max in all, which no honest receiver grants; it is not
  // taken.
  bool on_credit(const wire::Credit& credit, std::vector<OutFrame>& out);
  // Nothing of it is sent any more: its receiver said that it does not want it.
  void cancel(std::uint32_t transfer);
  // Whether some of it waits for credit.
  bool carries(std::uint32_t transfer) const;
  // Chunk bytes that were handed out so far.
  std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Transfer {
    std::uint32_t number;
    Payload payload;
    std::size_t offset = 0;
  };
  void add(Payload payload, std::vector<OutFrame>& out);
  void pump(std::vector<OutFrame>& out);

  StreamId stream_;
  std::uint32_t next_transfer_ = 1;
  std::uint64_t credit_ = 0;
  std::uint64_t sent_bytes_ = 0;
  std::deque<Transfer> transfers_;  // the next to send a chunk in front
};

// The receiver's half. Memory grows with what arrives; what was claimed bounds it.
class IncomingLink {
 public:
  static constexpr std::uint64_t credit_window_bytes = std::uint64_t{8} << 20;
  // Credit goes back in pieces of this size, not with every chunk.
  static constexpr std::uint64_t credit_return_bytes = credit_window_bytes / 8;
  static constexpr std::size_t abandoned_max = wire::transfers_max;
  static constexpr Duration stall_max = std::chrono::seconds(10);  // without a byte of a transfer

  explicit IncomingLink(StreamId stream) : stream_(stream) {}

  void grant_first_credit(std::vector<OutFrame>& out);
  // Corrupt: the number is taken. Limit: too many at once, or too long.
  Result<void> begin(std::uint32_t transfer, std::uint64_t bytes, TimePoint now);
  // The whole payload with its last chunk. Corrupt: no such transfer, a gap, more than was claimed
  // or than there was credit for.
  Result<std::optional<Payload>> take(const wire::Chunk& chunk, TimePoint now,
                                      std::vector<OutFrame>& out);
  // It is not wanted any more: what still comes of it is dropped.
  void abandon(std::uint32_t transfer);
  // When to give the stream up: bytes of any transfer put it off, so that a slow link is never cut
  // while something moves. None while no transfer is under way.
  std::optional<TimePoint> stalls_at() const;

 private:
  struct Transfer {
    std::uint64_t claimed_bytes = 0;
    ByteBuffer bytes;
  };
  Result<void> spend_credit(std::size_t bytes, std::vector<OutFrame>& out);
  void grant(std::uint64_t bytes, std::vector<OutFrame>& out);

  StreamId stream_;
  std::uint64_t credit_ = 0;  // the sender's, as far as it can know
  std::uint64_t to_return_ = 0;
  TimePoint progress_at_;
  std::map<std::uint32_t, Transfer> transfers_;
  // The sender gives them up in this order, and has wire::transfers_max at once: older ones are
  // over.
  std::deque<std::uint32_t> abandoned_;
};

}  // namespace quadrille::peer

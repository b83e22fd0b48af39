// One stream of purpose Exchange: small frames at once, payloads and objects in chunks under the
// receiver's credit, one chunk of each in turn so that none waits for another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/bytes.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "peer/stream.hpp"
#include "wire/exchange_messages.hpp"

namespace quadrille::peer {

// The sender's half.
class OutgoingLink {
 public:
  static constexpr std::size_t chunk_bytes = std::size_t{64} << 10;
  static constexpr std::size_t transfers_max = 1024;

  explicit OutgoingLink(StreamId stream) : stream_(stream) {}

  // Sends a frame that begins a transfer, and then the payload in chunks as credit allows. The
  // caller gave the frame's message next_transfer().
  std::uint32_t next_transfer() const { return next_transfer_; }
  void begin(wire::FrameType type, ByteBuffer body, Payload payload, std::vector<OutFrame>& out);
  void on_credit(const wire::Credit& credit, std::vector<OutFrame>& out);
  // Nothing of it is sent any more.
  void cancel(std::uint32_t transfer);
  // Chunk bytes that were handed out so far.
  std::uint64_t sent_bytes() const { return sent_bytes_; }

 private:
  struct Transfer {
    std::uint32_t number;
    Payload payload;
    std::size_t offset = 0;
  };
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
  static constexpr Duration stall_max = std::chrono::seconds(10);  // without a byte of a transfer

  explicit IncomingLink(StreamId stream);

  void grant_first_credit(std::vector<OutFrame>& out);
  // Corrupt: the number is taken. Limit: too many at once, or too long.
  Result<void> begin(std::uint32_t transfer, std::uint64_t bytes, TimePoint now);
  // The whole payload with its last chunk. Corrupt: no such transfer, a gap, more than was claimed
  // or than there was credit for.
  Result<std::optional<Payload>> take(const wire::Chunk& chunk, TimePoint now,
                                      std::vector<OutFrame>& out);
  std::optional<TimePoint> stalls_at() const;
};

}  // namespace quadrille::peer

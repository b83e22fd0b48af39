// A fuzzed input as numbers and messages: whatever it says is a well-formed message of small
// numbers, so that the fuzzer finds its way behind the decoders. Past its end everything is 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "base/ids.hpp"
#include "wire/cell_status.hpp"
#include "wire/datagram.hpp"
#include "wire/frame.hpp"
#include "wire/peer_record.hpp"
#include "wire/session_messages.hpp"
#include "wire/update.hpp"

namespace quadrille::fuzz {

inline constexpr RunId fuzzed_run{.high = 1, .low = 2};
inline constexpr std::uint32_t partners = 5;  // with the numbers 1 to 5; 0 is the peer

wire::Endpoint fuzzed_address(std::uint32_t number);

class FuzzedInput {
 public:
  // `self` is the peer's id, which the input may speak of.
  FuzzedInput(Bytes bytes, PeerId self) : bytes_(bytes), self_(self) {}

  bool empty() const { return bytes_.empty(); }
  std::uint8_t byte();
  ByteBuffer raw();  // its length, and so many bytes
  std::uint32_t partner() { return 1 + byte() % partners; }
  PeerId id(std::uint32_t number) const;

  wire::Update update();
  wire::Message message(std::uint32_t last_ping);
  wire::CellStatus status();
  wire::Hello hello(std::uint32_t partner, wire::StreamPurpose purpose);
  // The body of a frame that may come after the first one.
  ByteBuffer body(wire::FrameType type);

 private:
  CellIndex cell() { return {byte() % 5U}; }  // of the grid's four, or one that there is not
  Round round() { return {.index = byte()}; }
  wire::PeerRecord record(std::uint32_t number);
  ByteBuffer exchange_body(wire::FrameType type);
  ByteBuffer object_body(wire::FrameType type);

  Bytes bytes_;
  PeerId self_;
};

}  // namespace quadrille::fuzz

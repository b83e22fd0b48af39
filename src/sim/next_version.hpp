// What a host of the next version of the protocol sends: what today's code sends, with everything
// that version2.fbs adds to it. So a fleet of two versions runs although there is code for one.
//
// All of it follows from the bytes that go in, so that a record has one form however often it is
// sent, and a seed one history. What cannot be had in full leaves something out: what is new first.
#pragma once

#include <cstdint>

#include "base/bytes.hpp"
#include "base/ids.hpp"

namespace quadrille::sim {

// What a host runs.
enum class Software : std::uint8_t { ThisVersion, NextVersion };

// The record as its own peer writes it, within record_bytes_max.
ByteBuffer record_of_next_version(Bytes record);
// Whether it has what only the next version writes.
bool is_record_of_next_version(Bytes record);

// The datagram, with its sender's record as above. All other records stay as they came.
ByteBuffer datagram_of_next_version(Bytes datagram);

// The bytes of a stream from `sender`, which begin a frame and hold no other (the end of a chunk
// may follow elsewhere). After a stream's first frame comes one of a type that only the next
// version knows; the numbers of all others are one higher for it.
ByteBuffer frame_of_next_version(ByteBuffer frame, PeerId sender);

}  // namespace quadrille::sim

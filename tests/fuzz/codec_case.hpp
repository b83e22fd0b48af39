// One fuzzed input for the codec: arbitrary bytes are decoded alone and applied to an edge. CHECKs
// that nothing but finite floats comes out, and that an edge is unchanged by what it refuses.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first three bytes say how the rest, the payload, is treated:
//   byte 0, bit 0: mend magic, format version and float count, which a fuzzer would hardly hit
//           bit 1: mend version and base checksum, so that a difference fits
//           bit 2: mend the checksum
//   bytes 1 and 2: how many floats the receiver expects, modulo 2048
void codec_case(Bytes input);

}  // namespace quadrille::fuzz

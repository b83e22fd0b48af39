// One fuzzed input for the reader of recordings. CHECKs that time does not go back, that what is
// read is written to the same bytes again, and that a recording which was cut off gives the front
// of what the whole one gives.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte says how the rest, the recording, is treated:
//   bit 0: mend its header, and magic, version and sequence of its frames
//   bits 1 to 7: where it is cut off, in 128ths of it
void recording_case(Bytes input);

}  // namespace quadrille::fuzz

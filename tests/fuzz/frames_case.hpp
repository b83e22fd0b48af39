// One fuzzed input for the reader of frames: a stream. CHECKs that it gives the same frames, the
// same error and the same count of unknown frames however the stream is cut.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte says how the rest, the stream, is treated:
//   bit 0: read at the dialler's end, not at the listener's
//   bit 1: the reader is open from the start, else after the first frame
//   bit 2: mend magic, version and sequence of the frames, which a fuzzer would seldom keep
//   bits 3 to 7: pieces of so many bytes, and one more
void frames_case(Bytes input);

}  // namespace quadrille::fuzz

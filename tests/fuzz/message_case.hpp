// One fuzzed input for the decoders of messages: the body of a frame, a record, or a datagram.
// CHECKs that what is decoded keeps encode()'s own rules, and is decoded to the same once more.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte chooses the decoder: its place in tests/wire/samples.cpp, modulo their count + 2;
// the last two are a datagram and the body of a chunk. The rest is what it decodes.
void message_case(Bytes input);

}  // namespace quadrille::fuzz

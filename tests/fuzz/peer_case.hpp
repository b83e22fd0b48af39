// One fuzzed input for a whole peer: a sequence of what its driver may tell it. CHECKs, besides the
// peer's own, that its datagrams fit, that no single event makes it do very much, that it uses
// streams as a driver expects, and that it sleeps between its deadlines.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte is the peer's situation: its capacity, its seeds, whether it stored a cell. Then
// each event is a byte that says what happens (modulo their count, see peer_case.cpp), and what it
// takes from the bytes that follow (fuzzed_input.hpp).
void peer_case(Bytes input);

}  // namespace quadrille::fuzz

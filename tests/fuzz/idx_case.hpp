// One fuzzed data file, plain or gzip. CHECKs that no more is read than there is, and that every
// complaint names the file.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte says what the file, which is the rest, should hold: even images, odd labels.
void idx_case(Bytes input);

}  // namespace quadrille::fuzz

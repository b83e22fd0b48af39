// One fuzzed input for the objects that workers hand each other. CHECKs that what is read holds
// finite floats only, and is written again as the same bytes.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte, if odd: mend magic, version and checksum of the rest, which a fuzzer would hardly
// hit.
void object_case(Bytes input);

}  // namespace quadrille::fuzz

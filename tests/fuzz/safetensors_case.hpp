// One fuzzed input for the safetensors reader. CHECKs that whatever it accepts is sound: views that
// lie within the file, of the sizes that their shapes say.
#pragma once

#include "base/bytes.hpp"

namespace quadrille::fuzz {

// The first byte says how the rest is treated: even, it is a file; odd, it is a header, which gets
// the length in front and 64 bytes of data behind, both of which a fuzzer would hardly fit.
void safetensors_case(Bytes input);

}  // namespace quadrille::fuzz

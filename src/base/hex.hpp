// Bytes as people read them: two lower-case hex digits each, in the order of memory.
#pragma once

#include <string>

#include "base/bytes.hpp"

namespace quadrille {

std::string hex_text(Bytes bytes);

}  // namespace quadrille

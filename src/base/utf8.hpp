// What is UTF-8 and what is not (RFC 3629). Paths and arguments are bytes, and may hold anything.
#pragma once

#include <cstddef>
#include <string_view>

namespace quadrille {

// Bytes of the sequence that `text` begins with, 0 where it begins with none. Overlong forms,
// surrogates and what lies beyond the last character are none. `text` is not empty.
std::size_t utf8_sequence_bytes(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace quadrille

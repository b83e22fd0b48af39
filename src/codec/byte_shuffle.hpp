// Byte planes: all first bytes of the elements, then all second
// bytes, and so on. Exponents of weights resemble each other and
// mantissas do not, so that zstd finds something once they are apart.
#pragma once

#include <cstddef>
#include <span>

namespace quadrille::codec {

// `width` is 2 or 4, and both spans have the same size, a multiple of it.
void shuffle_bytes(std::size_t width, std::span<const std::byte> elements,
                   std::span<std::byte> planes);
void unshuffle_bytes(std::size_t width, std::span<const std::byte> planes,
                     std::span<std::byte> elements);

}  // namespace quadrille::codec
